//! Deletes by a query leave what the query does not select.

use proptest::prelude::*;

use super::case::DrawnQuery;
use super::world::{Read, World, read};
use crate::query::delete::delete;
use crate::query::run::start::planned;
use crate::query::{Order, Selection};

impl World {
    pub(super) async fn check_delete(&self, query: &DrawnQuery) -> Result<(), TestCaseError> {
        let drawn = Selection {
            columns: None,
            keys_only: false,
            ..self.selection(query)
        };
        let selection = Selection {
            // Without an order any of the events may be those behind a limit.
            limit: drawn.limit.filter(|_| drawn.order != Order::Any),
            ..drawn
        };
        if planned(&*self.db, self.schema, &selection).await.is_err() {
            return Ok(());
        }
        let gone = self.expected(&selection);
        let outcome = delete(&*self.db, self.schema, selection.clone()).await;
        let context = || format!("{:?}\n{:?}\n{:?}", self.schema, selection, self.events);
        prop_assert!(outcome.failed().is_empty(), "{:?}", outcome);
        prop_assert_eq!(outcome.deleted(), gone.len() as u64, "{}", context());
        let all = Selection {
            full_scan: true,
            ..Selection::default()
        };
        let everything = planned(&*self.db, self.schema, &all).await.unwrap();
        let left = self.run(everything).await;
        let stay = self.without(&gone);
        let mut stay: Vec<Read> = stay.iter().map(|event| read(event, &all)).collect();
        for one in left {
            let at = stay.iter().position(|other| *other == one);
            prop_assert!(at.is_some(), "{:?} is left: {}", one, context());
            stay.remove(at.unwrap());
        }
        prop_assert!(stay.is_empty(), "{:?} are gone: {}", stay, context());
        Ok(())
    }
}
