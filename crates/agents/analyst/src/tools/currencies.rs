//! Amounts of several currencies: a sum of them means nothing, so it is made for each currency, or
//! not at all.

use contracts::tools::search::{
    FieldDescription, FieldType, Filter, FilterOp, Grouping, IndexDescription, MeasureOp,
    QueryStructure, SourceDescription,
};

use crate::words;

/// Words of fields that hold amounts of money.
const MONEY: &[&str] = &[
    "price", "fee", "amount", "cost", "total", "value", "salary", "revenue", "charge", "rent",
    "balance", "payment", "deposit", "wage", "fare", "turnover", "subtotal", "tax", "discount",
];

/// The query with a group for each currency, and the sentence about it; the reason where the
/// currency is not known.
pub(super) fn apart(
    structure: &mut QueryStructure,
    index: &IndexDescription,
    source: &SourceDescription,
) -> Result<Option<String>, String> {
    let Some(amount) = added(structure, index) else {
        return Ok(None);
    };
    let Some(currency) = currency_of(amount, index) else {
        return match parent(index, source) {
            Some(parent) => Err(format!(
                "The currency of {} is known of each {} only, and amounts of different currencies cannot be added. Ask for the records.",
                words::label(&amount.name),
                words::label(&parent.name)
            )),
            None => Ok(None),
        };
    };
    let grouped = structure
        .group_by
        .iter()
        .any(|group| group.field == currency.name);
    let one = |filter: &Filter| {
        filter.field == currency.name && filter.op == FilterOp::Is && filter.values.len() == 1
    };
    if grouped || structure.filters.iter().any(one) {
        return Ok(None);
    }
    structure.group_by.push(Grouping {
        field: currency.name.clone(),
        interval: None,
    });
    Ok(Some(format!(
        "Amounts of different currencies are not added: the figures are by {}.",
        words::label(&currency.name)
    )))
}

/// The first amount of money without a unit that the query computes with.
fn added<'i>(
    structure: &QueryStructure,
    index: &'i IndexDescription,
) -> Option<&'i FieldDescription> {
    structure.measures.iter().find_map(|measure| {
        let computed = !matches!(measure.op, MeasureOp::Count | MeasureOp::Distinct);
        let name = measure.field.as_ref().filter(|_| computed)?;
        let mut fields = index.fields.iter();
        fields.find(|field| field.name == *name && is_money(field))
    })
}

fn is_money(field: &FieldDescription) -> bool {
    let has = |words: &str| {
        let mut parts = words.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| MONEY.contains(&part.to_lowercase().as_str()))
    };
    field.field_type.is_number() && field.unit.is_none() && has(&field.name)
}

/// The field with the currency of an amount: the one with its own name before, otherwise the only
/// one.
fn currency_of<'i>(
    amount: &FieldDescription,
    index: &'i IndexDescription,
) -> Option<&'i FieldDescription> {
    let all: Vec<&FieldDescription> = index.fields.iter().filter(|it| is_currency(it)).collect();
    let own = amount.name.split('_').next().unwrap_or_default();
    let of_it = all
        .iter()
        .find(|it| it.name.starts_with(own) && it.name != "currency");
    of_it.copied().or(match all.as_slice() {
        [only] => Some(only),
        several => several.iter().find(|it| it.name == "currency").copied(),
    })
}

fn is_currency(field: &FieldDescription) -> bool {
    let name = field.name.to_lowercase();
    matches!(field.field_type, FieldType::Keyword | FieldType::Text)
        && (name == "currency" || name.ends_with("_currency") || name == "currency_code")
}

/// Other records, with a currency, that each record of an index belongs to.
fn parent<'s>(
    index: &IndexDescription,
    source: &'s SourceDescription,
) -> Option<&'s IndexDescription> {
    source.indices.iter().find(|other| {
        let id = other.id_field.as_ref().filter(|_| other.name != index.name);
        id.is_some_and(|id| index.fields.iter().any(|field| field.name == *id))
            && other.fields.iter().any(is_currency)
    })
}
