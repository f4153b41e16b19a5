//! `vectordb_tool`: the passages or fields that are like a text.

use contracts::tools::ToolEnvelope;
use contracts::tools::knowledge::{
    KnowledgeResults, KnowledgeSearchArguments, SearchMode, VectorService,
};
use contracts::tools::vectors::{
    VectorCollection, VectorFilters, VectorMatch, VectorMatches, VectorSearchArguments,
};
use knowledge::{Library, Reader};
use service_kit::identity::Identity;

use super::VectorTools;
use crate::error::Error;
use crate::knowledge_tools;
use crate::metrics::read_rows;

/// Number of results where the call names none.
const TOP_K: u32 = 5;

pub(super) async fn run(
    tools: &VectorTools,
    caller: &Identity,
    arguments: VectorSearchArguments,
) -> Result<ToolEnvelope<VectorMatches>, Error> {
    check_filters(&arguments)?;
    let tenant = &caller.tenant;
    let model = tools.model()?;
    let top_k = arguments.top_k.unwrap_or(TOP_K);
    let matches = match arguments.collection {
        VectorCollection::Documents => {
            let (query, filters) = (&arguments.query, arguments.filters);
            let reader = knowledge_tools::reader(caller);
            documents(&tools.library, &reader, query, filters, top_k).await?
        }
        VectorCollection::Fields => {
            let (query, filters) = (arguments.query, arguments.filters);
            let fields = &tools.fields;
            fields
                .nearest(model, tenant, query, &filters, top_k)
                .await?
        }
    };
    if matches.is_empty() {
        return Err(Error::no_data(match arguments.collection {
            VectorCollection::Documents => "No document says anything like it.",
            VectorCollection::Fields => "There are no fields to search in.",
        }));
    }
    read_rows(matches.len());
    Ok(ToolEnvelope::ok(VectorMatches {
        collection: arguments.collection,
        model: model.name(),
        matches,
    }))
}

/// Filters of the other collection would leave nothing out.
fn check_filters(arguments: &VectorSearchArguments) -> Result<(), Error> {
    let filters = &arguments.filters;
    let of_documents = [
        ("collections", !filters.collections.is_empty()),
        ("filenames", !filters.filenames.is_empty()),
    ];
    let of_fields = [
        ("source", filters.source.is_some()),
        ("index", filters.index.is_some()),
    ];
    let wrong = match arguments.collection {
        VectorCollection::Documents => of_fields,
        VectorCollection::Fields => of_documents,
    };
    match wrong.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Error::invalid(
            &format!("/filters/{name}"),
            "is not a filter of this collection",
        )),
        None if arguments.query.trim().is_empty() => Err(Error::invalid("/query", "is empty")),
        None => Ok(()),
    }
}

async fn documents(
    library: &Library,
    reader: &Reader,
    query: &str,
    filters: VectorFilters,
    top_k: u32,
) -> Result<Vec<VectorMatch>, Error> {
    let query = KnowledgeSearchArguments {
        query: query.to_owned(),
        top_k: Some(top_k),
        collections: filters.collections,
        filenames: filters.filenames,
        min_score: None,
        mode: SearchMode::Vector,
    };
    let found: KnowledgeResults = library.search(reader, &query).await?;
    // The library falls back on words, which this tool does not promise.
    if found.vectors == VectorService::None && !found.results.is_empty() {
        return Err(Error::impossible(
            "The embedding model cannot be used at the moment.",
        ));
    }
    let matches = found.results.into_iter().map(|passage| VectorMatch {
        id: format!("{}#{}", passage.filename, passage.chunk_index),
        score: passage.score,
        text: passage.content,
        source: passage.filename,
        index: None,
        field: None,
    });
    Ok(matches.collect())
}
