//! The person's emission inventories, answered by template: the climate advisor's tools, where the
//! upstream offers them.

use std::fmt::Write as _;

use contracts::tools::ToolDefinition;
use serde::Deserialize;
use serde_json::json;

use crate::run::Node;

/// Names of the climate advisor and its reference.
const LIST: &str = "get_user_inventories";
const QUERY: &str = "cc_inventory_query";

/// Inventories that a list shows.
const MOST_LISTED: usize = 20;

/// The answer from the records, and whether the question asks for more than they can.
pub(crate) struct Records {
    pub(crate) text: String,
    pub(crate) and_documents: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inventory {
    #[serde(rename = "inventoryId")]
    id: String,
    year: Option<i32>,
    total_emissions: Option<f64>,
    city: Option<City>,
}

#[derive(Debug, Clone, Deserialize)]
struct City {
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sector {
    #[serde(rename = "sector", alias = "sectorName", alias = "name")]
    name: String,
    co2eq: f64,
    share_percent: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataSource {
    name: Option<String>,
    sub_sector: Option<String>,
}

/// Whether inventories can be read.
pub(crate) fn is_offered(tools: &[ToolDefinition]) -> bool {
    let offers = |name: &str| tools.iter().any(|tool| tool.name == name);
    offers(LIST) && offers(QUERY)
}

/// The answer from the person's inventories; `None` when the question is not about them.
pub(crate) async fn answer(node: &Node, tools: &[ToolDefinition]) -> Option<Records> {
    let asked = Asked::read(&node.run().message.words())?;
    if !is_offered(tools) {
        return asked.own.then(|| Records {
            text:
                "Your own inventories cannot be read: the service that keeps them is not connected."
                    .to_owned(),
            and_documents: asked.how,
        });
    }
    node.begin_step().await;
    let called = node.call(LIST, &json!({})).await;
    let Some(inventories) = called.result::<Vec<Inventory>>() else {
        node.end_step().await;
        return Some(Records {
            text: format!("Your inventories could not be read. {}", called.message()),
            and_documents: asked.how,
        });
    };
    let chosen = asked.choose(&inventories, node.run().context.inventory_id());
    let text = match chosen {
        Some(inventory) => Some(one(node, inventory, &asked).await),
        None if asked.own => Some(list(&inventories)),
        None => None,
    };
    node.end_step().await;
    text.map(|text| Records {
        text,
        and_documents: asked.how,
    })
}

/// Whether a question is about inventories.
pub(crate) fn is_asked(question: &str) -> bool {
    Asked::read(question).is_some()
}

/// Whether a question is about the person's own inventories.
pub(crate) fn is_own(question: &str) -> bool {
    Asked::read(question).is_some_and(|asked| asked.own && !asked.how)
}

/// The answer from records that were read already; `None` where they are not what the question is
/// about.
pub(crate) fn of_records(
    question: &str,
    own: Option<&str>,
    records: &[serde_json::Value],
) -> Option<String> {
    let asked = Asked::read(question).filter(|asked| !asked.sources)?;
    let mut lists = records
        .iter()
        .filter_map(|record| Vec::<Inventory>::deserialize(record).ok());
    let inventories = lists.find(|list| !list.is_empty())?;
    match asked.choose(&inventories, own) {
        Some(inventory) => {
            let total = inventory.total_emissions?;
            Some(format!(
                "{} emitted {} t CO2e.",
                title(inventory),
                amount(total)
            ))
        }
        None if asked.own => Some(list(&inventories)),
        None => None,
    }
}

/// A question about inventories.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    text: String,
    /// It speaks of the person's own.
    own: bool,
    /// It asks how something is done, too.
    how: bool,
    sources: bool,
    year: Option<i32>,
}

impl Asked {
    fn read(message: &str) -> Option<Self> {
        let text = message.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if !has(&[
            "inventor",
            "emission",
            "emit",
            "ghg",
            "greenhouse gas",
            "co2",
        ]) {
            return None;
        }
        let how = has(&[
            "how do",
            "how can",
            "how should",
            "what is a",
            "what does",
            "explain",
            "reduce",
            "why",
            "recommend",
            "strateg",
        ]);
        let year = text
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| digits.len() == 4)
            .find_map(|digits| digits.parse().ok());
        let own = has(&[" my ", " our ", "inventories do i", "i have"])
            || text.starts_with("my ")
            || text.starts_with("our ")
            || (has(&["list", "show", "which"]) && has(&["inventories"]));
        // The meaning of a term is in documents, not in a person's records.
        let defines = has(&[
            "difference",
            "define",
            "definition",
            "what is a ",
            "what is an ",
            " mean",
            "scope 1",
            "scope 2",
            "scope 3",
            "gpc",
        ]);
        if defines && !own {
            return None;
        }
        Some(Self {
            own,
            how,
            sources: has(&["data source", "datasource"]),
            year,
            text,
        })
    }

