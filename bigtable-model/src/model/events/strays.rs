//! Cells of the model's own columns that cannot belong to an event.

use crate::error::CellError;
use crate::model::describe::{column_name, shown};
use crate::model::layout::TimeIn;
use crate::{Error, Timestamp};

use super::RowEvents;
use super::held::Held;
use super::join::{Mark, Marks};

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
            self.marks.push(Mark::outside(start, cell));
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

    /// The cells that `mark` records, as an error.
    #[cold]
    fn stray(&self, mark: Mark) -> Option<Error> {
        let schema = self.schema.as_ref()?;
        let cell = self.row().cell(usize::try_from(mark.cell).ok()?)?;
        let bucket = schema.key.bucket()?;
        let source = match (mark.marks, self.strays.outside) {
            (Marks::Outside, Some((_, Some(time)))) => CellError::OtherBucket { time },
            (Marks::Outside, _) => CellError::NoOffset {
                expected: match schema.in_layout().time_in() {
                    TimeIn::Qualifier(offset) => match schema.key.ties_in_words() {
                        Some(ties) => format!("{}:{ties}", offset.described()),
                        None => offset.described(),
                    },
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
