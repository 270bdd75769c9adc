//! The floors of each crate's folders, from the ground up. Modules of one floor do not import one
//! another, unless they are of one listed circle.

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
        "bigtable_load" => LOAD,
        "bigtable_pack" => PACK,
        "bigtable_model_cli" => CLI,
        _ => panic!("{name} has no floors"),
    }
}

/// The circles of files that a crate still has, each with all of its modules. They should become
/// fewer; crates that are not named have none.
pub(crate) fn circles(name: &str) -> &'static [&'static [&'static str]] {
    match name {
        "bigtable_model" => MODEL_CIRCLES,
        _ => &[],
    }
}

const MODEL_CIRCLES: &[&[&str]] = &[
    &["key::types::character", "key::types::text"],
    &[
        "mirror",
        "mirror::remove",
        "mirror::repair",
        "mirror::strays",
    ],
    &[
        "model::copies",
        "model::fields",
        "model::modify",
        "model::samples",
        "model::samples::payload",
        "model::samples::proto",
        "model::serialized",
        "model::serialized::message",
        "model::traits",
        "model::update",
    ],
    &[
        "model::schema",
        "model::schema::cells",
        "model::schema::former",
        "model::schema::handle",
        "model::schema::rolled",
    ],
    &["model::write::made", "model::write::many"],
    &[
        "query::page::range",
        "query::page::spans",
        "query::page::token",
    ],
    &["query::plan::planner", "query::plan::united"],
    &[
        "query::run::execute",
        "query::run::merge",
        "query::run::scan",
        "query::run::sources",
    ],
    &["query::series", "query::series::united"],
    &["rollup", "rollup::added", "rollup::row"],
    &[
        "send::added",
        "send::bulk",
        "send::bulk::make",
        "send::bulk::requests",
        "send::marks",
    ],
    &["table::diff", "table::error", "table::wanted"],
    &[
        "testing::laws",
        "testing::laws::keys",
        "testing::laws::queries",
    ],
    &["value::payload::postcard", "value::postcard"],
];

const LOAD: &[Folder] = &[
    Folder {
        path: "",
        floors: &[
            &["num", "table"],
            &["error", "node", "sizes"],
            &["rate"],
            &["writes"],
            &["batch"],
            &["load"],
            &["heat"],
            &["prices"],
            &["compare", "picture", "run"],
        ],
    },
    Folder {
        path: "heat",
        floors: &[
            &["grid", "keys"],
            &["sample", "tablets"],
            &["map"],
            &["recorder", "spots"],
            &["simulate", "terminal"],
        ],
    },
    Folder {
        path: "picture",
        floors: &[&["raster"]],
    },
];

const PACK: &[Folder] = &[Folder {
    path: "",
    floors: &[
        &["error"],
        &["bits"],
        &["by_pco", "presence"],
        &["integers"],
        &["floats", "texts"],
        &["block"],
    ],
}];

const CLI: &[Folder] = &[
    Folder {
        path: "",
        floors: &[
            &["chart", "failure", "signal", "verb"],
            &["backend", "text"],
            &["generate", "models", "output"],
            &["args"],
            &["fields"],
            &["commands"],
            &["main"],
        ],
    },
    Folder {
        path: "generate",
        floors: &[
            &["calendar", "names"],
            &["columns", "segments"],
            &["keys"],
            &["copies"],
            &["kind"],
            &["buckets"],
            &["source"],
        ],
    },
    Folder {
        path: "commands",
        floors: &[
            &["lock", "schema", "serve", "sql", "tables"],
            &["events", "presplit", "print"],
            &["event_file", "watch"],
            &["insert", "pack", "production", "transfer"],
            &["destroy"],
        ],
    },
    Folder {
        path: "commands::transfer",
        floors: &[&["rows", "writes"], &["lines"], &["import"]],
    },
];

