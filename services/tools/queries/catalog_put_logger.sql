-- Makes a logger of the tenant, or updates it.
INSERT INTO tools.loggers AS l (tenant, site_key, logger_id, logger_type, role, capacity_kw, temperature_coefficient,
                                sample_label, irradiance_basis, irradiance_logger_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (tenant, logger_id) DO UPDATE
SET site_key                = excluded.site_key,
    logger_type             = excluded.logger_type,
    role                    = excluded.role,
    capacity_kw             = excluded.capacity_kw,
    temperature_coefficient = excluded.temperature_coefficient,
    sample_label            = excluded.sample_label,
    irradiance_basis        = excluded.irradiance_basis,
    irradiance_logger_key   = excluded.irradiance_logger_key
RETURNING l.logger_key;
