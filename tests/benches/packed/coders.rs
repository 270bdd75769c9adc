//! Each coder of numbers compared with the crate `pco` alone, on a day that it is chosen for.

use std::hint::black_box;

use bigtable_pack::{Block, Column, Values};
use criterion::Criterion;
use pco::standalone::simple_decompress;

use crate::{beside_pco, numbers_by_pco};

const MINUTES: i64 = 1_440;
/// Rice codes win where values are few.
const QUARTERS: i64 = 96;

/// Numbers under the name of the coder that is chosen for them.
fn numbers() -> Vec<(&'static str, Values)> {
    let mut random = fastrand::Rng::with_seed(1);
    let noise: Vec<i64> = (0..QUARTERS).map(|_| random.i64(-6..=6)).collect();
    let sums = |of: &dyn Fn(i64, i64) -> i64| -> Vec<i64> {
        let steps = (0..).zip(&noise).scan(0, |sum, (number, noise)| {
            *sum += of(number, *noise);
            Some(*sum)
        });
        steps.collect()
    };
    let walk = sums(&|_, noise| noise);
    let tenths = walk.iter().map(|one| *one as f64 / 10.0).collect();
    let feet = walk.iter().map(|one| *one as f64 * 0.3048).collect();
    let load = (0..MINUTES).map(|minute| 400 + (minute * 7) % 97 - minute % 11);
    let random = (0..MINUTES).map(|_| random.i64(..));
    vec![
        ("constant", Values::Floats(vec![21.7; 1_440])),
        (
            "steps",
            Values::Integers((0..MINUTES).map(|one| one * 60).collect()),
        ),
        ("differences", Values::Integers(walk.clone())),
        (
            "differences with a divisor",
            Values::Integers(sums(&|_, noise| noise * 1_000)),
        ),
        (
            "differences twice",
            Values::Integers(sums(&|number, noise| number * 30 + noise)),
        ),
        ("pco", Values::Integers(load.collect())),
        ("raw", Values::Integers(random.collect())),
        ("decimals", Values::Floats(tenths)),
        ("multiples", Values::Floats(feet)),
    ]
}

pub(crate) fn coders(criterion: &mut Criterion) {
    for (name, values) in numbers() {
        let packed = numbers_by_pco(&values);
        let is_float = matches!(values, Values::Floats(_));
        let block = Block {
            times: vec![0; values.len()],
            columns: vec![Column {
                name: "v".into(),
                present: vec![true; values.len()],
                values,
            }],
        };
        let bytes = block.encode().unwrap();
        println!(
            "{name}: {} bytes in a block, {} by pco",
            bytes.len(),
            packed.len()
        );
        let decode_by_pco = || match is_float {
            true => simple_decompress::<f64>(black_box(&packed)).unwrap().len(),
            false => simple_decompress::<i64>(black_box(&packed)).unwrap().len(),
        };
        beside_pco(
            criterion,
            &format!("coder {name}"),
            block.times.len(),
            [
                &|| black_box(&block).encode().unwrap().len(),
                &|| numbers_by_pco(black_box(&block.columns[0].values)).len(),
                &|| Block::decode(black_box(&bytes)).unwrap().times.len(),
                &decode_by_pco,
            ],
        );
    }
}
