-- Has the transaction search by the index, on and on until there is enough that the filters let through.
SELECT set_config('hnsw.ef_search', $1, true) AS ef_search,
       set_config('hnsw.iterative_scan', 'strict_order', true) AS iterative_scan,
       set_config('hnsw.max_scan_tuples', $2, true) AS max_scan_tuples,
       set_config('enable_seqscan', 'off', true) AS seqscan,
       set_config('enable_bitmapscan', 'off', true) AS bitmapscan, set_config('enable_sort', 'off', true) AS sort