    /// The inventory that the message names by its city, the newest of it unless a year is named,
    /// otherwise the thread's own.
    fn choose<'a>(&self, inventories: &'a [Inventory], own: Option<&str>) -> Option<&'a Inventory> {
        let named = |inventory: &&Inventory| {
            let city = inventory.city.as_ref().map(|city| city.name.to_lowercase());
            city.is_some_and(|city| self.text.contains(&city))
                || self
                    .text
                    .split(|c: char| c.is_whitespace() || ",;:?!\"'".contains(c))
                    .any(|word| word.trim_end_matches('.') == inventory.id.to_lowercase())
        };
        let of_year = |inventory: &&Inventory| self.year.is_none() || inventory.year == self.year;
        let newest = inventories
            .iter()
            .filter(named)
            .filter(of_year)
            .max_by_key(|inventory| inventory.year);
        newest.or_else(|| {
            let own = own.filter(|_| self.own)?;
            inventories.iter().find(|inventory| inventory.id == own)
        })
    }
}

/// One inventory: its total and its sectors, or its data sources.
async fn one(node: &Node, inventory: &Inventory, asked: &Asked) -> String {
    let title = title(inventory);
    let data_type = if asked.sources {
        "datasources"
    } else {
        "sectors"
    };
    let arguments = json!({ "inventory_id": inventory.id, "data_type": data_type });
    let called = node.call(QUERY, &arguments).await;
    if asked.sources {
        return match called.result::<serde_json::Value>() {
            Some(found) => sources(&title, found),
            None => format!(
                "The data sources of {title} could not be read. {}",
                called.message()
            ),
        };
    }
    let mut text = match inventory.total_emissions {
        Some(total) => format!("{title} emitted {} t CO2e.", amount(total)),
        None => format!("{title}:"),
    };
    match called.result::<Vec<Sector>>() {
        Some(mut sectors) => {
            sectors.sort_by(|a, b| b.co2eq.total_cmp(&a.co2eq));
            for sector in sectors {
                let share = sector
                    .share_percent
                    .map(|share| format!(" ({share} %)"))
                    .unwrap_or_default();
                let _ = write!(
                    text,
                    "\n- {}: {} t CO2e{share}",
                    sector.name,
                    amount(sector.co2eq)
                );
            }
        }
        None => {
            let _ = write!(text, " Its sectors could not be read. {}", called.message());
        }
    }
    text
}

fn sources(title: &str, found: serde_json::Value) -> String {
    let listed = match found {
        serde_json::Value::Object(mut members) => {
            members.remove("successfulSources").unwrap_or_default()
        }
        other => other,
    };
    let sources: Vec<DataSource> = serde_json::from_value(listed).unwrap_or_default();
    if sources.is_empty() {
        return format!("There are no data sources for {title}.");
    }
    let mut text = format!("{title} has {} data sources:", sources.len());
    for source in sources.iter().take(MOST_LISTED) {
        let name = source.name.as_deref().unwrap_or("unnamed");
        let _ = write!(text, "\n- {name}");
        if let Some(sub_sector) = &source.sub_sector {
            let _ = write!(text, " ({sub_sector})");
        }
    }
    more(&mut text, sources.len());
    text
}

