-- Keeps what a person chose; the last choice for some words counts.
INSERT INTO tools.remembered_choices (tenant, subject, mention, source, entity_type, entity_id, chosen_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant, subject, mention) DO UPDATE
    SET source = excluded.source,
        entity_type = excluded.entity_type,
        entity_id = excluded.entity_id,
        chosen_at = excluded.chosen_at;
