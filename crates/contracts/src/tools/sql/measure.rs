//! Whether the figures of a column may be added.

/// The kind of the figures of a column, by its name and its comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Amounts, whose sum is an amount: a quantity, a revenue, hours.
    Amount,
    /// Figures of one unit or one moment, whose sum says nothing: a price, a rate, a percentage, a
    /// temperature, an average.
    Rate,
    /// Figures that name something: an id, a year, a postcode.
    Label,
    /// The name does not say it.
    Unknown,
}

/// Words of a sum, whatever was added.
const TOTALS: &[&str] = &[
    "total",
    "totals",
    "subtotal",
    "sum",
    "summe",
    "gesamt",
    "extended",
    "cumulative",
];

/// Last words of names of things.
const LABELS: &[&str] = &[
    "id", "ids", "no", "nr", "num", "number", "nummer", "code", "key", "zip", "plz", "postcode",
    "phone", "fax", "isbn", "ean", "sku", "index", "rank", "rang", "position", "line", "seq",
    "sequence", "version", "month", "monat", "week", "woche", "weekday", "quarter", "quartal",
    "day", "tag", "unit", "room", "floor", "page", "seite",
];

/// Words of names of things, wherever they are.
const LABELS_ANYWHERE: &[&str] = &[
    "year",
    "jahr",
    "baujahr",
    "lat",
    "lon",
    "lng",
    "latitude",
    "longitude",
    "breitengrad",
    "längengrad",
    "postleitzahl",
    "postal",
];

/// Words of figures of one unit or one moment.
const RATES: &[&str] = &[
    "price",
    "prices",
    "preis",
    "preise",
    "precio",
    "precios",
    "prix",
    "prezzo",
    "prijs",
    "preço",
    "fare",
    "tariff",
    "tarif",
    "rate",
    "rates",
    "satz",
    "kurs",
    "ratio",
    "share",
    "anteil",
    "percent",
    "percents",
    "percentage",
    "pct",
    "perc",
    "prozent",
    "prozentsatz",
    "quote",
    "avg",
    "average",
    "mean",
    "median",
    "durchschnitt",
    "mittel",
    "mittelwert",
    "schnitt",
    "promedio",
    "moyenne",
    "min",
    "max",
    "minimum",
    "maximum",
    "lowest",
    "highest",
    "stddev",
    "variance",
    "temperature",
    "temperatur",
    "temp",
    "celsius",
    "fahrenheit",
    "kelvin",
    "humidity",
    "pressure",
    "druck",
    "speed",
    "velocity",
    "geschwindigkeit",
    "voltage",
    "spannung",
    "frequency",
    "irradiance",
    "score",
    "rating",
    "grade",
    "age",
    "alter",
    "edad",
    "efficiency",
    "wirkungsgrad",
    "density",
    "dichte",
    "factor",
    "faktor",
    "coefficient",
    "probability",
    "per",
    "each",
    "pro",
    "einzel",
    "level",
    "ph",
];

/// Ends of German words for such figures, and of English ones without a space.
const RATE_ENDS: &[&str] = &[
    "preis",
    "price",
    "satz",
    "kurs",
    "quote",
    "temperatur",
    "prozent",
    "anteil",
    "durchschnitt",
    "geschwindigkeit",
    "spannung",
    "faktor",
];

/// Words of what has a price or a size, so that a unit before it is one of it: `unit_cost`.
const OF_A_UNIT: &[&str] = &["unit", "piece", "single", "stück", "stueck", "item"];

/// Words of amounts.
const AMOUNTS: &[&str] = &[
    "amount",
    "amounts",
    "betrag",
    "importe",
    "monto",
    "montant",
    "quantity",
    "quantities",
    "qty",
    "menge",
    "cantidad",
    "quantité",
    "anzahl",
    "stück",
    "stueck",
    "count",
    "counts",
    "revenue",
    "revenues",
    "sales",
    "turnover",
    "income",
    "einnahmen",
    "ausgaben",
    "expense",
    "expenses",
    "cost",
    "costs",
    "kosten",
    "costo",
    "coste",
    "fee",
    "fees",
    "gebühr",
    "gebuehr",
    "salary",
    "wage",
    "wages",
    "payment",
    "payments",
    "paid",
    "balance",
    "tax",
    "taxes",
    "profit",
    "loss",
    "losses",
    "hours",
    "stunden",
    "minutes",
    "minuten",
    "seconds",
    "days",
    "tage",
    "nights",
    "kwh",
    "mwh",
    "wh",
    "kg",
    "tons",
    "tonnes",
    "tonnage",
    "weight",
    "gewicht",
    "volume",
    "litres",
    "liters",
    "km",
    "miles",
    "distance",
    "strecke",
    "area",
    "fläche",
    "flaeche",
    "stock",
    "bestand",
    "units",
    "pieces",
    "items",
    "people",
    "population",
    "visitors",
    "guests",
    "passengers",
    "votes",
    "points",
    "goals",
    "views",
    "clicks",
    "downloads",
    "budget",
    "spend",
    "spending",
    "energy",
    "energie",
    "consumption",
    "verbrauch",
    "ertrag",
    "production",
    "output",
    "capacity",
    "debit",
    "credit",
    "inventory",
    "containers",
    "umsatz",
    "absatz",
];

