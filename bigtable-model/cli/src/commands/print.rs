//! Tables of models in the forms of other tools.

use std::fmt::Write as _;

use bigtable_model::data::{AggregateKind, FamilySchema, GcRule};
use bigtable_model::dynamic::AnyModel;
use bigtable_model::schema::{Layout, WantedTable};
use bytes::Bytes;
use serde_json::{Value as Json, json};

use super::schema::{self, proto};
use crate::args::{Form, Print};
use crate::failure::Failure;
use crate::models::Models;
use crate::text;

pub(super) fn run(models: &Models, options: &Print) -> Result<(), Failure> {
    let chosen = models.named(&options.models)?;
    let text = match options.form {
        Form::Terraform => terraform(&schema::wanted(chosen)?),
        Form::Gcloud => gcloud(&schema::wanted(chosen)?)?,
        Form::Cbt => cbt(&schema::wanted(chosen)?)?,
        Form::CbtFormat => cbt_format(&chosen)?,
        Form::Proto => proto::proto(models, &chosen)?,
        Form::Bundle => return crate::output::print_bytes(&proto::bundle(models, &chosen)?),
    };
    crate::output::print(&text)
}

/// The families of a table.
fn families(table: &WantedTable) -> impl Iterator<Item = (&String, &FamilySchema)> {
    table.schema.families.iter()
}

/// Resources of the provider `google`.
fn terraform(tables: &[WantedTable]) -> String {
    let mut out = String::from(
        "variable \"bigtable_instance\" {\n  type        = string\n  description = \"The name of the Bigtable instance\"\n}\n",
    );
    for table in tables {
        let name = &table.schema.table;
        let id = identifier(name);
        out.push_str(&format!(
            "\nresource \"google_bigtable_table\" \"{id}\" {{\n  name          = {}\n  instance_name = var.bigtable_instance\n",
            quoted(name)
        ));
        let splits: Vec<String> = table
            .splits
            .iter()
            .map(|key| quoted(&text::of_bytes(key)))
            .collect();
        if !splits.is_empty() {
            out.push_str(&format!("  split_keys    = [{}]\n", splits.join(", ")));
        }
        for (family, schema) in families(table) {
            out.push_str(&format!(
                "\n  column_family {{\n    family = {}\n",
                quoted(family)
            ));
            if let Some(kind) = schema.aggregate {
                out.push_str(&format!("    type   = {}\n", quoted(aggregate(kind))));
            }
            out.push_str("  }\n");
        }
        out.push_str("\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n");
        for (family, schema) in families(table) {
            if let Some(rule) = &schema.gc_rule {
                out.push_str(&format!(
                    "\nresource \"google_bigtable_gc_policy\" \"{id}_{}\" {{\n  instance_name = var.bigtable_instance\n  table         = google_bigtable_table.{id}.name\n  column_family = {}\n  gc_rules = jsonencode({})\n}}\n",
                    identifier(family),
                    quoted(family),
                    in_hcl(&rules(rule))
                ));
            }
        }
    }
    out
}

/// A rule as the JSON of Terraform's `gc_rules`.
fn rules(rule: &GcRule) -> Json {
    let one = |rule: &GcRule| match rule {
        GcRule::MaxVersions(versions) => json!({"max_version": versions}),
        GcRule::MaxAge(age) => {
            json!({"max_age": age_of(*age, &[("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)])})
        }
        nested => rules(nested),
    };
    match rule {
        GcRule::Union(all) => {
            json!({"mode": "union", "rules": all.iter().map(one).collect::<Vec<_>>()})
        }
        GcRule::Intersection(all) => {
            json!({"mode": "intersection", "rules": all.iter().map(one).collect::<Vec<_>>()})
        }
        single => json!({"rules": [one(single)]}),
    }
}

/// JSON as an expression of Terraform.
fn in_hcl(json: &Json) -> String {
    match json {
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name} = {}", in_hcl(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Json::Array(values) => {
            let values: Vec<String> = values.iter().map(in_hcl).collect();
            format!("[{}]", values.join(", "))
        }
        Json::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A text in quotes, in which Terraform sees nothing to evaluate.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace("${", "$${").replace("%{", "%%{"))
}

/// A name of Terraform: `METRIC-HOUR` is `metric_hour`.
fn identifier(name: &str) -> String {
    let plain = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '_',
    };
    let name: String = name.chars().map(plain).collect();
    match name.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("t_{name}"),
        false => name,
    }
}

const fn aggregate(kind: AggregateKind) -> &'static str {
    match kind {
        AggregateKind::Min => "intmin",
        AggregateKind::Max => "intmax",
        // Other kinds would be new.
        _ => "intsum",
    }
}

/// A duration in its largest whole unit.
fn age_of(age: std::time::Duration, units: &[(&str, u128)]) -> String {
    let millis = age.as_millis();
    let unit = units.iter().find(|(_, unit)| millis.is_multiple_of(*unit));
    let (name, unit) = unit.copied().unwrap_or(("ms", 1));
    format!("{}{name}", millis / unit)
}

/// A rule as gcloud and cbt write it.
fn policy(rule: &GcRule, is_inner: bool) -> String {
    let joined = |all: &[GcRule], by: &str| {
        let all: Vec<String> = all.iter().map(|one| policy(one, true)).collect();
        match is_inner && all.len() > 1 {
            true => format!("({})", all.join(by)),
            false => all.join(by),
        }
    };
    match rule {
        GcRule::MaxVersions(versions) => format!("maxversions={versions}"),
        GcRule::MaxAge(age) => {
            let units = [
                ("d", 86_400_000),
                ("h", 3_600_000),
                ("m", 60_000),
                ("s", 1_000),
            ];
            format!("maxage={}", age_of(*age, &units))
        }
        GcRule::Union(all) => joined(all, "||"),
        GcRule::Intersection(all) => joined(all, "&&"),
    }
}

