//! The words of `#[bigtable(...)]`.

use crate::errors::Errors;

pub(crate) const ADDED: &str = "added";
pub(crate) const AGGREGATE: &str = "aggregate";
pub(crate) const AFTER: &str = "after";
pub(crate) const ALIAS: &str = "alias";
pub(crate) const ALL: &str = "all";
pub(crate) const ALLOW: &str = "allow";
pub(crate) const ANY: &str = "any";
pub(crate) const APPEND: &str = "append";
pub(crate) const APPEND_ONLY: &str = "append_only";
pub(crate) const BINARY: &str = "binary";
pub(crate) const BUCKET: &str = "bucket";
pub(crate) const BY: &str = "by";
pub(crate) const CELL_TIME: &str = "cell_time";
pub(crate) const COLUMN: &str = "column";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const COUNT: &str = "count";
pub(crate) const COUNTER: &str = "counter";
pub(crate) const CRATE: &str = "crate";
pub(crate) const DEFAULT: &str = "default";
pub(crate) const ENCLOSED: &str = "enclosed";
pub(crate) const ENCODING: &str = "encoding";
pub(crate) const ESCAPE: &str = "escape";
pub(crate) const EVER_GROWING: &str = "ever_growing";
pub(crate) const EVERY: &str = "every";
pub(crate) const EXPECT: &str = "expect";
pub(crate) const FAMILY: &str = "family";
pub(crate) const FIRST: &str = "first";
pub(crate) const FORMAT: &str = "format";
pub(crate) const GC: &str = "gc";
pub(crate) const HASH: &str = "hash";
pub(crate) const HOT: &str = "hot";
pub(crate) const JSON: &str = "json";
pub(crate) const KEY: &str = "key";
pub(crate) const LABEL: &str = "label";
pub(crate) const LAST: &str = "last";
pub(crate) const LAYOUT: &str = "layout";
pub(crate) const LONGER: &str = "longer";
pub(crate) const MARKER: &str = "marker";
pub(crate) const MAX: &str = "max";
pub(crate) const MAX_AGE: &str = "max_age";
pub(crate) const MAX_VERSIONS: &str = "max_versions";
pub(crate) const MEAN: &str = "mean";
pub(crate) const MIN: &str = "min";
pub(crate) const MIRROR: &str = "mirror";
pub(crate) const ROLLUP: &str = "rollup";
pub(crate) const MODEL: &str = "model";
pub(crate) const NAME: &str = "name";
pub(crate) const OF: &str = "of";
pub(crate) const OFFSET: &str = "offset";
pub(crate) const ORIGIN: &str = "origin";
pub(crate) const PACK: &str = "pack";
pub(crate) const PAD: &str = "pad";
pub(crate) const POSTCARD: &str = "postcard";
pub(crate) const PREFIX: &str = "prefix";
pub(crate) const PRESENCE: &str = "presence";
pub(crate) const PROTO: &str = "proto";
pub(crate) const REVERSE: &str = "reverse";
pub(crate) const SALT: &str = "salt";
pub(crate) const SENSITIVE: &str = "sensitive";
pub(crate) const SEPARATOR: &str = "separator";
pub(crate) const SERIALIZE: &str = "serialize";
pub(crate) const SHARDS: &str = "shards";
pub(crate) const SIZE: &str = "size";
pub(crate) const SKIP: &str = "skip";
pub(crate) const SUM: &str = "sum";
pub(crate) const TABLE: &str = "table";
pub(crate) const TAG: &str = "tag";
pub(crate) const TEXT: &str = "text";
pub(crate) const TIE_BREAKER: &str = "tie_breaker";
pub(crate) const TIME: &str = "time";
pub(crate) const TRUNCATE: &str = "truncate";
pub(crate) const UNIT: &str = "unit";
pub(crate) const VERSION: &str = "version";
pub(crate) const WAS: &str = "was";
pub(crate) const WIDTH: &str = "width";
pub(crate) const WITH: &str = "with";
pub(crate) const ZONE: &str = "zone";

/// Words of `#[bigtable(...)]` on a model.
pub(crate) const ON_MODEL: &[&str] = &[
    TABLE,
    FAMILY,
    PREFIX,
    SEPARATOR,
    ENCLOSED,
    ENCODING,
    LAYOUT,
    SALT,
    SERIALIZE,
    MARKER,
    CELL_TIME,
    APPEND_ONLY,
    MIRROR,
    ROLLUP,
    WAS,
    EXPECT,
    GC,
    PACK,
    ALLOW,
    CRATE,
];

