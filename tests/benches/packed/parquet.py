"""A year of weather as Parquet with zstd: bytes, and how long it takes to write and read.

python3 parquet.py FILE.csv
"""

import io
import sys
import time

import pyarrow
import pyarrow.csv
import pyarrow.parquet

NUMBERS = [
    "temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib",
]

options = pyarrow.csv.ConvertOptions(
    include_columns=["origin", *NUMBERS, "time_hour"],
    column_types={name: pyarrow.float64() for name in NUMBERS},
    null_values=["NA", ""],
)
year = pyarrow.csv.read_csv(sys.argv[1], convert_options=options)
year = year.sort_by([("origin", "ascending"), ("time_hour", "ascending")])
values = sum(len(year[name]) - year[name].null_count for name in NUMBERS)


def seconds(run):
    """The least of five runs, after one that is not counted."""
    run()
    least = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - begun)
    return least


def written(level):
    out = io.BytesIO()
    pyarrow.parquet.write_table(year, out, compression="zstd", compression_level=level)
    return out.getvalue()


for level in [1, 19]:
    stored = written(level)
    write = seconds(lambda: written(level))
    read = seconds(lambda: pyarrow.parquet.read_table(io.BytesIO(stored), use_threads=False))
    name = f"Parquet, zstd {level}"
    print(
        f"{name:<24}{'':>10}{len(stored):>10}{len(stored) / values:>12.2f}"
        f"{write * 1e3:>10.1f}{read * 1e3:>10.1f}"
    )
