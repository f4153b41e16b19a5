-- One inventory.
SELECT i.inventory_id AS id, i.name AS title, i.year, c.locode, c.name, c.country, c.country_locode, c.region, c.region_locode,
       c.area_km2,
       (SELECT coalesce(sum(e.co2eq), 0) FROM tools.demo_inventory_emissions e WHERE e.inventory_id = i.inventory_id) AS "total!"
FROM tools.demo_inventories i
JOIN tools.demo_inventory_cities c ON c.locode = i.locode
WHERE i.inventory_id = $1
