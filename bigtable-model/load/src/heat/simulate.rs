//! The heat map of a load that is not written anywhere: its keys are computed and counted.

use super::Grid;
use super::keys::layout_of;
use super::map::{HeatMap, STEPS};
use super::recorder::thin_to_sample;
use super::sample::{Kind, Sampled};
use crate::LoadError;
use crate::load::Load;
use crate::num::whole;
use crate::writes::Window;

/// The maximum number of keys that are computed; of larger loads, every n-th key.
const MOST_KEYS: f64 = 10_000_000.0;

impl Load {
    /// Where the load's events are written, by their keys alone: a map for each table of its models,
    /// without those of mirrors and roll-ups. Ten million keys take some seconds.
    ///
    /// Reads, and all other rows, are in the maps of [`prices`](Load::prices).
    ///
    /// # Errors
    /// [`LoadError`]: a mistake of the load, or an event without a key.
    pub fn heat(&self) -> Result<Vec<HeatMap>, LoadError> {
        let load = self.checked()?;
        let mut tables: Tables<Vec<Sampled>> = Tables::default();
        let thin = thin_to_sample(load.events);
        for part in load.parts {
            let rows = part.weight(thin);
            part.keys(Window::ALL, thin, &mut |table, key, time| {
                tables.get(table).push(Sampled {
                    key: key.into(),
                    kind: Kind::Write,
                    time,
                    rows,
                });
            })?;
        }
        let schemas = load.schemas();
        let maps = tables.named.into_iter().map(|(table, sample)| {
            let map = HeatMap::of_sample(&table, load.span, layout_of(&schemas, &table), sample, 0);
            (table, map)
        });
        let mut maps = Tables {
            named: maps.collect(),
            last: 0,
        };
        // The ranges are known; now every row is counted, so that chance does not look like heat.
        for (_, map) in &mut maps.named {
            map.writes = Grid::new(map.ranges.len(), STEPS);
            map.written = 0;
        }
        let thin = (load.events / MOST_KEYS).max(1.0);
        for part in load.parts {
            let rows = part.weight(thin);
            part.keys(Window::ALL, thin, &mut |table, key, time| {
                if let Some(map) = maps.find(table) {
                    map.writes.add(map.ranges.find(key), time, rows);
                    map.written += 1;
                }
            })?;
        }
        let mut maps: Vec<HeatMap> = maps.named.into_iter().map(|(_, map)| map).collect();
        maps.retain(|map| whole(map.writes.total()) > 0);
        maps.sort_by(|one, other| one.table.cmp(&other.table));
        Ok(maps)
    }
}

/// A value for each table; most rows are of the same table as the previous row.
#[derive(Debug, Default)]
struct Tables<T> {
    named: Vec<(String, T)>,
    last: usize,
}

impl<T> Tables<T> {
    fn find(&mut self, table: &str) -> Option<&mut T> {
        let is_last = self
            .named
            .get(self.last)
            .is_some_and(|(name, _)| name == table);
        if !is_last {
            self.last = self.named.iter().position(|(name, _)| name == table)?;
        }
        self.named.get_mut(self.last).map(|(_, value)| value)
    }
}

impl<T: Default> Tables<T> {
    #[expect(clippy::indexing_slicing, reason = "found, or just added")]
    fn get(&mut self, table: &str) -> &mut T {
        if self.find(table).is_none() {
            self.last = self.named.len();
            self.named.push((table.to_owned(), T::default()));
        }
        &mut self.named[self.last].1
    }
}
