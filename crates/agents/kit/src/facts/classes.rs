//! Words that mean the same measure.

/// A class of such words.
pub(super) struct Class {
    pub(super) triggers: &'static [&'static str],
    pub(super) words: &'static [&'static str],
    pub(super) good: bool,
}

pub(super) const CLASSES: &[Class] = &[
    Class {
        triggers: &["energy", "yield", "production"],
        words: &[
            "brought",
            "contributed",
            "deliver",
            "delivered",
            "delivers",
            "electricity",
            "energy",
            "generate",
            "generated",
            "generates",
            "generation",
            "harvest",
            "harvested",
            "made",
            "make",
            "makes",
            "output",
            "produce",
            "produced",
            "produces",
            "producer",
            "producers",
            "producing",
            "production",
            "total",
            "yield",
            "yielded",
            "yields",
        ],
        good: true,
    },
    Class {
        triggers: &["power"],
        words: &[
            "deliver",
            "delivered",
            "delivering",
            "delivers",
            "output",
            "power",
            "produce",
            "produces",
            "producing",
        ],
        good: true,
    },
    Class {
        triggers: &["peak", "max", "maximum"],
        words: &[
            "high", "highest", "maximum", "peak", "peaked", "peaks", "reached", "topped",
        ],
        good: true,
    },
    Class {
        triggers: &["min", "minimum"],
        words: &["low", "lowest", "minimum"],
        good: true,
    },
    Class {
        triggers: &["avg", "average", "mean"],
        words: &["average", "averaged", "averages", "averaging", "mean"],
        good: true,
    },
    Class {
        triggers: &["savings"],
        words: &[
            "brings", "brought", "earned", "money", "save", "saved", "saves", "saving", "savings",
            "spared", "worth",
        ],
        good: true,
    },
    Class {
        triggers: &["rate", "tariff"],
        words: &["electricity", "price", "rate", "tariff"],
        good: false,
    },
    Class {
        triggers: &["co2"],
        words: &[
            "avoid",
            "avoided",
            "avoids",
            "carbon",
            "co2",
            "co\u{2082}",
            "dioxide",
            "emissions",
            "saved",
        ],
        good: true,
    },
    Class {
        triggers: &["expected", "predicted", "forecast"],
        words: &[
            "bring",
            "coming",
            "expect",
            "expected",
            "forecast",
            "forecasts",
            "likely",
            "predicted",
            "prediction",
            "should",
            "will",
        ],
        good: true,
    },
    Class {
        triggers: &["lower"],
        words: &[
            "at", "between", "least", "low", "lower", "range", "ranges", "ranging",
        ],
        good: true,
    },
    Class {
        triggers: &["upper"],
        words: &[
            "at", "between", "high", "most", "range", "ranges", "ranging", "upper",
        ],
        good: true,
    },
    Class {
        triggers: &["offline"],
        words: &["offline", "down", "silent"],
        good: false,
    },
    Class {
        triggers: &["online"],
        words: &["active", "online"],
        good: true,
    },
    Class {
        triggers: &["producing"],
        words: &["delivering", "producing", "running"],
        good: true,
    },
    Class {
        triggers: &["asleep"],
        words: &["asleep", "sleep", "sleeping"],
        good: false,
    },
    Class {
        triggers: &["anomaly", "anomalies"],
        words: &["anomalies", "anomaly"],
        good: false,
    },
    Class {
        triggers: &["outage", "outages"],
        words: &["outage", "outages"],
        good: false,
    },
    Class {
        triggers: &["revenue"],
        words: &["brought", "revenue"],
        good: true,
    },
    Class {
        triggers: &["lost"],
        words: &[
            "cost", "costs", "lose", "loses", "losing", "loss", "losses", "lost",
        ],
        good: false,
    },
    Class {
        triggers: &["delay", "delays"],
        words: &["delay", "delayed", "delays"],
        good: false,
    },
    Class {
        triggers: &["missing"],
        words: &["gap", "gaps", "missing"],
        good: false,
    },
    Class {
        triggers: &["available", "availability"],
        words: &["availability", "available"],
        good: true,
    },
    Class {
        triggers: &["health"],
        words: &["health", "score", "scored", "scores"],
        good: true,
    },
    Class {
        triggers: &["specific"],
        words: &["specific", "yield", "yields"],
        good: true,
    },
    Class {
        triggers: &["money"],
        words: &["cost", "costs", "money", "worth"],
        good: false,
    },
    Class {
        triggers: &["minutes", "hours"],
        words: &["duration", "lasted", "lasts", "long", "took"],
        good: false,
    },
    Class {
        triggers: &["duration"],
        words: &["duration", "lasted", "lasts", "long", "took"],
        good: false,
    },
    Class {
        triggers: &["estimated", "inferred"],
        words: &["estimate", "estimated", "inferred"],
        good: true,
    },
    Class {
        triggers: &["start"],
        words: &["began", "begins", "from", "start", "started", "starts"],
        good: false,
    },
    Class {
        triggers: &["end"],
        words: &["end", "ended", "ends", "to", "until"],
        good: false,
    },
    Class {
        triggers: &["performance", "ratio"],
        words: &["performance", "ratio"],
        good: true,
    },
    Class {
        triggers: &["issues", "issue", "codes", "code"],
        words: &["code", "codes", "error", "errors", "issue", "issues"],
        good: false,
    },
    Class {
        triggers: &["occurrences", "occurred"],
        words: &["came", "occurred", "occurrences", "times", "up"],
        good: false,
    },
    Class {
        triggers: &["seen"],
        words: &["heard", "seen"],
        good: false,
    },
    Class {
        triggers: &["devices", "loggers"],
        words: &["device", "devices", "inverter", "inverters", "loggers"],
        good: true,
    },
];
