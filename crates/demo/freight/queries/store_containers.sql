-- Stores containers, column by column.
INSERT INTO demo_freight.containers
    (tenant, container_id, type, size_ft, status, shipment_id, location_port, last_event, last_event_at, temperature_c)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[],
     $9::timestamptz[], $10::float8[])
ON CONFLICT DO NOTHING
