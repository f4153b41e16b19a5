-- The lines of an inventory.
SELECT reference, sector, subsector, scope, co2, ch4, n2o, co2eq, source
FROM demo_inventory.emissions
WHERE inventory_id = $1
ORDER BY reference
LIMIT 1000
