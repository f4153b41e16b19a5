//! The words of the limits.

/// Parts of a day.
pub(super) const PARTS_OF_DAY: &[&str] = &[
    "morning",
    "mornings",
    "noon",
    "midday",
    "noontime",
    "lunchtime",
    "afternoon",
    "afternoons",
    "evening",
    "evenings",
    "night",
    "nights",
    "nighttime",
    "overnight",
    "daytime",
    "midnight",
    "dawn",
    "dusk",
    "hourly",
    "sunrise",
    "sunset",
];

/// Days that are picked out of a period.
pub(super) const WEEKDAYS: &[&str] = &[
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
    "weekdays",
    "weekday",
    "weekends",
    "workdays",
    "workday",
    "holidays",
    "holiday",
];

/// Names of days, which no rule has read as a day where they are left over.
pub(super) const WEEKDAY: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "weekend",
];

/// Days that are picked by what they are like.
pub(super) const DAYS_BY_KIND: &[&str] = &[
    "sunny",
    "working",
    "business",
    "odd",
    "even",
    "alternate",
    "good",
    "bad",
    "dry",
    "hot",
    "cold",
    "clear",
    "bright",
    "public",
    "bank",
];

/// Words for a figure of each day, week or month.
pub(super) const SERIES: &[&str] = &[
    "daily",
    "weekly",
    "monthly",
    "yearly",
    "annually",
    "quarterly",
    "minutely",
    "fortnightly",
];

/// Halves, shares and multiples.
pub(super) const SHARES: &[&str] = &[
    "half",
    "percent",
    "percentage",
    "share",
    "fraction",
    "portion",
    "proportion",
    "double",
    "twice",
    "triple",
    "thrice",
    "halved",
];

/// Properties by which devices are picked.
pub(super) const PROPERTIES: &[&str] = &[
    "last",
    "biggest",
    "largest",
    "smallest",
    "small",
    "big",
    "large",
    "newest",
    "oldest",
    "newer",
    "older",
    "old",
    "new",
    "latest",
    "bigger",
    "smaller",
    "larger",
    "cheapest",
    "main",
    "first",
    "second",
    "third",
    "northern",
    "southern",
    "eastern",
    "western",
    "cheap",
    "expensive",
];

/// States by which devices are picked, and that no figure is limited to.
pub(super) const STATES: &[&str] = &[
    "broken",
    "faulty",
    "defective",
    "damaged",
    "failed",
    "failing",
    "dead",
    "offline",
    "online",
    "silent",
    "healthy",
    "unhealthy",
    "sick",
    "underperforming",
    "lagging",
    "working",
    "running",
    "idle",
];

/// Words that a device or a site is called by.
pub(in crate::language) const DEVICES: &[&str] = &[
    "inverter",
    "inverters",
    "device",
    "devices",
    "logger",
    "loggers",
    "meter",
    "meters",
    "unit",
    "units",
    "system",
    "systems",
    "site",
    "sites",
    "plant",
    "plants",
    "array",
    "arrays",
];

/// Currencies behind "in".
pub(super) const CURRENCIES: &[&str] = &[
    "euro", "euros", "eur", "usd", "dollar", "dollars", "chf", "franc", "francs", "gbp", "pound",
    "pounds", "sterling", "yen", "rupees", "bitcoin", "€", "$", "£", "cents", "rappen",
];

/// Units that no answer has.
pub(super) const OTHER_UNITS: &[&str] = &[
    "wh", "mwh", "gwh", "joule", "joules", "mj", "gj", "btu", "calories", "ton", "tons", "tonne",
    "tonnes", "pounds",
];

/// Words behind a number that go with it.
pub(super) const BEHIND_NUMBERS: &[&str] = &[
    "%", "percent", "kwh", "kw", "kwp", "mwh", "wh", "w", "watts", "chf", "eur", "usd", "euros",
    "euro", "dollars", "francs", "cents", "ct", "days", "day", "weeks", "week", "months", "month",
    "hours", "hour", "minutes", "years", "year", "points", "times", "kg", "panels", "people",
    "trees", "th", "st", "nd", "rd",
];

/// Other words that a limit is known by.
pub(super) const OTHERS: &[&str] = &[
    "average",
    "averaged",
    "median",
    "vat",
    "tax",
    "taxes",
    "subsidy",
    "subsidies",
    "inflation",
    "exceed",
    "exceeds",
    "exceeded",
    "exceeding",
    "died",
    "recovered",
    "peers",
    "score",
    "scores",
    "oldest",
    "cheapest",
    "northern",
    "southern",
    "eastern",
    "western",
    "bigger",
    "smaller",
    "larger",
    "expensive",
    "cheap",
    "prices",
    "public",
    "maximum",
    "minimum",
    "max",
    "min",
    "assuming",
    "suppose",
    "supposing",
];
