-- What a user may see, city by city, the newest first.
SELECT i.inventory_id AS id, i.name AS title, i.year, c.locode, c.name, c.country, c.country_locode, c.region, c.region_locode,
       c.area_km2,
       (SELECT coalesce(sum(e.co2eq), 0) FROM demo_inventory.emissions e WHERE e.inventory_id = i.inventory_id) AS "total!"
FROM demo_inventory.inventories i
JOIN demo_inventory.cities c ON c.locode = i.locode
JOIN demo_inventory.rights r ON r.locode = c.locode
WHERE r.subject = $1
ORDER BY c.name, i.year DESC
LIMIT 1000
