-- The role that Heliograph connects to a MySQL 8 or MariaDB target with: it reads named tables and views, and nothing else.
--
-- Run as an administrator, after changing what is marked:
--   mysql --user=root < deploy/sql/mysql-reader.sql
--
-- What the role does not have, and why: FILE (LOAD_FILE, INTO OUTFILE), PROCESS (other sessions' statements), EXECUTE
-- (stored functions, that of the key among them), SHOW VIEW (how views decrypt), anything global, anything on `mysql.*`.
-- Without SHOW VIEW and the base tables' rights the server refuses to EXPLAIN a secure view; Heliograph then has no
-- estimate to show, and `max_join_size`, which it sets on each session, is the limit.

-- CHANGE: the password, and '%' to the host or network that Heliograph runs on.
CREATE USER IF NOT EXISTS 'heliograph_reader'@'%' IDENTIFIED BY 'change-me';

-- Whatever it was given before. GRANT OPTION is listed so that the statement works on both servers.
REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'heliograph_reader'@'%';

-- Never more connections than the pool's (pool_size 5 and max_overflow 10, for two replicas of the tools service).
ALTER USER 'heliograph_reader'@'%' WITH MAX_USER_CONNECTIONS 30;

-- CHANGE: the secure views, one line each. A view runs with the rights of the user who defined it (SQL SECURITY DEFINER, the
-- default), so that the role needs no right on the base table, on AES_DECRYPT's key or on the function that gives it.
GRANT SELECT ON fieldservice.secure_employee TO 'heliograph_reader'@'%';

-- CHANGE: the tables that hold nothing encrypted, one line each. Never `fieldservice.*`: that includes the base tables.
GRANT SELECT ON fieldservice.crew TO 'heliograph_reader'@'%';
GRANT SELECT ON fieldservice.employee_crew TO 'heliograph_reader'@'%';
GRANT SELECT ON fieldservice.question TO 'heliograph_reader'@'%';

-- What the views need where they do not have it yet. MySQL takes no variable in a view, so a function reads it; the
-- function belongs to the views' definer, and the role has no EXECUTE on it:
--   CREATE FUNCTION fieldservice.aes_key() RETURNS VARBINARY(255) NO SQL SQL SECURITY DEFINER RETURN @aesKey;
--   CREATE VIEW fieldservice.secure_employee AS
--     SELECT id, company_id, CONVERT(AES_DECRYPT(name, fieldservice.aes_key()) USING utf8mb4) AS name FROM fieldservice.employee;
