//! The ports.

/// A port, or a terminal within one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Port {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) unlocode: &'static str,
    pub(super) city: &'static str,
    pub(super) country: &'static str,
    pub(super) terminal: bool,
    /// Shipments that arrive there on a usual day, of `demo`.
    pub(super) arrivals: f64,
    /// The coast that it is on: voyages between two of the same are not generated.
    pub(super) region: Region,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    Americas,
    Europe,
    Asia,
    MiddleEast,
}

/// The port whose arrivals people ask for.
pub(super) const MIAMI: &str = "PRT-MIA";

/// The terminal that only `demo` knows.
const MIAMI_TERMINAL: &str = "PRT-MCT";

/// The ports that a tenant knows.
pub(super) fn of(tenant: &str) -> Vec<Port> {
    PORTS
        .into_iter()
        .filter(|port| tenant == "demo" || port.id != MIAMI_TERMINAL)
        .collect()
}

/// Days at sea between two coasts.
pub(super) fn days_at_sea(from: Region, to: Region) -> f64 {
    use Region::{Americas, Asia, Europe, MiddleEast};
    match (from, to) {
        (Americas, Asia) | (Asia, Americas) => 26.0,
        (Americas, Europe) | (Europe, Americas) => 13.0,
        (Asia, Europe) | (Europe, Asia) => 31.0,
        (MiddleEast, Asia) | (Asia, MiddleEast) => 14.0,
        (MiddleEast, _) | (_, MiddleEast) => 22.0,
        _ => 6.0,
    }
}

const fn port(
    id: &'static str,
    name: &'static str,
    aliases: &'static [&'static str],
    place: (&'static str, &'static str, &'static str),
    arrivals: f64,
    region: Region,
) -> Port {
    let (unlocode, city, country) = place;
    Port {
        id,
        name,
        aliases,
        unlocode,
        city,
        country,
        terminal: false,
        arrivals,
        region,
    }
}

const PORTS: [Port; 28] = {
    use Region::{Americas, Asia, Europe, MiddleEast};
    [
        port(
            MIAMI,
            "Port of Miami",
            &["PortMiami", "Dodge Island"],
            ("USMIA", "Miami", "United States"),
            17.0,
            Americas,
        ),
        Port {
            terminal: true,
            ..port(
                MIAMI_TERMINAL,
                "Miami Container Terminal",
                &["MCT"],
                ("USMIA", "Miami", "United States"),
                4.0,
                Americas,
            )
        },
        port(
            "PRT-LAX",
            "Port of Los Angeles",
            &["San Pedro"],
            ("USLAX", "Los Angeles", "United States"),
            6.0,
            Americas,
        ),
        port(
            "PRT-NYC",
            "Port of New York and New Jersey",
            &["Port Newark", "PANYNJ"],
            ("USNYC", "New York", "United States"),
            5.0,
            Americas,
        ),
        port(
            "PRT-SAV",
            "Port of Savannah",
            &["Garden City Terminal"],
            ("USSAV", "Savannah", "United States"),
            3.0,
            Americas,
        ),
        port(
            "PRT-HOU",
            "Port of Houston",
            &["Barbours Cut"],
            ("USHOU", "Houston", "United States"),
            3.0,
            Americas,
        ),
        port(
            "PRT-SSZ",
            "Port of Santos",
            &[],
            ("BRSSZ", "Santos", "Brazil"),
            1.5,
            Americas,
        ),
        port(
            "PRT-CTG",
            "Port of Cartagena (Colombia)",
            &["Cartagena de Indias"],
            ("COCTG", "Cartagena", "Colombia"),
            1.5,
            Americas,
        ),
        port(
            "PRT-BUE",
            "Port of Buenos Aires",
            &[],
            ("ARBUE", "Buenos Aires", "Argentina"),
            1.0,
            Americas,
        ),
        port(
            "PRT-ONX",
            "Port of Colón",
            &["Manzanillo International Terminal"],
            ("PAONX", "Colón", "Panama"),
            1.0,
            Americas,
        ),
        port(
            "PRT-VAN",
            "Port of Vancouver",
            &[],
            ("CAVAN", "Vancouver", "Canada"),
            1.5,
            Americas,
        ),
        port(
            "PRT-RTM",
            "Port of Rotterdam",
            &["Maasvlakte", "Europoort"],
            ("NLRTM", "Rotterdam", "Netherlands"),
            5.0,
            Europe,
        ),
        port(
            "PRT-ANR",
            "Port of Antwerp",
            &["Antwerp-Bruges", "Antwerpen"],
            ("BEANR", "Antwerp", "Belgium"),
            2.0,
            Europe,
        ),
        port(
            "PRT-HAM",
            "Port of Hamburg",
            &[],
            ("DEHAM", "Hamburg", "Germany"),
            2.0,
            Europe,
        ),
        port(
            "PRT-FXT",
            "Port of Felixstowe",
            &[],
            ("GBFXT", "Felixstowe", "United Kingdom"),
            1.5,
            Europe,
        ),
        port(
            "PRT-CAR",
            "Port of Cartagena (Spain)",
            &["Escombreras"],
            ("ESCAR", "Cartagena", "Spain"),
            0.5,
            Europe,
        ),
        port(
            "PRT-VLC",
            "Port of Valencia",
            &[],
            ("ESVLC", "Valencia", "Spain"),
            1.5,
            Europe,
        ),
        port(
            "PRT-GOA",
            "Port of Genoa",
            &["Genova"],
            ("ITGOA", "Genoa", "Italy"),
            1.0,
            Europe,
        ),
        port(
            "PRT-PIR",
            "Port of Piraeus",
            &[],
            ("GRPIR", "Piraeus", "Greece"),
            1.0,
            Europe,
        ),
        port(
            "PRT-JEA",
            "Port of Jebel Ali",
            &["Dubai"],
            ("AEJEA", "Dubai", "United Arab Emirates"),
            1.5,
            MiddleEast,
        ),
        port(
            "PRT-NSA",
            "Port of Nhava Sheva",
            &["Jawaharlal Nehru Port", "Mumbai"],
            ("INNSA", "Mumbai", "India"),
            1.5,
            MiddleEast,
        ),
        port(
            "PRT-SIN",
            "Port of Singapore",
            &["Tanjong Pagar", "Pasir Panjang"],
            ("SGSIN", "Singapore", "Singapore"),
            3.0,
            Asia,
        ),
        port(
            "PRT-SHA",
            "Port of Shanghai",
            &["Yangshan", "Waigaoqiao"],
            ("CNSHA", "Shanghai", "China"),
            3.0,
            Asia,
        ),
        port(
            "PRT-NGB",
            "Port of Ningbo-Zhoushan",
            &["Ningbo"],
            ("CNNGB", "Ningbo", "China"),
            2.0,
            Asia,
        ),
        port(
            "PRT-YTN",
            "Port of Shenzhen",
            &["Yantian"],
            ("CNYTN", "Shenzhen", "China"),
            2.0,
            Asia,
        ),
        port(
            "PRT-HKG",
            "Port of Hong Kong",
            &["Kwai Tsing"],
            ("HKHKG", "Hong Kong", "China"),
            1.5,
            Asia,
        ),
        port(
            "PRT-PUS",
            "Port of Busan",
            &["Pusan"],
            ("KRPUS", "Busan", "South Korea"),
            1.5,
            Asia,
        ),
        port(
            "PRT-TYO",
            "Port of Tokyo",
            &[],
            ("JPTYO", "Tokyo", "Japan"),
            1.0,
            Asia,
        ),
    ]
};
