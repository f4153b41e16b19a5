-- Forgets the runs of error codes of a logger after $2, up to and including $3; all of them without limits.
DELETE FROM tools.code_runs AS c
WHERE c.logger_key = $1
  AND c.first_at > coalesce($2::timestamptz, '-infinity')
  AND c.first_at <= coalesce($3::timestamptz, 'infinity');
