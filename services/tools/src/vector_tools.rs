//! The tools over vectors: `embedding_tool` makes them of texts, `vectordb_tool` finds what is like
//! a text.
//!
//! Documents are searched in the library of `knowledge`; the fields of search sources are described
//! in sentences, whose vectors are kept.

mod fields;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contracts::problem::FieldError;
use contracts::tools::knowledge::{
    KnowledgeResults, KnowledgeSearchArguments, SearchMode, VectorService,
};
use contracts::tools::vectors::{
    EmbeddingArguments, EmbeddingPurpose, Embeddings, VectorCollection, VectorFilters, VectorMatch,
    VectorMatches, VectorSearchArguments, names,
};
use contracts::tools::{ToolDefinition, ToolEnvelope, analysis_definitions};
use knowledge::Library;
use llm::{Embedder, EmbeddingKind};
use search_sources::Sources;

use crate::error::Error;
use crate::toolbox::{Call, Family, json, read};
use fields::Fields;

/// No embedding takes longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest text, in characters.
const LONGEST: usize = 8_192;
/// Default number of results.
const TOP_K: u32 = 5;
const NO_MODEL: &str = "No embedding model is configured, so texts have no vectors. An operator chooses one in the tools service's section [embedding] \
     (EMBEDDING_PROVIDER, or EMBEDDING_MODEL_DIR for a local one).";

/// The tools over vectors.
pub struct VectorTools {
    embedder: Option<Arc<dyn Embedder>>,
    library: Library,
    fields: Fields,
}

impl VectorTools {
    /// Tools with this model, over these documents and the fields of these sources.
    pub fn new(embedder: Option<Arc<dyn Embedder>>, library: Library, sources: Sources) -> Self {
        Self {
            embedder,
            library,
            fields: Fields::new(sources),
        }
    }

    fn model(&self) -> Result<Model<'_>, Error> {
        let embedder = self.embedder.as_deref();
        embedder
            .map(Model)
            .ok_or_else(|| Error::impossible(NO_MODEL))
    }

    async fn embeddings(&self, arguments: EmbeddingArguments) -> Result<Embeddings, Error> {
        check(&arguments.texts)?;
        let model = self.model()?;
        let kind = match arguments.purpose {
            EmbeddingPurpose::Document => EmbeddingKind::Document,
            EmbeddingPurpose::Query => EmbeddingKind::Query,
        };
        let vectors = model.vectors(&arguments.texts, kind).await?;
        let dimensions = vectors.first().map_or(0, Vec::len);
        Ok(Embeddings {
            model: model.name(),
            dimensions: u32::try_from(dimensions).unwrap_or(u32::MAX),
            vectors,
        })
    }

    async fn search(
        &self,
        tenant: &str,
        arguments: VectorSearchArguments,
    ) -> Result<VectorMatches, Error> {
        check_filters(&arguments)?;
        let model = self.model()?;
        let top_k = arguments.top_k.unwrap_or(TOP_K);
        let matches = match arguments.collection {
            VectorCollection::Documents => {
                documents(
                    &self.library,
                    tenant,
                    &arguments.query,
                    arguments.filters,
                    top_k,
                )
                .await?
            }
            VectorCollection::Fields => {
                let (query, filters) = (arguments.query, arguments.filters);
                self.fields
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
        Ok(VectorMatches {
            collection: arguments.collection,
            model: model.name(),
            matches,
        })
    }
}

#[async_trait]
impl Family for VectorTools {
    fn definitions(&self) -> Vec<ToolDefinition> {
        let mut definitions = analysis_definitions();
        definitions.retain(|tool| {
            [names::EMBEDDING_TOOL, names::VECTORDB_TOOL].contains(&tool.name.as_str())
        });
        definitions
    }

    async fn call(&self, call: &Call<'_>) -> Result<Vec<u8>, Error> {
        match call.name {
            names::EMBEDDING_TOOL => json(&ToolEnvelope::ok(
                self.embeddings(read(&call.arguments)?).await?,
            )),
            names::VECTORDB_TOOL => {
                let matches = self
                    .search(&call.caller.tenant, read(&call.arguments)?)
                    .await?;
                json(&ToolEnvelope::ok(matches))
            }
            _ => Err(Error::UnknownTool(Vec::new())),
        }
    }
}

/// An embedding model whose failures are reported.
#[derive(Clone, Copy)]
struct Model<'a>(&'a dyn Embedder);

impl Model<'_> {
    fn name(self) -> String {
        self.0.id().to_string()
    }

    async fn vectors(self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        match tokio::time::timeout(PATIENCE, self.0.embed(texts, kind)).await {
            Ok(Ok(vectors)) if vectors.len() == texts.len() => Ok(vectors),
            Ok(Ok(_)) => Err(Error::impossible(
                "The embedding model did not answer for every text.",
            )),
            Ok(Err(error)) => {
                tracing::warn!(error = %service_kit::problem::chain(&error), "no embeddings");
                Err(Error::impossible(format!(
                    "The embedding model {} cannot be used at the moment.",
                    self.name()
                )))
            }
            Err(_) => Err(Error::impossible(format!(
                "The embedding model {} takes too long.",
                self.name()
            ))),
        }
    }
}

fn check(texts: &[String]) -> Result<(), Error> {
    let faults = texts.iter().enumerate().filter_map(|(place, text)| {
        let detail = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if text.chars().count() > LONGEST {
            format!("has more than {LONGEST} characters")
        } else {
            return None;
        };
        Some(FieldError {
            pointer: format!("/texts/{place}"),
            detail,
        })
    });
    let faults: Vec<FieldError> = faults.collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(faults))
    }
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
    tenant: &str,
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
    let found: KnowledgeResults = library.search(tenant, &query).await?;
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