fn list(inventories: &[Inventory]) -> String {
    if inventories.is_empty() {
        return "You have no inventories there.".to_owned();
    }
    let mut text = match inventories.len() {
        1 => "You can see 1 inventory:".to_owned(),
        count => format!("You can see {count} inventories:"),
    };
    for inventory in inventories.iter().take(MOST_LISTED) {
        text.push_str("\n- ");
        text.push_str(&title(inventory));
        if let Some(total) = inventory.total_emissions {
            let _ = write!(text, ": {} t CO2e", amount(total));
        }
    }
    more(&mut text, inventories.len());
    text
}

fn more(text: &mut String, count: usize) {
    if count > MOST_LISTED {
        let _ = write!(text, "\nand {} more.", count - MOST_LISTED);
    }
}

fn title(inventory: &Inventory) -> String {
    let city = inventory.city.as_ref();
    let city = city.map_or(inventory.id.as_str(), |city| city.name.as_str());
    match inventory.year {
        Some(year) => format!("{city} {year}"),
        None => city.to_owned(),
    }
}

/// Whole tonnes with separators; tenths below a hundred.
fn amount(tonnes: f64) -> String {
    if tonnes.abs() < 100.0 {
        return format!("{tonnes:.1}");
    }
    let digits = format!("{:.0}", tonnes.abs());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if tonnes < 0.0 {
        format!("-{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(id: &str, city: &str, year: i32) -> Inventory {
        Inventory {
            id: id.to_owned(),
            year: Some(year),
            total_emissions: Some(1_234_567.8),
            city: Some(City {
                name: city.to_owned(),
            }),
        }
    }

    #[test]
    fn only_what_speaks_of_inventories_is_about_them() {
        assert_eq!(Asked::read("What are overtime rules?"), None);
        let asked = Asked::read("Which inventories do I have?").unwrap();
        assert!(asked.own && !asked.how);
        assert_eq!(Asked::read("What is an emissions inventory?"), None);
        assert_eq!(
            Asked::read("What is the difference between scope 1 and scope 2 emissions?"),
            None
        );
        let asked = Asked::read("How can we reduce our transport emissions?").unwrap();
        assert!(asked.own && asked.how);
    }

    #[test]
    fn a_city_is_found_by_name_and_year() {
        let all = [
            inventory("a-1", "Port Meridian", 2018),
            inventory("b-1", "Port Meridian", 2022),
            inventory("c-1", "Kestrel Falls", 2022),
        ];
        let choose = |text: &str, own: Option<&str>| {
            let asked = Asked::read(text).unwrap();
            asked
                .choose(&all, own)
                .map(|inventory| inventory.id.clone())
        };
        assert_eq!(
            choose("Emissions of port meridian", None).as_deref(),
            Some("b-1")
        );
        assert_eq!(
            choose("Port Meridian's emissions in 2018", None).as_deref(),
            Some("a-1")
        );
        assert_eq!(choose("Port Meridian's emissions in 2019", None), None);
        assert_eq!(
            choose("What are my emissions?", Some("c-1")).as_deref(),
            Some("c-1")
        );
        assert_eq!(choose("What are my emissions?", None), None);
        assert_eq!(
            choose("Emissions of inventory C-1?", None).as_deref(),
            Some("c-1")
        );
    }

    #[test]
    fn amounts_are_readable() {
        assert_eq!(amount(1_234_567.8), "1,234,568");
        assert_eq!(amount(100.0), "100");
        assert_eq!(amount(99.94), "99.9");
        assert_eq!(amount(-1234.0), "-1,234");
    }
}
