-- What the server did for this database so far.
SELECT
    d.xact_commit + d.xact_rollback AS "transactions!",
    d.tup_inserted + d.tup_updated + d.tup_deleted AS "rows!",
    (SELECT w.wal_records FROM pg_stat_wal AS w) AS "wal_records!",
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS "wal_bytes!"
FROM pg_stat_database AS d
WHERE d.datname = current_database()
