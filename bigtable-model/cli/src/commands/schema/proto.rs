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
            let names = several.iter().map(|(model, _)| &*model.schema().model);
            let names: Vec<_> = names.collect();
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
    let bundle = |message: Message<'a>| {
        let bundle = SchemaBundle {
            id: message.0.schema().bundle_id(),
            descriptors: descriptors(&[message])?.into(),
        };
        Ok((message.0, bundle))
    };
    let found = with_protos(models, chosen)?;
    found.into_iter().map(bundle).collect()
}

/// The files of models as descriptors, with those that they import.
fn descriptors(messages: &[Message<'_>]) -> Result<Vec<u8>, Failure> {
    let of = |(model, proto): &Message<'_>| (file_name(model), (*proto).to_owned());
    let files: Vec<_> = messages.iter().map(of).collect();
    let mut resolvers = protox::file::ChainFileResolver::new();
    resolvers.add(Files(files.clone()));
    resolvers.add(protox::file::GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolvers);
    // Bigtable needs everything that the messages import.
    compiler.include_imports(true);
    for (file, _) in &files {
        compiler.open_file(file).map_err(|error| {
            Failure::new(format_args!(
                "the messages of {file} are not those of protocol buffers: {}",
                in_words(&error)
            ))
        })?;
    }
    Ok(compiler.file_descriptor_set().encode_to_vec())
}

fn file_name(model: &AnyModel) -> String {
    format!("{}.proto", model.schema().bundle_id())
}

/// A model, and the `.proto` of its events.
type Message<'a> = (&'a AnyModel, &'a str);

/// The chosen models that have messages; an error if none of them has.
fn with_protos<'a>(
    models: &'a Models,
    chosen: &[&'a AnyModel],
) -> Result<Vec<Message<'a>>, Failure> {
    let found = chosen
        .iter()
        .filter_map(|model| Some((*model, models.proto(model)?)));
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
