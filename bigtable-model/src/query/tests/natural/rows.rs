//! The rows that are read, beside those that can hold an answer.

use std::collections::BTreeSet;

use super::asked::ends;
use super::model::{Part, When};
use super::question::{Ask, Order, Question};
use super::value::Value;
use super::world::{Failure, RowName, World, check};
use crate::query::Plan;

/// How many scans run at once for a question without an order.
const UNORDERED_SCANS: usize = 16;

impl World {
    /// No row is read twice, and none that can't hold an answer, but where the documents say so; there are no more scans than they say.
    pub(super) fn check_plan(&self, question: &Question, plan: &Plan) -> Result<(), Failure> {
        let exact = self.reads_exactly(question);
        let parts = || plan.scans.iter().flat_map(|scan| &scan.parts);
        for ((table, key), row) in &self.rows {
            let of_table = parts().filter(|part| part.table == *table);
            let reads = of_table.filter(|part| part.rows.contains(key)).count();
            check!(reads <= 1, "{row:?} is read {reads} times: {plan:#?}");
            if reads == 1 && exact {
                check!(self.can_hold(question, row), "{row:?} is read: {plan:#?}");
            }
        }
        for part in parts() {
            check!(part.rows.keys.is_sorted(), "keys in no order: {plan:#?}");
            let empty = part.rows.ranges.iter().any(|range| range.is_empty());
            check!(!empty, "an empty range: {plan:#?}");
        }
        let tables = question.tables(self.model(), &self.periods).max(1);
        let most = match question.order {
            Order::Key => tables,
            Order::Any => UNORDERED_SCANS.min(question.max_scans).max(1) + 1,
            Order::Time => self.series_and_shards(question),
        };
        check!(
            plan.scans.len() <= most,
            "{} scans, not {most}: {plan:#?}",
            plan.scans.len()
        );
        Ok(())
    }

    fn series_and_shards(&self, question: &Question) -> usize {
        let series = question.of_names(self.model()).map(|(_, ask)| match ask {
            Some(Ask::OneOf(values)) => values.iter().collect::<BTreeSet<_>>().len(),
            _ => 1,
        });
        let shards = self
            .model()
            .salt()
            .map_or(1, |(_, shards, _)| shards as usize);
        series.product::<usize>() * shards
    }

    /// Whether no row but those that can hold an answer is to be read. Others are where something is asked behind what is open, which only
    /// a scan of the whole table allows, and where buckets whose labels do not sort can't be listed.
    fn reads_exactly(&self, question: &Question) -> bool {
        let model = self.model();
        let listed =
            |ask: &Ask| matches!(ask, Ask::OneOf(_)) || matches!(ends(ask), (Some(_), Some(_)));
        let mut open = false;
        for ((_, part), ask) in model.valued().zip(&question.asks) {
            if *ask == Ask::OPEN {
                open = true;
                continue;
            }
            if open {
                return false;
            }
            match part {
                Part::Time(When::Bucket(bucket)) if bucket.is_endless() => {}
                Part::Time(When::Bucket(bucket)) => {
                    if !listed(ask) && !bucket.sorts() {
                        return false;
                    }
                    open = !listed(ask);
                }
                _ => open = !matches!(ask, Ask::OneOf(_)),
            }
        }
        question.combinations(model) < super::asked::MANY_COMBINATIONS
    }

    fn can_hold(&self, question: &Question, (names, start): &RowName) -> bool {
        let model = self.model();
        let named = question.of_names(model).zip(names);
        let fits = named.into_iter().all(|((identifier, ask), value)| {
            let stored = |one: &Value| super::model::Model::stored(identifier, one);
            ask.is_none_or(|ask| ask.fits(value, stored))
        });
        fits && match model.bucket() {
            None => question.asks_for_time(model, *start),
            Some(_) => self.can_hold_time(question, *start),
        }
    }

    /// Whether a time that events can have and that is asked for is in the bucket.
    fn can_hold_time(&self, question: &Question, start: i64) -> bool {
        let model = self.model();
        let Some(bucket) = model.bucket() else {
            return true;
        };
        let (first, end) = match bucket.is_endless() {
            true => (i64::MIN, None),
            false => bucket.span_of(start).expect("a bucket"),
        };
        let inside = |time: i64| first <= time && end.is_none_or(|end| time < end);
        match question.time(model) {
            None => true,
            Some(Ask::OneOf(values)) => values.iter().any(|value| match value {
                Value::Time(micros) => inside(model.floor(*micros)),
                _ => false,
            }),
            Some(ask) => {
                let (from, to) = ends(ask);
                let from = from.unwrap_or(i64::MIN).max(first);
                let to = to.unwrap_or(i64::MAX).min(end.unwrap_or(i64::MAX));
                let floor = model.floor(from);
                let time = match floor < from {
                    true => floor.saturating_add(bucket.grid),
                    false => from,
                };
                time < to
            }
        }
    }
}
