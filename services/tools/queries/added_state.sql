-- Has anything that tenants add changed, was anything tested, and does a target wait to be read? One statement a second
-- when nothing happens.
SELECT
    t.rows AS "targets!",
    t.versions AS "target_versions!",
    t.is_due AS "is_due!",
    a.sources AS "sources!",
    a.source_versions AS "source_versions!",
    a.upstreams AS "upstreams!",
    a.upstream_versions AS "upstream_versions!",
    tests.rows AS "tests!",
    tests.versions AS "test_versions!"
FROM (SELECT count(*) AS rows,
             coalesce(sum(version), 0)::bigint AS versions,
             coalesce(
                 bool_or(job_status = 'queued' OR (job_status = 'running' AND lease_until < now())),
                 false
             ) AS is_due
      FROM tools.targets) AS t,
     (SELECT count(*) FILTER (WHERE kind = 'source') AS sources,
             coalesce(sum(version) FILTER (WHERE kind = 'source'), 0)::bigint AS source_versions,
             count(*) FILTER (WHERE kind = 'upstream') AS upstreams,
             coalesce(sum(version) FILTER (WHERE kind = 'upstream'), 0)::bigint AS upstream_versions
      FROM tools.added) AS a,
     (SELECT count(*) AS rows, coalesce(sum(version), 0)::bigint AS versions FROM tools.tested) AS tests;