const BACKEND: &[Folder] = &[
    Folder {
        path: "",
        floors: &[
            &["file", "status", "time"],
            &["fields"],
            &["data", "sql"],
            &["backend"],
            &["grpc", "memory", "wrap"],
            &["connect", "server", "testing"],
        ],
    },
    Folder {
        path: "data",
        floors: &[
            &[
                "filter",
                "limits",
                "mutation",
                "ordered_code",
                "row",
                "row_set",
            ],
            &["batch", "once", "request", "row_key"],
            &["entry_batch", "table"],
            &["entry_limits"],
        ],
    },
    Folder {
        path: "sql",
        floors: &[
            &["error", "time", "types"],
            &["columns", "value"],
            &["check", "plan", "row"],
            &["parameter", "read"],
            &["query"],
        ],
    },
    Folder {
        path: "memory",
        floors: &[
            &["check", "clock", "limits", "profile", "sink", "turns"],
            &["steps"],
            &["regex", "store"],
            &["apply", "filter", "snapshot"],
            &["emulator"],
            &["admin", "read", "write"],
            &["table"],
        ],
    },
    Folder {
        path: "memory::store",
        floors: &[
            &["revision", "tokens", "versions"],
            &["columns"],
            &["row"],
            &["content"],
            &["gc"],
        ],
    },
    Folder {
        path: "memory::filter",
        floors: &[
            &["sample", "span"],
            &["tree"],
            &["empty", "one_pass", "views"],
            &["apply", "compile"],
        ],
    },
    Folder {
        path: "memory::regex",
        floors: &[
            &["class"],
            &["tree"],
            &["parse", "render"],
            &["escape", "machine"],
        ],
    },
    Folder {
        path: "grpc",
        floors: &[
            &["protocol"],
            &["observe", "preflight", "settings"],
            &["raw", "retry"],
            &["channel"],
            &["calls", "server"],
            &["once"],
        ],
    },
    Folder {
        path: "grpc::protocol",
        floors: &[
            &["causes", "departure", "frame", "method", "names", "wire"],
            &["chunk", "convert", "routing", "sql", "status"],
            &["assemble", "call_error", "codec"],
            &["entries", "failure", "request"],
        ],
    },
    Folder {
        path: "grpc::settings",
        floors: &[
            &["checks", "limits", "token"],
            &["flow", "pool", "service", "timing"],
            &["options"],
        ],
    },
    Folder {
        path: "grpc::retry",
        floors: &[&["backoff", "deadline", "window"], &["operation"]],
    },
    Folder {
        path: "grpc::channel",
        floors: &[
            &["auth", "flow", "gathered", "headers", "in_flight", "roots"],
            &["dial", "endpoint"],
            &["pool", "trailers"],
            &["transport"],
            &["instance"],
        ],
    },
    Folder {
        path: "grpc::calls",
        floors: &[
            &["attempts", "bulk", "list", "remaining", "samples", "update"],
            &["query", "rows"],
        ],
    },
    Folder {
        path: "wrap",
        floors: &[
            &["batcher", "table_names", "wrapper"],
            &["expiry", "faults", "metered", "observed"],
        ],
    },
    Folder {
        path: "server",
        floors: &[
            &[
                "admin",
                "budget",
                "cuts",
                "instances",
                "options",
                "owned",
                "stats",
            ],
            &["bounded", "chunks", "folder"],
            &["read"],
            &["service"],
            &["raw"],
        ],
    },
    Folder {
        path: "testing",
        floors: &[&["expect"], &["report", "scratch"], &["cases", "emulator"]],
    },
];

const DERIVE: &[Folder] = &[Folder {
    path: "",
    floors: &[&["errors"], &["syntax"], &["model"], &["check"], &["emit"]],
}];

const MODEL: &[Folder] = &[
    Folder {
        path: "",
        floors: &[
            &["key", "re2", "table", "value"],
            &["aggregate", "error"],
            &["model", "series"],
            &["condition"],
            &["send"],
            &["lock", "schema", "query"],
            &["packed", "rollup"],
            &["mirror"],
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
            &["cost", "marked"],
            &["series", "split", "verbs"],
            &["newest", "partition"],
            &["before"],
            &["explain", "sql"],
            &["page", "delete", "terminals"],
            &["forget"],
        ],
    },
    Folder {
        path: "model",
        floors: &[
            &["blocks", "times"],
            &["schema"],
            &["describe", "layout"],
            &["packed", "table"],
            &["write"],
            &["field"],
            &["kind"],
            &[
                "copies",
                "fields",
                "modify",
                "samples",
                "serialized",
                "traits",
                "update",
            ],
            &["typed", "versions"],
            &["events"],
            &["sources"],
            &["any"],
        ],
    },
    Folder {
        path: "send",
        floors: &[
            &["by_table", "call", "expired", "limits", "places"],
            &["added", "bulk", "marks"],
            &["checked"],
            &["sources"],
            &["lookup", "row"],
            &["deletes", "inserts"],
            &["copies", "letters"],
        ],
    },
    Folder {
        path: "rollup",
        floors: &[
            &["check", "report", "row", "tier"],
            &["added", "column", "cover"],
            &["kept", "parts"],
            &["fill"],
            &["windows"],
            &["job", "marking"],
            &["recount"],
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
