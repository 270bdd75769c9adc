//! Compares the rows that are read with those that can hold an answer.

use super::calendar;
use super::ends::ends;
use super::judge::{Failure, check};
use super::model::{Layout, Part, When};
use super::question::{Ask, Order, Question};
use super::value::Value;
use super::world::{RowName, World};
use crate::data::RowRange;
use crate::query::plan::planner::plan_known;
use crate::query::{Amount, Plan, Selection};

/// How many scans run at once for a question without an order.
const UNORDERED_SCANS: usize = 16;

/// The maximum that may be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    requests: usize,
    rows: usize,
}

impl World {
    /// No row is read twice, none is read that cannot hold an answer unless the documents say so,
    /// and there are no more scans than they say.
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
            Order::Key => tables + question.in_pieces(self.model()),
            Order::Any => UNORDERED_SCANS.min(question.max_scans).max(1) + 1,
            Order::Time => question.series_and_shards(self.model()),
        };
        check!(
            plan.scans.len() <= most,
            "{} scans, not {most}: {plan:#?}",
            plan.scans.len()
        );
        Ok(())
    }

    pub(super) fn begin_reading(&self) {
        if let Some(probe) = &self.probe {
            probe.log().forget();
        }
    }

    /// Fails if more was read than the bounds allow.
    pub(super) fn check_reading(&self, what: &str, bounds: Bounds) -> Result<(), Failure> {
        let Some(probe) = &self.probe else {
            return Ok(());
        };
        let requests = probe.log().requests.lock().unwrap().len();
        let rows = probe.log().rows();
        check!(
            requests <= bounds.requests,
            "{what} takes {requests} reads, not {}",
            bounds.requests
        );
        check!(
            rows <= bounds.rows,
            "{what} takes {rows} rows, not {}",
            bounds.rows
        );
        Ok(())
    }

    /// The content of the rows requested since `begin_reading`, if a probe knows it and no read
    /// ended early.
    pub(super) fn in_requests(&self) -> Option<Amount> {
        let probe = self.probe.as_ref()?;
        let requests = probe.log().requests();
        if requests.iter().any(|request| request.rows_limit > 0) {
            return None;
        }
        let mut there = Amount::default();
        for request in requests {
            let Ok(table) = probe.memory().table(&request.table) else {
                continue;
            };
            let rows = table.range(RowRange::all());
            for row in rows.map(Result::unwrap) {
                if request.rows.is_all() || request.rows.contains(row.key()) {
                    there.rows += 1;
                    there.cells += row.cells().count() as u64;
                    let cells = row.cells();
                    let sizes = cells.map(|cell| cell.qualifier.len() + cell.value.len() + 8);
                    there.bytes += (row.key().len() + sizes.sum::<usize>()) as u64;
                }
            }
        }
        Some(there)
    }

    /// The rows of a plan's scans.
    fn planned_rows<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = &'a RowName> {
        let parts = move || plan.scans.iter().flat_map(|scan| &scan.parts);
        let planned = self.rows.iter().filter(move |((table, key), _)| {
            parts().any(|part| part.table == *table && part.rows.contains(key))
        });
        planned.map(|(_, row)| row)
    }

    /// The maximum cost of a plan's answer: a read for each of its parts. If a number of cells is
    /// requested, a row may be read again as a whole. If a row is one event and the server selects
    /// them, each scan ends at the limit.
    pub(super) fn bounds(&self, question: &Question, plan: &Plan) -> Bounds {
        let parts: usize = plan.scans.iter().map(|scan| scan.parts.len()).sum();
        let rows = self.planned_rows(plan).count();
        let again = if plan.newest.is_some() { rows } else { 0 };
        // The server also counts rows without an event.
        let events = self.events();
        let is_event = |row: &&RowName| {
            let mut events = events.iter();
            events.any(|event| self.row_name(&event.names, event.time) == **row)
        };
        let barren = rows - self.planned_rows(plan).filter(is_event).count();
        // If labels do not sort, each scan reads its keys, and then runs of rows.
        let (lists, keys) = match plan.keys_first {
            true => (plan.scans.len(), rows),
            false => (0, 0),
        };
        // Each sought series costs a read of its first row and a share of one for its rows; the
        // last read of a scan finds none.
        let seeks = match plan.seeks {
            0 => 0,
            most => rows.min(most * plan.scans.len()) + parts,
        };
        let by_server = self.model().layout == Layout::Row && plan.segments.is_empty();
        let rows = match question.limit {
            Some(0) => 0,
            Some(limit) if by_server => rows.min(limit * plan.scans.len() + barren),
            _ => rows,
        };
        Bounds {
            requests: parts + again + barren + lists + keys + 2 * seeks,
            rows: rows + again + keys + seeks,
        }
    }

    /// The maximum cost of a part of a plan's answer: if many events share a row, one may be read
    /// again without a limit on cells.
    pub(super) fn bounds_of_part(&self, question: &Question, plan: &Plan) -> Bounds {
        let Bounds { requests, rows } = self.bounds(question, plan);
        let again = match self.model().layout {
            Layout::Row => 0,
            _ => self.planned_rows(plan).count(),
        };
        Bounds {
            requests: requests + again,
            rows: rows + again,
        }
    }

    /// The maximum cost of series: a row for each series in each shard and table, and the rows
    /// without an event, of which each read requests twice as many.
    pub(super) fn bounds_of_series(
        &self,
        question: &Question,
        selection: &Selection,
        live: Option<&[String]>,
    ) -> Result<Bounds, Failure> {
        let selection = Selection {
            keys_only: true,
            ..selection.clone()
        };
        let plan = plan_known(&self.schema, &selection, live);
        let plan = plan.map_err(|error| format!("no plan: {error:?}"))?;
        let parts: usize = plan.scans.iter().map(|scan| scan.parts.len()).sum();
        let rows = self.planned_rows(&plan).count();
        if self.model().has_identifier_after_time() {
            return Ok(Bounds {
                requests: parts,
                rows,
            });
        }
        let whole = Question {
            limit: None,
            ..question.clone()
        };
        let selected = whole.answer(self.model(), &self.events());
        let holding = self.planned_rows(&plan).filter(|row| {
            selected
                .iter()
                .any(|event| self.row_name(&event.names, event.time) == **row)
        });
        let barren = rows - holding.count();
        let mut runs: Vec<(Vec<Value>, u64, i64)> = Vec::new();
        for event in &selected {
            let table = self.model().periods.as_ref().map_or(0, |periods| {
                let span = calendar::span_of(periods.span, periods.zone, event.time);
                span.map_or(0, |(start, _)| start)
            });
            let series = self.model().series_of(&event.names);
            let run = (series, self.model().shard(event), table);
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
        Ok(Bounds {
            requests: 2 * parts + runs.len() + barren,
            rows: parts + 2 * runs.len() + 2 * barren,
        })
    }

    /// Names, and the time or the start of its bucket.
    pub(super) fn row_name(&self, names: &[Value], time: i64) -> RowName {
        let start = match self.model().bucket() {
            Some(bucket) => bucket.span_of(time).expect("a bucket").0,
            None => time,
        };
        let parts = self.model().in_row_keys();
        let in_key = parts.filter(|part| matches!(part, Part::Name(_))).count();
        (names[..in_key].to_vec(), start)
    }

    /// Whether no row but those that can hold an answer is to be read. Others are where something
    /// is asked after what is open, which only a scan of the whole table allows, and where buckets
    /// whose labels do not sort cannot be listed.
    fn reads_exactly(&self, question: &Question) -> bool {
        let model = self.model();
        let listed =
            |ask: &Ask| matches!(ask, Ask::OneOf(_)) || matches!(ends(ask), (Some(_), Some(_)));
        let mut open = false;
        for (part, ask) in model.in_row_keys().zip(&question.asks) {
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

    /// Whether the bucket contains a selected time that events can have.
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
