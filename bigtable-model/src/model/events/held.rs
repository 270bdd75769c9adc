//! Which times the events of a row can have, and the cells at other times.

use crate::Timestamp;
use crate::key::time::bucket::Bucket;

use super::join::{Mark, Marks, Point};

/// The times that a row's events can have.
pub(super) struct Held {
    /// From the first to before the second.
    between: Option<(Timestamp, Option<Timestamp>)>,
    /// The times are multiples of this, in microseconds.
    grid: i64,
}

impl Held {
    pub(super) fn new(bucket: &Bucket, start: Timestamp) -> Self {
        let between = (!bucket.is_endless()).then(|| (start, bucket.next(start)));
        Self {
            between,
            grid: bucket.grid_micros.max(1),
        }
    }

    #[inline]
    pub(super) fn holds(&self, time: Timestamp) -> bool {
        self.is_within(time) && self.is_on_grid(time)
    }

    #[inline]
    pub(super) fn is_within(&self, time: Timestamp) -> bool {
        self.between
            .is_none_or(|(start, end)| start <= time && end.is_none_or(|end| time < end))
    }

    #[inline]
    pub(super) fn is_on_grid(&self, time: Timestamp) -> bool {
        time.as_micros() % self.grid == 0
    }
}

/// The stray cells of one row.
#[derive(Debug, Default)]
pub(super) struct Strays {
    /// Cells at times off the grid.
    pub(super) between: Vec<Mark>,
    /// The first cell outside the bucket or without a time, and its time; `outside_cells` counts
    /// them.
    pub(super) outside: Option<(u32, Option<Timestamp>)>,
    pub(super) outside_cells: usize,
}

impl Strays {
    pub(super) fn is_empty(&self) -> bool {
        self.between.is_empty() && self.outside.is_none()
    }

    pub(super) fn clear(&mut self) {
        self.between.clear();
        self.outside = None;
        self.outside_cells = 0;
    }

    /// Records a cell whose time no event of the row can have. A condition compares cells in
    /// `points` like events.
    #[cold]
    pub(super) fn add(&mut self, held: &Held, point: Point, points: &mut Vec<Point>) {
        if !held.is_within(point.time) {
            self.add_outside(point.cell, Some(point.time));
            return;
        }
        points.push(point);
        self.add_entry(held, point.time, point.cell);
    }

    /// The same for a cell of a run-time column.
    #[cold]
    pub(super) fn add_entry(&mut self, held: &Held, time: Timestamp, cell: u32) {
        match held.is_within(time) {
            true => self.between.push(Mark {
                time,
                cell,
                marks: Marks::Between,
            }),
            false => self.add_outside(cell, Some(time)),
        }
    }

    /// Records a cell of another bucket, or without a time.
    #[cold]
    pub(super) fn add_outside(&mut self, cell: u32, time: Option<Timestamp>) {
        self.outside.get_or_insert((cell, time));
        self.outside_cells += 1;
    }
}
