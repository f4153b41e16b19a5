-- Forgets everything that a person chose.
DELETE FROM tools.remembered_choices
WHERE tenant = $1 AND subject = $2
