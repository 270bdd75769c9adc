//! Several aggregates at once.

use super::{Aggregate, Frame};
use crate::Timestamp;
use crate::error::SeriesError;

macro_rules! tuple {
    ($($name:ident $at:tt),+) => {
        impl<Event, $($name: Aggregate<Event>),+> Aggregate<Event> for ($($name,)+) {
            type State = ($($name::State,)+);
            type Output = ($($name::Output,)+);

            fn start(&self) -> Self::State {
                ($(self.$at.start(),)+)
            }

            #[inline]
            fn add(&self, state: &mut Self::State, at: Timestamp, event: &Event) {
                $(self.$at.add(&mut state.$at, at, event);)+
            }

            fn merge(&self, state: &mut Self::State, later: &Self::State) {
                $(self.$at.merge(&mut state.$at, &later.$at);)+
            }

            fn finish(&self, state: &Self::State, frame: Frame<'_, Self::State>) -> Self::Output {
                ($(self.$at.finish(&state.$at, frame.of(|all| &all.$at)),)+)
            }

            fn carry(&self, before: &mut Self::State, earlier: &Self::State) {
                $(self.$at.carry(&mut before.$at, &earlier.$at);)+
            }

            fn check(&self) -> Result<(), SeriesError> {
                $(self.$at.check()?;)+
                Ok(())
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
