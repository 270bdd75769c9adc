//! The floors of each crate's folders, from the ground up. Modules of one floor do not import one
//! another.

/// The floors of one folder.
pub(crate) struct Folder {
    /// Its module, such as `query::run`; empty for the crate's root.
    pub(crate) path: &'static str,
    floors: &'static [&'static [&'static str]],
}

impl Folder {
    /// The floor of a module, counted from the ground.
    pub(crate) fn floor(&self, module: &str) -> Option<usize> {
        self.floors.iter().position(|floor| floor.contains(&module))
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = &'static str> {
        self.floors.iter().copied().flatten().copied()
    }
}

pub(crate) fn of(name: &str) -> &'static [Folder] {
    match name {
        "bigtable_backend" => BACKEND,
        "bigtable_derive" => DERIVE,
        "bigtable_model" => MODEL,
        _ => panic!("{name} has no floors"),
    }
}

const BACKEND: &[Folder] = &[Folder {
    path: "",
    floors: &[
        &["file", "method", "row_order", "status", "time", "turns"],
        &["fields", "labels", "missing", "setting"],
        &["data", "error", "sql"],
        &["read", "tables"],
        &["backend"],
        &["memory", "grpc", "statement", "wrap"],
        &["connect", "testing", "server"],
    ],
}];

const DERIVE: &[Folder] = &[Folder {
    path: "",
    floors: &[&["errors"], &["syntax"], &["model"], &["check"], &["emit"]],
}];

const MODEL: &[Folder] = &[
    Folder {
        path: "",
        floors: &[
            &["key", "re2", "table", "value"],
            &["error"],
            &["model", "series"],
            &["condition"],
            &["send"],
            &["lock", "schema", "query"],
            &["mirror", "rollup"],
            &["copy", "former", "ops"],
            &["dynamic", "guide", "private", "testing"],
        ],
    },
    Folder {
        path: "query",
        floors: &[
            &["ask"],
            &["plan"],
            &["run"],
            &["series", "split"],
            &["newest", "partition"],
            &["before"],
            &["explain", "sql"],
            &["page", "delete", "terminals"],
        ],
    },
    Folder {
        path: "key",
        floors: &[
            &["borrow", "error"],
            &["refuse"],
            &["encoding"],
            &["salt", "time", "value"],
            &["format", "options"],
            &["types"],
            &["layout"],
            &["structured"],
            &["codec"],
            &["storable"],
        ],
    },
];
