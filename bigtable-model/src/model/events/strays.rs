//! Cells of the model's own columns that cannot belong to an event.

use crate::error::CellError;
use crate::model::describe::{column_name, shown};
use crate::model::layout::TimeIn;
use crate::{Error, Timestamp};

use super::join::{Mark, Marks, Point};
use super::{Held, RowEvents};

/// The stray cells of one row.
#[derive(Debug, Default)]
pub(super) struct Strays {
    /// Cells at times off the grid.
    between: Vec<Mark>,
    /// The first cell outside of the bucket or without a time, its time, and how many there are.
    outside: Option<(u32, Option<Timestamp>)>,
    outside_cells: usize,
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

    /// Records a cell whose time no event of the row can have. A condition compares those of
    /// `points` like events.
    #[cold]
    pub(super) fn add(&mut self, held: &Held, point: Point, points: &mut Vec<Point>) {
        if !held.is_within(point.time) {
            self.add_outside(point.cell, Some(point.time));
            return;
        }
        points.push(point);
        self.between.push(Mark {
            time: point.time,
            cell: point.cell,
            marks: Marks::Between,
        });
    }

    /// Records a cell of another bucket, or without a time.
    #[cold]
    pub(super) fn add_outside(&mut self, cell: u32, time: Option<Timestamp>) {
        self.outside.get_or_insert((cell, time));
        self.outside_cells += 1;
    }
}

impl RowEvents {
    /// Adds the recorded cells to the marks of events, in order of time. With `by_value` each cell
    /// has its own mark.
    #[cold]
    pub(super) fn mark_strays(&mut self, held: &Held, start: Timestamp, by_value: bool) {
        for mark in &mut self.marks {
            if !held.is_on_grid(mark.time) {
                mark.marks = Marks::Between;
            }
        }
        if !by_value {
            self.marks.append(&mut self.strays.between);
        }
        if let Some((cell, _)) = self.strays.outside {
            // No event of the row has this time, nor one of another row of its series a later one.
            let time = Timestamp::from_micros(start.as_micros().saturating_sub(1));
            let marks = Marks::Outside;
            self.marks.push(Mark { time, cell, marks });
        }
        self.marks.sort_by_key(|mark| mark.time);
    }

    /// Checks that there is an event at `index`, not stray cells.
    ///
    /// # Errors
    /// [`Error::ForeignCell`] for stray cells.
    #[inline]
    pub(crate) fn check_place(&self, index: usize) -> Result<(), Error> {
        match self.marks.get(index) {
            Some(mark) if matches!(mark.marks, Marks::Between | Marks::Outside) => {
                self.stray(*mark).map_or(Ok(()), Err)
            }
            _ => Ok(()),
        }
    }

    /// The cells that `mark` tells of, as an error.
    #[cold]
    fn stray(&self, mark: Mark) -> Option<Error> {
        let schema = self.schema.as_ref()?;
        let cell = self.row().cell(usize::try_from(mark.cell).ok()?)?;
        let bucket = schema.key.bucket()?;
        let source = match (mark.marks, self.strays.outside) {
            (Marks::Outside, Some((_, Some(time)))) => CellError::OtherBucket { time },
            (Marks::Outside, _) => CellError::NoOffset {
                expected: match schema.in_layout().time_in() {
                    TimeIn::Qualifier(offset) => offset.described(),
                    TimeIn::Key | TimeIn::Stamp => String::new(),
                },
            },
            _ => CellError::Between {
                time: mark.time,
                grid: std::time::Duration::from_micros(bucket.grid_micros.unsigned_abs()),
            },
        };
        Some(Error::ForeignCell {
            table: schema.table.to_string(),
            key: schema.key.describe(self.key()).to_string(),
            column: column_name(cell.family(), &shown(cell.qualifier())),
            more: match mark.marks {
                Marks::Outside => self.strays.outside_cells.saturating_sub(1),
                _ => 0,
            },
            source,
        })
    }
}
