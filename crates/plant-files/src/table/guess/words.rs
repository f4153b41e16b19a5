//! Words in the names of columns, in several languages.

pub(super) const OTHER_POWER: [&str; 18] = [
    "reactive", "apparent", "blind", "schein", "dc", "mpp", "string", "percent", "prozent",
    "limit", "setpoint", "factor", "faktor", "cos", "forecast", "rated", "nominal", "max",
];
/// First words of the names of inverters.
pub(super) const INVERTER: [&str; 4] = ["wr", "inv", "inverter", "wechselrichter"];
pub(super) const POWER: [&str; 9] = [
    "power",
    "leistung",
    "pac",
    "p_ac",
    "potencia",
    "puissance",
    "potenza",
    "vermogen",
    "activepower",
];
pub(super) const ENERGY: [&str; 11] = [
    "energy",
    "energie",
    "yield",
    "ertrag",
    "generation",
    "erzeugung",
    "energia",
    "produktion",
    "production",
    "e_day",
    "eday",
];
pub(super) const DAY: [&str; 10] = [
    "day", "daily", "today", "tag", "heute", "diari", "jour", "giorn", "dag", "e_d",
];
pub(super) const TOTAL: [&str; 8] = [
    "total",
    "lifetime",
    "gesamt",
    "counter",
    "zähler",
    "zaehler",
    "cumul",
    "meter reading",
];
/// The energy since the row before.
pub(super) const INTERVAL: [&str; 7] = [
    "interval",
    "intervall",
    "e_int",
    "eint",
    "delta",
    "increment",
    "zuwachs",
];
pub(super) const IRRADIANCE: [&str; 9] = [
    "irrad",
    "einstrahlung",
    "globalstrahlung",
    "ghi",
    "poa",
    "gti",
    "pyran",
    "radiac",
    "rayonnement",
];
pub(super) const DEVICE: [&str; 9] = [
    "logger",
    "inverter",
    "wechselrichter",
    "device",
    "serial",
    "seriennummer",
    "gerät",
    "inversor",
    "source_key",
];
pub(super) const FAULT: [&str; 9] = [
    "error", "fault", "fehler", "störung", "stoerung", "alarm", "fallo", "défaut", "panne",
];
