//! `field_mapping`: the fields that the words of a request mean, in the index that the request is
//! about.

use std::sync::Arc;

use contracts::tools::ToolEnvelope;
use contracts::tools::meanings::{FieldMapping, FieldMappingArguments};
use contracts::tools::search::{IndexDescription, SourceDescription};
use entities::fields::{choose_index, map};
use futures::future::join_all;
use service_kit::identity::Identity;

use super::{SearchTools, unanswered};
use crate::error::Error;

pub(super) async fn run(
    tools: &SearchTools,
    caller: &Identity,
    arguments: FieldMappingArguments,
) -> Result<ToolEnvelope<FieldMapping>, Error> {
    let tenant = &caller.tenant;
    let described = described(tools, tenant, &arguments).await?;
    let indices = described.iter().flat_map(|source| &source.indices);
    let indices: Vec<IndexDescription> = indices.cloned().collect();
    let Some(place) = choose_index(&arguments, &indices) else {
        return Err(no_index(&arguments, &indices));
    };
    let index = &indices[place];
    // The indices of the sources are one behind the other.
    let mut before = 0;
    let source = described.iter().find(|source| {
        before += source.indices.len();
        place < before
    });
    let source = source.map_or("", |source| source.name.as_str());
    let mapping = map(
        source,
        index,
        &arguments,
        &tools.settings.field_thresholds(),
    );
    Ok(ToolEnvelope::ok(mapping))
}

/// The sources that can be meant, as far as they answer: those that know the things that the
/// request names first. When none does, why.
async fn described(
    tools: &SearchTools,
    tenant: &str,
    arguments: &FieldMappingArguments,
) -> Result<Vec<Arc<SourceDescription>>, Error> {
    let wanted = arguments.source.as_deref();
    let mut sources = tools.sources(tenant, wanted)?;
    sources.retain(|source| {
        arguments
            .query_type
            .is_none_or(|kind| source.query_types().contains(&kind))
    });
    if sources.is_empty() {
        return Err(tools.no_source(tenant, wanted));
    }
    let knows = |name: &str| {
        arguments
            .entities
            .iter()
            .any(|entity| entity.source == name)
    };
    sources.sort_by_key(|source| !knows(source.name()));
    let described = join_all(sources.iter().map(|source| source.describe(tenant))).await;
    let (mut there, mut away) = (Vec::new(), None);
    for (source, described) in sources.iter().zip(described) {
        match described {
            Ok(description) => there.push(description),
            Err(error) => away = away.or_else(|| Some(unanswered(source.name(), &error))),
        }
    }
    match away {
        Some(away) if there.is_empty() => Err(away),
        _ => Ok(there),
    }
}

fn no_index(arguments: &FieldMappingArguments, indices: &[IndexDescription]) -> Error {
    let names: Vec<&str> = indices.iter().map(|index| index.name.as_str()).collect();
    Error::no_data(match &arguments.index {
        Some(wanted) => format!(
            "There is no index '{wanted}'. There is: {}.",
            names.join(", ")
        ),
        None => "The source has no index.".to_owned(),
    })
}
