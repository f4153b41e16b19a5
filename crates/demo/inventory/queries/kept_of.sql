-- What is kept of a user, with the cities that the user may see?
SELECT u.role,
       u.created_at,
       ARRAY(
           SELECT r.locode FROM demo_inventory.rights r WHERE r.subject = u.subject ORDER BY r.locode
       ) AS "locodes!"
FROM demo_inventory.users u
WHERE u.subject = $1
