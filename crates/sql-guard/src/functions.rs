//! Functions that only compute. Everything else is refused: what reads files, waits, locks, writes
//! sequences, reaches other servers, reports on the server or on its users' sessions, or runs text
//! as SQL is not on these lists, nor are functions that have not been reviewed.

use crate::guard::Dialect;

/// Whether a function, folded, is known to be harmless.
pub(crate) fn is_harmless(name: &str, dialect: Dialect) -> bool {
    let own = match dialect {
        Dialect::MySql => MYSQL,
        Dialect::PostgreSql => POSTGRESQL,
    };
    BOTH.binary_search(&name).is_ok() || own.binary_search(&name).is_ok()
}

/// Functions, folded, of names near this one.
pub(crate) fn near(name: &str, dialect: Dialect) -> Vec<String> {
    let own = match dialect {
        Dialect::MySql => MYSQL,
        Dialect::PostgreSql => POSTGRESQL,
    };
    let mut near: Vec<(usize, &str)> = BOTH
        .iter()
        .chain(own)
        .map(|known| (strsim::damerau_levenshtein(name, known), *known))
        .filter(|(distance, known)| *distance <= 2 && *distance < known.len() / 2)
        .collect();
    near.sort_unstable();
    near.into_iter()
        .take(3)
        .map(|(_, name)| name.to_uppercase())
        .collect()
}

/// Functions whose argument may be a whole row, by the name of its table.
pub(crate) fn takes_row(name: &str, dialect: Dialect) -> bool {
    dialect == Dialect::PostgreSql
        && matches!(
            name,
            "row_to_json" | "to_json" | "to_jsonb" | "json_agg" | "jsonb_agg" | "count"
        )
}

/// Functions whose arguments may be given by name.
pub(crate) fn takes_names(name: &str, dialect: Dialect) -> bool {
    dialect == Dialect::PostgreSql
        && (name.starts_with("make_") || name.starts_with("jsonb_path_") || name == "jsonb_set")
}

/// Whether the first argument is a unit of time rather than a column: `TIMESTAMPDIFF(MONTH, a, b)`.
pub(crate) fn takes_unit(name: &str, dialect: Dialect) -> bool {
    dialect == Dialect::MySql && matches!(name, "timestampdiff" | "timestampadd")
}

#[rustfmt::skip]
const BOTH: &[&str] = &[
    "abs", "acos", "ascii", "asin", "atan", "atan2", "avg", "bit_and", "bit_length", "bit_or",
    "bit_xor", "ceil", "ceiling", "char_length", "character_length", "coalesce", "concat",
    "concat_ws", "cos", "cot", "count", "cume_dist", "current_date", "current_time",
    "current_timestamp", "date", "degrees", "dense_rank", "exp", "first_value", "floor", "format",
    "greatest", "grouping", "json_exists", "json_query", "lag", "last_value", "lead", "least",
    "left", "length", "ln", "localtime", "localtimestamp", "log", "log10", "lower", "lpad",
    "ltrim", "max", "md5", "min", "mod", "now", "nth_value", "ntile", "nullif", "nvl",
    "octet_length", "percent_rank", "pi", "position", "pow", "power", "radians", "rank",
    "regexp_instr", "regexp_like", "regexp_replace", "regexp_substr", "repeat", "replace",
    "reverse", "right", "round", "row_number", "rpad", "rtrim", "sha1", "sign", "sin", "sqrt",
    "std", "stddev", "stddev_pop", "stddev_samp", "substr", "substring", "sum", "tan", "trim",
    "upper", "uuid", "var_pop", "var_samp", "variance",
];

/// Also those of `MariaDB`, and of other databases where models take them from: there is nothing by
/// their name here.
#[rustfmt::skip]
const MYSQL: &[&str] = &[
    "add_months", "adddate", "addtime", "any_value", "bin", "bit_count", "char", "chr", "conv",
    "convert_tz", "crc32", "curdate", "curtime", "database", "date_add", "date_format",
    "date_sub", "datediff", "datetime", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear",
    "elt", "export_set", "field", "find_in_set", "from_base64", "from_days", "from_unixtime",
    "group_concat", "hex", "hour", "if", "ifnull", "iif", "inet_aton", "inet_ntoa", "insert",
    "instr", "interval", "isnull", "json_array", "json_arrayagg", "json_contains",
    "json_contains_path", "json_depth", "json_extract", "json_keys", "json_length",
    "json_merge_patch", "json_object", "json_objectagg", "json_overlaps", "json_pretty",
    "json_quote", "json_search", "json_type", "json_unquote", "json_valid", "json_value",
    "julianday", "last_day", "lcase", "locate", "log2", "makedate", "maketime", "median",
    "microsecond", "mid", "minute", "month", "monthname", "nvl2", "oct", "ord", "percentile_cont",
    "percentile_disc", "period_add", "period_diff", "point", "printf", "quarter", "quote", "rand",
    "schema", "sec_to_time", "second", "sha", "sha2", "soundex", "space", "st_astext",
    "st_distance", "st_distance_sphere", "st_x", "st_y", "str_to_date", "strcmp", "strftime",
    "subdate", "substring_index", "subtime", "sysdate", "time", "time_format", "time_to_sec",
    "timediff", "timestamp", "timestampadd", "timestampdiff", "to_base64", "to_char", "to_days",
    "to_seconds", "total", "truncate", "typeof", "ucase", "unhex", "unix_timestamp", "unixepoch",
    "utc_date", "utc_time", "utc_timestamp", "values", "version", "week", "weekday", "weekofyear",
    "year", "yearweek",
];