/// Ends of German words for amounts.
const AMOUNT_ENDS: &[&str] = &[
    "betrag",
    "menge",
    "anzahl",
    "umsatz",
    "absatz",
    "kosten",
    "gewicht",
    "stunden",
    "verbrauch",
    "ertrag",
    "bestand",
    "gebühr",
    "summe",
    "zahlung",
];

impl Measure {
    /// The kind of a column of numbers, by its name and the comment that the database has on it.
    pub fn of(name: &str, comment: Option<&str>) -> Self {
        let words = words(name);
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&&**word));
        let ends = |known: &[&str]| {
            let mut long = words.iter().filter(|word| word.chars().count() > 5);
            long.any(|word| known.iter().any(|end| word.ends_with(end)))
        };
        let is_percent = has(&[
            "percent",
            "percentage",
            "pct",
            "perc",
            "prozent",
            "ratio",
            "rate",
        ]);
        let is_total = has(TOTALS) || words.iter().any(|word| word.starts_with("gesamt"));
        if is_total && !is_percent {
            return Self::Amount;
        }
        if words.starts_with(&["number".to_owned(), "of".to_owned()]) {
            return Self::Amount;
        }
        let is_label = words.last().is_some_and(|last| LABELS.contains(&&**last));
        if is_label || has(LABELS_ANYWHERE) {
            return Self::Label;
        }
        let is_of_a_unit = words.len() > 1 && has(OF_A_UNIT);
        let is_amount_by_end = ends(AMOUNT_ENDS) && !has(RATES);
        if !is_amount_by_end && (has(RATES) || ends(RATE_ENDS) || is_of_a_unit) {
            return Self::Rate;
        }
        if comment.is_some_and(is_of_a_rate) {
            return Self::Rate;
        }
        if is_amount_by_end || has(AMOUNTS) {
            return Self::Amount;
        }
        Self::Unknown
    }

    /// Whether a sum of its figures says something.
    pub fn adds_up(self) -> bool {
        matches!(self, Self::Amount | Self::Unknown)
    }
}

/// Whether a comment states a unit whose figures are not added.
fn is_of_a_rate(comment: &str) -> bool {
    let comment = comment.to_lowercase();
    [
        "%",
        "percent",
        "prozent",
        "°",
        " per unit",
        " per piece",
        " per item",
        " pro stück",
    ]
    .iter()
    .any(|part| comment.contains(part))
}

/// The words of a name, in lower case: `unitPrice`, `unit_price` and `UnitPrice2` alike.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if begins || !letter.is_alphabetic() {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_column_says_whether_it_is_added() {
        for (measure, names) in [
            (
                Measure::Amount,
                &[
                    "amount",
                    "quantity",
                    "umsatz",
                    "Nettobetrag",
                    "hours",
                    "total_price",
                    "gesamtpreis",
                    "number_of_guests",
                    "labour_cost",
                    "energyKwh",
                    "absatzmenge",
                    "line_total",
                    "Arbeitsstunden",
                    "shipping_fee",
                ][..],
            ),
            (
                Measure::Rate,
                &[
                    "price",
                    "preis",
                    "precio",
                    "unit_cost",
                    "cost_per_km",
                    "rate",
                    "hourlyRate",
                    "avg_delay",
                    "discount_pct",
                    "temperature",
                    "temp_c",
                    "Einzelpreis",
                    "steuersatz",
                    "listprice",
                    "age",
                    "max_guests",
                    "total_pct",
                    "tax_rate",
                    "km_per_hour",
                    "average_cost",
                    "verkaufspreis",
                ],
            ),
            (
                Measure::Label,
                &[
                    "customer_id",
                    "year",
                    "model_year",
                    "plz",
                    "invoice_no",
                    "latitude",
                    "line_number",
                    "month",
                    "baujahr",
                    "zip",
                ],
            ),
            (Measure::Unknown, &["x", "value", "discount", "margin"]),
        ] {
            for name in names {
                assert_eq!(Measure::of(name, None), measure, "{name}");
            }
        }
        assert_eq!(
            Measure::of("rabatt", Some("Rabatt (percent)")),
            Measure::Rate
        );
    }
}
