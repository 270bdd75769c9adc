//! Aligns several series on one grid.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::TryStream;

use crate::error::SeriesError;
use crate::{Error, Timestamp};

use crate::series::fill::Point;
use crate::series::results::{Pull, Pulled, Results};

/// The values of several series at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// The time.
    pub at: Timestamp,
    /// The value of each series, in the order in which they were passed; `None` if it has no value
    /// at that time.
    pub values: Vec<Option<f64>>,
}

/// Aligns several series whose values on a grid come from
/// [`resample`](crate::series::Timed::resample): for each time at which one of them has a point, it
/// returns the values of all.
///
/// A series has no value before its first event and after its last one. One point of each series is
/// held in memory.
pub fn align<S>(series: impl IntoIterator<Item = S>) -> Results<impl Pull<Item = Aligned>>
where
    S: TryStream<Ok = Point, Error = Error> + Unpin,
{
    let heads = series.into_iter().map(|feed| Head {
        feed,
        point: None,
        last: None,
        drained: false,
    });
    Results::new(Align {
        series: heads.collect(),
    })
}

/// Several streams of points.
struct Align<S> {
    series: Vec<Head<S>>,
}

struct Head<S> {
    feed: S,
    /// The next point.
    point: Option<Point>,
    /// The time of the previous point.
    last: Option<Timestamp>,
    drained: bool,
}

impl<S: TryStream<Ok = Point, Error = Error> + Unpin> Head<S> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Pulled>> {
        if self.point.is_some() || self.drained {
            return Poll::Ready(Ok(()));
        }
        match ready!(Pin::new(&mut self.feed).try_poll_next(context)) {
            Some(Ok(point)) => {
                if let Some(after) = self.last.filter(|last| point.at <= *last) {
                    let error = SeriesError::Unordered {
                        at: point.at,
                        after,
                        series: None,
                    };
                    return Poll::Ready(Err(Pulled::Own(error.into())));
                }
                self.last = Some(point.at);
                self.point = Some(point);
            }
            Some(Err(error)) => return Poll::Ready(Err(Pulled::Feed(error))),
            None => self.drained = true,
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: TryStream<Ok = Point, Error = Error> + Unpin> Pull for Align<S> {
    type Item = Aligned;

    fn pull(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Aligned, Pulled>>> {
        for head in &mut self.series {
            if let Err(error) = ready!(head.poll(context)) {
                return Poll::Ready(Some(Err(error)));
            }
        }
        let points = self.series.iter().filter_map(|head| head.point);
        let Some(at) = points.map(|point| point.at).min() else {
            return Poll::Ready(None);
        };
        let heads = self.series.iter_mut();
        let values = heads.map(|head| head.point.take_if(|point| point.at == at)?.value);
        Poll::Ready(Some(Ok(Aligned {
            at,
            values: values.collect(),
        })))
    }
}
