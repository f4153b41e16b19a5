-- The sign-ins of an account that still count: sessions of browsers, and families of refresh tokens.
SELECT session_id AS "id!", true AS "is_browser!", created_at AS "created_at!", last_seen_at AS "last_seen_at!",
    expires_at AS "expires_at!", address, client
FROM bff.sessions
WHERE account_id = $1 AND expires_at > $2 AND last_seen_at > $3
UNION ALL
SELECT family, false, min(coalesce(signed_in_at, created_at)), max(created_at), max(expires_at), max(address), max(client)
FROM bff.refresh_tokens
WHERE account_id = $1
GROUP BY family
HAVING bool_or(used_at IS NULL AND expires_at > $2)
ORDER BY 3 DESC, 1
