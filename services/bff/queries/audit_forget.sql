-- Removes a person from the entries of the audit log. The trigger lets only this pass.
UPDATE bff.audit SET
    actor = nullif(actor, $1),
    account = nullif(account, $1),
    object = NULL,
    address = CASE WHEN actor = $1 OR actor IS NULL THEN NULL ELSE address END
WHERE actor = $1 OR account = $1
