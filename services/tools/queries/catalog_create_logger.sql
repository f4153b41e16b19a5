-- Makes a logger unless the tenant has one of that id.
INSERT INTO tools.loggers AS l (tenant, site_key, logger_id, logger_type)
VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant, logger_id) DO NOTHING
RETURNING l.logger_key;