/// Words on a field of a model.
pub(crate) const ON_FIELD: &[&str] = &[
    KEY,
    TIME,
    TIE_BREAKER,
    COLUMN,
    ALIAS,
    TAG,
    COLUMNS,
    FAMILY,
    TEXT,
    JSON,
    WITH,
    COUNTER,
    APPEND,
    AGGREGATE,
    VERSION,
    DEFAULT,
    PRESENCE,
    SENSITIVE,
    SKIP,
    WIDTH,
    PAD,
    BINARY,
    ESCAPE,
    UNIT,
    FORMAT,
    REVERSE,
    TRUNCATE,
    BUCKET,
    LABEL,
    ORIGIN,
    ZONE,
    OFFSET,
    SALT,
    EVER_GROWING,
];

/// Words inside `salt(...)`.
pub(crate) const IN_SALT: &[&str] = &[SHARDS, FIRST, OF, HASH, HOT];

/// Words inside `serialize(...)`; a path is a codec.
pub(crate) const IN_SERIALIZE: &[&str] = &[JSON, PROTO, POSTCARD, COLUMN];

/// Words inside `expect(...)`.
pub(crate) const IN_EXPECT: &[&str] = &[EVERY, SIZE];

/// Words inside `pack(...)`.
pub(crate) const IN_PACK: &[&str] = &[AFTER];

/// Words inside `gc(...)`.
pub(crate) const IN_GC: &[&str] = &[FAMILY, MAX_VERSIONS, MAX_AGE, ANY, ALL];

/// Words inside `any(...)` and `all(...)`.
pub(crate) const IN_RULES: &[&str] = &[MAX_VERSIONS, MAX_AGE, ANY, ALL];

/// Words on a projection.
pub(crate) const ON_PROJECTION: &[&str] = &[MODEL, CRATE];

/// Words on a field of a projection.
pub(crate) const ON_PROJECTED: &[&str] = &[OF, COLUMN];

/// Words of `#[rollup(...)]` on a roll-up.
pub(crate) const ON_ROLLUP: &[&str] = &[OF, EVERY, ZONE, LONGER, ADDED, CRATE];

/// Words inside `longer(...)`.
pub(crate) const IN_LONGER: &[&str] = &[EVERY, ZONE, TABLE];

/// Words of `#[rollup(...)]` on a column: what it holds of the events.
pub(crate) const AGGREGATES: &[&str] = &[COUNT, SUM, MIN, MAX, MEAN, FIRST, LAST, WITH];

/// Words on a key segment's type.
pub(crate) const ON_SEGMENT: &[&str] = &[CRATE];

/// Words on a variant of a key segment's enum.
pub(crate) const ON_VARIANT: &[&str] = &[NAME];

/// Words inside `allow(...)`: refusals where judgement may differ.
pub(crate) const ALLOWABLE: &[&str] = &[
    TIME_FIRST,
    ENDLESS_ROWS,
    WIDE_ROWS,
    LARGE_CELLS,
    LONG_QUALIFIERS,
    DROPPED_EVENTS,
    KEPT_FOREVER,
];

/// Allows a key that begins with the time.
pub(crate) const TIME_FIRST: &str = "time_first";

/// Allows all events of a series in one row.
pub(crate) const ENDLESS_ROWS: &str = "endless_rows";

/// Allows rows over 100 MB.
pub(crate) const WIDE_ROWS: &str = "wide_rows";

/// Allows cells over 10 MB.
pub(crate) const LARGE_CELLS: &str = "large_cells";

/// Allows qualifiers over 64 bytes.
pub(crate) const LONG_QUALIFIERS: &str = "long_qualifiers";

/// Allows a garbage-collection rule that deletes events of a bucket by their number.
pub(crate) const DROPPED_EVENTS: &str = "dropped_events";

/// Allows events in cells that no garbage-collection rule ever deletes.
pub(crate) const KEPT_FOREVER: &str = "kept_forever";

/// Whether the value of a word is a path.
pub(crate) fn takes_path(word: &syn::Ident) -> bool {
    [BY, CRATE, DEFAULT, HASH, MODEL, OF, WITH]
        .iter()
        .any(|one| word == one)
}

/// Reports a word that does not belong here. Returns the nearest one that does, if any is near:
/// reading the item as that word keeps the mistake from causing others.
pub(crate) fn unknown(
    path: &syn::Path,
    known: &[&'static str],
    errors: &mut Errors,
) -> Option<&'static str> {
    let segments = path.segments.iter();
    let word: Vec<_> = segments.map(|segment| segment.ident.to_string()).collect();
    let word = word.join("::");
    let nearest = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&word, known), *known))
        .min()
        .filter(|(distance, known)| *distance <= 1 + known.len() / 3)
        .map(|(_, known)| known);
    let list = list(known);
    let rest = match nearest {
        Some(nearest) => format!(", did you mean `{nearest}`? known here: {list}"),
        None if known.is_empty() => ": none stands here".to_owned(),
        None => format!(", known here: {list}"),
    };
    errors.at(path, format!("unknown word `{word}`{rest}"));
    nearest
}

/// The words as a list, in backquotes.
pub(crate) fn list(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