/// A word of a shell.
fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The keys where a table is split, which the tools separate by commas.
fn splits(table: &WantedTable) -> Result<Option<String>, Failure> {
    let key = |key: &Bytes| {
        let text = String::from_utf8(key.to_vec())
            .ok()
            .filter(|text| !text.contains(','));
        text.ok_or_else(|| {
            Failure::new(format_args!(
                "{} is split at keys that a command line cannot hold: `apply` creates it",
                table.schema.table
            ))
        })
    };
    let keys = table
        .splits
        .iter()
        .map(key)
        .collect::<Result<Vec<_>, _>>()?;
    Ok((!keys.is_empty()).then(|| keys.join(",")))
}

fn gcloud(tables: &[WantedTable]) -> Result<String, Failure> {
    let mut out = String::new();
    for table in tables {
        let name = &table.schema.table;
        if let Some((family, _)) = families(table).find(|(_, one)| one.aggregate.is_some()) {
            return Err(Failure::new(format_args!(
                "{name} has a family of aggregates, \"{family}\", which gcloud does not create: use `print cbt`"
            )));
        }
        let families = families(table).map(|(family, schema)| match &schema.gc_rule {
            Some(rule) => format!("{family}:{}", policy(rule, false)),
            None => family.clone(),
        });
        let families: Vec<String> = families.collect();
        out.push_str(&format!(
            "gcloud bigtable instances tables create {} --instance=\"$INSTANCE\" --column-families={}",
            word(name),
            word(&families.join(","))
        ));
        if let Some(keys) = splits(table)? {
            out.push_str(&format!(" --splits={}", word(&keys)));
        }
        out.push('\n');
    }
    Ok(out)
}

fn cbt(tables: &[WantedTable]) -> Result<String, Failure> {
    let mut out = String::new();
    for table in tables {
        let families = families(table).map(|(family, schema)| {
            let rule = schema.gc_rule.as_ref().map(|rule| policy(rule, false));
            match (rule, schema.aggregate) {
                (rule, Some(kind)) => {
                    let rule = rule.unwrap_or_else(|| "never".to_owned());
                    format!("{family}:{rule}:{}", aggregate(kind))
                }
                (Some(rule), None) => format!("{family}:{rule}"),
                (None, None) => family.clone(),
            }
        });
        let families = families.collect::<Vec<_>>().join(",");
        let name = word(&table.schema.table);
        out.push_str(&format!(
            "cbt createtable {name} {}",
            word(&format!("families={families}"))
        ));
        if let Some(keys) = splits(table)? {
            out.push_str(&format!(" {}", word(&format!("splits={keys}"))));
        }
        out.push('\n');
    }
    Ok(out)
}

/// The file with which `cbt read TABLE format-file=...` shows numbers as numbers.
fn cbt_format(models: &[&AnyModel]) -> Result<String, Failure> {
    let mut out = String::new();
    let mut families: std::collections::BTreeMap<&str, Vec<(String, &str, &str)>> =
        std::collections::BTreeMap::new();
    for model in models {
        let schema = model.schema();
        let columns = schema.columns.iter().zip(&model.described().columns);
        for (column, of) in columns {
            let Some((encoding, of)) = encoding(&of.form) else {
                continue;
            };
            let qualifier = match &schema.layout {
                // The name is not the whole qualifier, and the file knows no patterns.
                Layout::Columns { .. } | Layout::Qualifiers => String::new(),
                _ => column.qualifier.to_string(),
            };
            let of_family = families.entry(&column.family).or_default();
            let one = (qualifier, encoding, of);
            let mut same = of_family.iter().filter(|other| other.0 == one.0);
            if same.any(|other| *other != one) {
                return Err(Failure::new(format_args!(
                    "cbt has one format for {}:{} in all tables: name fewer models",
                    column.family, one.0
                )));
            }
            if !of_family.contains(&one) {
                of_family.push(one);
            }
        }
    }
    out.push_str("families:\n");
    for (family, columns) in families {
        writeln!(out, "  {family}:")?;
        for (_, encoding, of) in columns.iter().filter(|one| one.0.is_empty()) {
            writeln!(
                out,
                "    default_encoding: {encoding}\n    default_type: {of}"
            )?;
        }
        let mut named = columns.iter().filter(|one| !one.0.is_empty()).peekable();
        if named.peek().is_some() {
            writeln!(out, "    columns:")?;
        }
        for (qualifier, encoding, of) in named {
            writeln!(out, "      {}:", Json::String(qualifier.clone()))?;
            writeln!(out, "        encoding: {encoding}")?;
            if !of.is_empty() {
                writeln!(out, "        type: {of}")?;
            }
        }
    }
    Ok(out)
}

/// How cbt names a stored form that it shows better than as bytes.
fn encoding(form: &str) -> Option<(&'static str, &'static str)> {
    Some(match form {
        "int64" | "micros" => ("BigEndian", "int64"),
        "float64" => ("BigEndian", "float64"),
        "float32" => ("BigEndian", "float32"),
        "int64[]" => ("BigEndian", "int64"),
        "float64[]" => ("BigEndian", "float64"),
        "json" => ("JSON", ""),
        "uuid" => ("Hex", ""),
        _ => return None,
    })
}