#[rustfmt::skip]
const POSTGRESQL: &[&str] = &[
    "age", "any_value", "array_agg", "array_append", "array_cat", "array_dims", "array_length",
    "array_lower", "array_ndims", "array_position", "array_positions", "array_prepend",
    "array_remove", "array_replace", "array_to_json", "array_to_string", "array_to_tsvector",
    "array_upper", "bit_count", "bool_and", "bool_or", "btrim", "cardinality", "cbrt", "chr",
    "clock_timestamp", "corr", "covar_pop", "covar_samp", "date_bin", "date_part", "date_trunc",
    "decode", "div", "encode", "every", "gcd", "gen_random_uuid", "generate_series",
    "generate_subscripts", "initcap", "isempty", "isfinite", "json_agg", "json_array_elements",
    "json_array_elements_text", "json_array_length", "json_build_array", "json_build_object",
    "json_each", "json_each_text", "json_extract_path", "json_extract_path_text", "json_object",
    "json_object_agg", "json_object_keys", "json_strip_nulls", "json_typeof", "jsonb_agg",
    "jsonb_array_elements", "jsonb_array_elements_text", "jsonb_array_length",
    "jsonb_build_array", "jsonb_build_object", "jsonb_each", "jsonb_each_text",
    "jsonb_extract_path", "jsonb_extract_path_text", "jsonb_insert", "jsonb_object",
    "jsonb_object_agg", "jsonb_object_keys", "jsonb_path_exists", "jsonb_path_match",
    "jsonb_path_query", "jsonb_path_query_array", "jsonb_path_query_first", "jsonb_pretty",
    "jsonb_set", "jsonb_strip_nulls", "jsonb_typeof", "justify_days", "justify_hours",
    "justify_interval", "lcm", "levenshtein", "lower_inc", "make_date", "make_interval",
    "make_time", "make_timestamp", "make_timestamptz", "mode", "num_nonnulls", "num_nulls",
    "numnode", "percentile_cont", "percentile_disc", "phraseto_tsquery", "plainto_tsquery",
    "quote_ident", "quote_literal", "quote_nullable", "random", "regexp_count", "regexp_match",
    "regexp_matches", "regexp_split_to_array", "regexp_split_to_table", "regr_avgx", "regr_avgy",
    "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy",
    "row", "row_to_json", "scale", "setweight", "sha256", "similarity", "split_part", "st_astext",
    "st_distance", "st_dwithin", "st_x", "st_y", "starts_with", "statement_timestamp",
    "string_agg", "string_to_array", "string_to_table", "strip", "strpos", "to_char", "to_date",
    "to_hex", "to_json", "to_jsonb", "to_number", "to_timestamp", "to_tsquery", "to_tsvector",
    "transaction_timestamp", "translate", "trim_scale", "trunc", "ts_headline", "ts_rank",
    "ts_rank_cd", "tsvector_to_array", "unaccent", "unnest", "upper_inc", "websearch_to_tsquery",
    "width_bucket", "word_similarity",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(
            [BOTH, MYSQL, POSTGRESQL]
                .iter()
                .all(|list| list.is_sorted())
        );
    }

    #[test]
    fn the_dangerous_and_the_unknown_are_on_no_list() {
        for name in [
            "sleep",
            "benchmark",
            "load_file",
            "get_lock",
            "pg_sleep",
            "pg_read_file",
            "dblink",
            "lo_import",
            "set_config",
            "current_setting",
            "query_to_xml",
            "nextval",
            "aes_decrypt",
            "extractvalue",
            "current_user",
            "session_user",
            "user",
            "current_schema",
            "pg_sleep_for",
            "ts_stat",
            "frobnicate",
        ] {
            assert!(
                !is_harmless(name, Dialect::MySql) && !is_harmless(name, Dialect::PostgreSql),
                "{name}"
            );
        }
    }
}
