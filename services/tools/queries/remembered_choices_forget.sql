-- Forgets what a person chose for these words.
DELETE FROM tools.remembered_choices
WHERE tenant = $1 AND subject = $2 AND mention = ANY ($3)
