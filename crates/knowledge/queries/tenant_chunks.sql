-- How many chunks does a tenant have?
SELECT chunks FROM tools.knowledge_tenants WHERE tenant = $1
