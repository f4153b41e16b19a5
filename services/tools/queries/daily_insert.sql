-- Writes days from a JSON array whose members have the names of the columns.
INSERT INTO tools.daily
SELECT (jsonb_populate_recordset(NULL::tools.daily, $1)).*;
