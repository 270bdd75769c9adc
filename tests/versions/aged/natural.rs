//! What is stored, as plain values, and what a write does to it.

use std::ops::Range;

use bigtable_model::{Backend, BackendExt, Error};

use super::kinds::Aged;
use super::{DAY, Round};
use crate::pairs::Stored as _;
use crate::world::{Event, Events, Identity, SITE};

/// Which layout has an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    Former,
    Today,
}

/// A write of today's model.
#[derive(Debug, Clone)]
pub(super) enum Write {
    Insert(Event),
    Note(Identity, Option<String>),
    Delete(Identity),
    DeleteMany(Vec<Identity>),
    DeleteTimes(Range<i64>),
    DeleteSite(u8),
}

impl Round {
    pub(super) fn is_visible(&self, (event, place): &(Event, Place)) -> bool {
        let day = event.at - event.at.rem_euclid(DAY);
        let is_dropped = self.by_day && day < self.dropped;
        let is_kept = |keeps: Option<i64>| keeps.is_none_or(|keeps| self.now - event.at <= keeps);
        let [former, today] = self.keeps.map(is_kept);
        match place {
            Place::Former => !is_dropped && former && today,
            Place::Today => today,
        }
    }

    pub(super) fn visible(&self) -> Events {
        let visible = self.events.iter().filter(|(_, held)| self.is_visible(held));
        visible
            .map(|(identity, (event, _))| (identity.clone(), event.clone()))
            .collect()
    }

    /// A write takes effect.
    pub(super) fn apply(&mut self, write: &Write) {
        match write {
            Write::Insert(event) => {
                self.events
                    .insert(event.identity(), (event.clone(), Place::Today));
            }
            Write::Note(identity, note) => {
                let (event, place) = self.events.get_mut(identity).unwrap();
                (event.note, *place) = (note.clone(), Place::Today);
            }
            Write::Delete(identity) => drop(self.events.remove(identity)),
            Write::DeleteMany(identities) => {
                self.events
                    .retain(|identity, _| !identities.contains(identity));
            }
            Write::DeleteTimes(times) => {
                let gone = |event: &Event| {
                    event.site == SITE && event.sensor == "a" && times.contains(&event.at)
                };
                self.remove_visible(gone);
            }
            Write::DeleteSite(site) => self.remove_visible(|event| event.site == *site),
        }
    }

    pub(super) fn remove_visible(&mut self, is_asked: impl Fn(&Event) -> bool) {
        for (identity, event) in self.visible() {
            if is_asked(&event) {
                self.events.remove(&identity);
            }
        }
    }
}

/// Writes; returns the number of deleted events if it is reported.
pub(super) async fn written<P: Aged>(
    db: &dyn Backend,
    write: &Write,
) -> Result<Option<u64>, Error> {
    match write {
        Write::Insert(event) => db.insert(&P::New::of(event)).await.map(|_| None),
        Write::Note(identity, note) => P::set_note(db, identity, note.clone()).await.map(|_| None),
        Write::Delete(identity) => db
            .delete::<P::New>(&P::New::key_of(identity))
            .await
            .map(|()| None),
        Write::DeleteMany(identities) => {
            let keys: Vec<_> = identities.iter().map(P::New::key_of).collect();
            db.delete_many::<P::New>(&keys)
                .await
                .into_result()
                .map(|_| None)
        }
        Write::DeleteTimes(times) => P::delete_times(db, "a", times.clone())
            .await
            .into_result()
            .map(Some),
        Write::DeleteSite(site) => P::delete_site(db, *site).await.into_result().map(Some),
    }
}
