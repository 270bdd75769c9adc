//! Messages of models whose events are stored as such.

use bigtable_model::data::SchemaBundle;
use bigtable_model::dynamic::AnyModel;
use protox::prost::Message as _;

use crate::failure::{Failure, in_words};
use crate::models::Models;

/// The `.proto` of one model.
pub(in crate::commands) fn proto(models: &Models, chosen: &[&AnyModel]) -> Result<String, Failure> {
    match with_protos(models, chosen)?.as_slice() {
        [(_, proto)] => Ok((*proto).to_owned()),
        several => {
            let names: Vec<_> = several.iter().map(|(name, _)| *name).collect();
            Err(Failure::new(format_args!(
                "a file has one model: name one of {}",
                names.join(", ")
            )))
        }
    }
}

/// The messages of models as a set of file descriptors, which Bigtable takes as a schema bundle.
pub(in crate::commands) fn bundle(
    models: &Models,
    chosen: &[&AnyModel],
) -> Result<Vec<u8>, Failure> {
    descriptors(&with_protos(models, chosen)?)
}

/// The schema bundle of each model whose events are messages, as SQL of its queries names it.
pub(super) fn bundles<'a>(
    models: &'a Models,
    chosen: &[&'a AnyModel],
) -> Result<Vec<(&'a AnyModel, SchemaBundle)>, Failure> {
    with_protos(models, chosen)?;
    let mut found = Vec::new();
    for model in chosen {
        if let Some(proto) = models.proto(model) {
            let schema = model.schema();
            let bundle = SchemaBundle {
                id: schema.bundle_id(),
                descriptors: descriptors(&[(&schema.model, proto)])?.into(),
            };
            found.push((*model, bundle));
        }
    }
    Ok(found)
}

/// The files of models as descriptors, with those that they import.
fn descriptors(protos: &[(&str, &str)]) -> Result<Vec<u8>, Failure> {
    let files = protos.iter().map(|(name, _)| file_name(name));
    let resolver = Files(
        protos
            .iter()
            .map(|(name, proto)| (file_name(name), (*proto).to_owned()))
            .collect(),
    );
    let mut resolvers = protox::file::ChainFileResolver::new();
    resolvers.add(resolver);
    resolvers.add(protox::file::GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolvers);
    // Bigtable needs everything that the messages import.
    compiler.include_imports(true);
    for file in files {
        compiler.open_file(&file).map_err(|error| {
            Failure::new(format_args!(
                "the messages of {file} are not those of protocol buffers: {}",
                in_words(&error)
            ))
        })?;
    }
    Ok(compiler.file_descriptor_set().encode_to_vec())
}

fn file_name(model: &str) -> String {
    format!("{}.proto", model.to_lowercase())
}

/// The chosen models that have messages; an error if none of them has.
fn with_protos<'a>(
    models: &'a Models,
    chosen: &[&'a AnyModel],
) -> Result<Vec<(&'a str, &'a str)>, Failure> {
    let found = chosen.iter().filter_map(|model| {
        let proto = models.proto(model)?;
        Some((&*model.schema().model, proto))
    });
    let found: Vec<_> = found.collect();
    match (found.as_slice(), chosen) {
        ([], [model]) => Err(Failure::new(format_args!(
            "the events of {} are no messages: `serialize(proto)` on its struct makes them so",
            model.schema().model
        ))),
        ([], _) => Err(Failure::new(
            "no model's events are messages: `serialize(proto)` on a struct makes them so",
        )),
        _ => Ok(found),
    }
}

/// Files by their names.
struct Files(Vec<(String, String)>);

impl protox::file::FileResolver for Files {
    fn open_file(&self, name: &str) -> Result<protox::file::File, protox::Error> {
        let mut files = self.0.iter();
        match files.find(|(file, _)| file == name) {
            Some((_, source)) => protox::file::File::from_source(name, source),
            None => Err(protox::Error::file_not_found(name)),
        }
    }
}
