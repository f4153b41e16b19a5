-- Stores shipments, column by column.
INSERT INTO demo_freight.shipments
    (tenant, shipment_id, reference, status, vessel_id, vessel_name, carrier, origin_port_id, origin_port,
     destination_port_id, destination_port, commodity, container_count, weight_kg, value_usd, hazardous,
     planned_departure, actual_departure, planned_arrival, actual_arrival)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
     $10::text[], $11::text[], $12::text[], $13::int[], $14::float8[], $15::float8[], $16::bool[],
     $17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[])
ON CONFLICT DO NOTHING
