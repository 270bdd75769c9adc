use bigtable_model::rollup::{Level, Rollup, RollupError};
use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METRIC", family = "M", rollup(Hour))]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    load: f64,
}

#[derive(Model)]
#[bigtable(table = "HOUR", family = "M")]
struct Hour {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    start: Timestamp,
    #[bigtable(column = "~dirty")]
    highest: f64,
}

impl Rollup for Hour {
    type Source = Metric;
    const LEVELS: &'static [Level] = &[Level::hours(1)];

    fn of(metric: &Metric, start: Timestamp) -> Self {
        Self { host: metric.host.clone(), start, highest: metric.load }
    }

    fn merge(&mut self, later: &Self) -> Result<(), RollupError> {
        self.highest = self.highest.max(later.highest);
        Ok(())
    }

    fn starting(self, start: Timestamp) -> Self {
        Self { start, ..self }
    }
}

fn main() {}
