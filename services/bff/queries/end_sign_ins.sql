-- Ends the sessions that began at an identity provider: of one session there, otherwise of a person.
DELETE FROM bff.sessions s
USING bff.identities i
WHERE i.account_id = s.account_id
    AND i.issuer = $1
    AND s.issuer = $1
    AND ($2::text IS NULL OR s.issuer_session = $2)
    AND ($3::text IS NULL OR i.subject = $3)
