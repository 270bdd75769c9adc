"""Writes, reads with filters and administers tables with Google's client for Python, and checks what comes back."""

import datetime
import os
import struct

from google.api_core import exceptions
from google.cloud import bigtable
from google.cloud.bigtable import column_family as cf
from google.cloud.bigtable import row_filters as rf
from google.cloud.bigtable.row_set import RowSet

ROWS = 60
LONG = bytes(range(256)) * 40


def at(millis):
    return datetime.datetime.fromtimestamp(millis / 1000, datetime.timezone.utc)


def expect(what, got, wanted):
    if got != wanted:
        raise SystemExit(f"{what}\nexpected: {wanted!r}\n     got: {got!r}")


def refused(what, kind, work):
    try:
        work()
    except kind:
        return
    raise SystemExit(f"{what}: expected {kind.__name__}")


def cells(row):
    """A row as (family, qualifier, milliseconds, value), in the order of families."""
    if row is None:
        return []
    return [
        (family, qualifier.decode(), cell.timestamp_micros // 1000, cell.value)
        for family in sorted(row.cells)
        for qualifier, column in row.cells[family].items()
        for cell in column
    ]


def administer(instance):
    table = instance.table("events")
    expect("exists before", table.exists(), False)
    families = {"f": cf.MaxVersionsGCRule(3), "g": None}
    table.create(initial_split_keys=[b"r020", b"r040"], column_families=families)
    expect("exists", table.exists(), True)
    refused("created twice", exceptions.AlreadyExists, table.create)

    age = cf.MaxAgeGCRule(datetime.timedelta(days=10))
    rule = cf.GCRuleUnion([age, cf.MaxVersionsGCRule(1)])
    table.column_family("h", rule).create()
    table.column_family("f", cf.MaxVersionsGCRule(5)).update()
    table.column_family("g").delete()
    listed = table.list_column_families()
    expect("families", sorted(listed), ["f", "h"])
    expect("rule of f", listed["f"].gc_rule, cf.MaxVersionsGCRule(5))
    expect("rule of h", listed["h"].gc_rule, rule)
    refused(
        "update of no family",
        exceptions.NotFound,
        table.column_family("absent", cf.MaxVersionsGCRule(1)).update,
    )
    instance.table("other").create()
    names = sorted(table.table_id for table in instance.list_tables())
    expect("tables", names, ["events", "other"])
    instance.table("other").delete()
    samples = [sample.row_key for sample in table.sample_row_keys()]
    expect("samples", samples, [b"r020", b"r040", b""])
    return table


def write(table):
    rows = []
    for number in range(ROWS):
        row = table.direct_row(f"r{number:03}")
        row.set_cell("f", "a", b"old", timestamp=at(1))
        row.set_cell("f", "a", str(number), timestamp=at(2))
        row.set_cell("f", "long", LONG, timestamp=at(1))
        row.set_cell("h", "even", b"yes" if number % 2 == 0 else b"no", timestamp=at(1))
        rows.append(row)
    expect("codes", {status.code for status in table.mutate_rows(rows)}, {0})

    bad = table.direct_row("bad")
    bad.set_cell("absent", "q", b"v")
    codes = [status.code for status in table.mutate_rows([bad])]
    expect("unknown family", codes, [5])

    row = table.direct_row("r000")
    row.delete_cell("f", "long")
    row.commit()


def read(table):
    expect(
        "row 0",
        cells(table.read_row(b"r000")),
        [("f", "a", 2, b"0"), ("f", "a", 1, b"old"), ("h", "even", 1, b"yes")],
    )
    expect("no such row", table.read_row(b"absent"), None)
    rows = list(table.read_rows())
    expect("keys", [row.row_key for row in rows], [b"r%03d" % n for n in range(ROWS)])
    expect("long values", {row.cell_value("f", b"long") for row in rows[1:]}, {LONG})

    rows = table.read_rows(start_key=b"r010", end_key=b"r020", limit=3)
    expect("range", [row.row_key for row in rows], [b"r010", b"r011", b"r012"])
    rows = RowSet()
    rows.add_row_key(b"r050")
    rows.add_row_range_from_keys(b"r003", b"r005", end_inclusive=True)
    keys = [row.row_key for row in table.read_rows(row_set=rows)]
    expect("row set", keys, [b"r003", b"r004", b"r005", b"r050"])


def filtered(table, filter_):
    return cells(table.read_row(b"r004", filter_))


def read_filtered(table):
    newest = ("f", "a", 2, b"4")
    old = ("f", "a", 1, b"old")
    long = ("f", "long", 1, LONG)
    even = ("h", "even", 1, b"yes")
    times = rf.TimestampRange(start=at(2), end=at(3))
    labelled = rf.RowFilterChain([rf.FamilyNameRegexFilter("h"), rf.ApplyLabelFilter("seen")])
    for what, filter_, wanted in [
        ("cells per column", rf.CellsColumnLimitFilter(1), [newest, long, even]),
        ("cells per row", rf.CellsRowLimitFilter(2), [newest, old]),
        ("row offset", rf.CellsRowOffsetFilter(3), [even]),
        ("family", rf.FamilyNameRegexFilter("h"), [even]),
        ("qualifier", rf.ColumnQualifierRegexFilter("a|even"), [newest, old, even]),
        ("columns", rf.ColumnRangeFilter("f", b"a", b"b"), [newest, old]),
        ("times", rf.TimestampRangeFilter(times), [newest]),
        ("value", rf.ValueRegexFilter(b"ol."), [old]),
        ("values", rf.ValueRangeFilter(b"o", b"p"), [old]),
        ("strip", rf.RowFilterChain([rf.ValueRegexFilter(b"old"), rf.StripValueTransformerFilter(True)]), [old[:3] + (b"",)]),
        ("chain", rf.RowFilterChain([rf.FamilyNameRegexFilter("f"), rf.CellsRowLimitFilter(1)]), [newest]),
        ("interleave", rf.RowFilterUnion([rf.ValueRegexFilter(b"old"), rf.FamilyNameRegexFilter("h")]), [old, even]),
        ("condition", rf.ConditionalRowFilter(rf.ValueRegexFilter(b"yes"), rf.ValueRegexFilter(b"old"), rf.PassAllFilter(True)), [old]),
        ("nothing", rf.BlockAllFilter(True), []),
    ]:
        expect(what, filtered(table, filter_), wanted)
    row = table.read_row(b"r004", labelled)
    expect("label", row.cells["h"][b"even"][0].labels, ["seen"])
    odd = rf.RowFilterChain([rf.FamilyNameRegexFilter("h"), rf.ValueRegexFilter(b"no")])
    keys = [row.row_key for row in table.read_rows(filter_=odd)]
    expect("rows with odd numbers", keys, [b"r%03d" % n for n in range(1, ROWS, 2)])
    refused(
        "a chain of one",
        exceptions.InvalidArgument,
        lambda: filtered(table, rf.RowFilterChain([rf.PassAllFilter(True)])),
    )


def write_conditionally(table):
    row = table.conditional_row("r001", filter_=rf.ValueRegexFilter(b"no"))
    row.set_cell("h", "was", b"odd", timestamp=at(1), state=True)
    row.set_cell("h", "was", b"even", timestamp=at(1), state=False)
    expect("matched", row.commit(), True)
    found = table.read_row(b"r001", rf.ColumnQualifierRegexFilter("was"))
    expect("branch", cells(found), [("h", "was", 1, b"odd")])

    row = table.append_row("counter")
    row.append_cell_value("f", "text", b"ab")
    row.increment_cell_value("f", "number", 40)
    row.commit()
    row = table.append_row("counter")
    row.append_cell_value("f", "text", b"c")
    row.increment_cell_value("f", "number", 2)
    new = row.commit()["f"]
    expect("appended", new[b"text"][0][0], b"abc")
    expect("incremented", struct.unpack(">q", new[b"number"][0][0]), (42,))


def drop(table):
    table.drop_by_prefix(b"r00")
    expect("left", sum(1 for _ in table.read_rows()), ROWS - 10 + 1)
    table.truncate()
    expect("left after truncation", list(table.read_rows()), [])
    table.delete()
    expect("exists at last", table.exists(), False)


def main():
    client = bigtable.Client(project="p", admin=True)
    instance = client.instance(f"python-{os.getpid()}")
    table = administer(instance)
    write(table)
    read(table)
    read_filtered(table)
    write_conditionally(table)
    drop(table)
    print("python: every call did what it should")


main()
