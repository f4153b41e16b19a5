-- The secure views: what the encrypted columns hold, for a session that has the key.
--
-- A view may not name a user variable, so a function returns it. Both run with their maker's rights; the role that reads has
-- neither the function nor the tables.

CREATE FUNCTION sessionKey() RETURNS VARCHAR(255) CHARACTER SET utf8mb4
    DETERMINISTIC NO SQL SQL SECURITY DEFINER
    RETURN @aesKey;

CREATE SQL SECURITY DEFINER VIEW secure_user AS
SELECT id, companyId, roleId,
    CONVERT(AES_DECRYPT(firstName, sessionKey()) USING utf8mb4) AS firstName,
    CONVERT(AES_DECRYPT(lastName, sessionKey()) USING utf8mb4) AS lastName,
    CONVERT(AES_DECRYPT(email, sessionKey()) USING utf8mb4) AS email,
    isActive, lastLoginAt, createdAt, updatedAt
FROM `user`;

CREATE SQL SECURITY DEFINER VIEW secure_employee AS
SELECT id, companyId, userId, roleId, employeeNumber,
    CONVERT(AES_DECRYPT(firstName, sessionKey()) USING utf8mb4) AS firstName,
    CONVERT(AES_DECRYPT(lastName, sessionKey()) USING utf8mb4) AS lastName,
    CONVERT(AES_DECRYPT(email, sessionKey()) USING utf8mb4) AS email,
    CONVERT(AES_DECRYPT(phone, sessionKey()) USING utf8mb4) AS phone,
    CONVERT(AES_DECRYPT(address, sessionKey()) USING utf8mb4) AS address,
    CAST(CONVERT(AES_DECRYPT(hourlyRate, sessionKey()) USING utf8mb4) AS DECIMAL(8, 2)) AS hourlyRate,
    weeklyHours, hiredOn, leftOn, isActive, createdBy, updatedBy, createdAt, updatedAt
FROM employee;

CREATE SQL SECURITY DEFINER VIEW secure_workorder AS
SELECT id, companyId, workOrderNumber, title,
    CONVERT(AES_DECRYPT(description, sessionKey()) USING utf8mb4) AS description,
    workOrderStatusId, workOrderTypeId, priority, customerId, customerLocationId, assetId, contractId,
    CONVERT(AES_DECRYPT(siteContactName, sessionKey()) USING utf8mb4) AS siteContactName,
    CONVERT(AES_DECRYPT(siteContactPhone, sessionKey()) USING utf8mb4) AS siteContactPhone,
    scheduledStart, scheduledEnd, completedAt, estimatedHours, createdBy, updatedBy, createdAt, updatedAt
FROM workOrder;

CREATE SQL SECURITY DEFINER VIEW secure_customer AS
SELECT id, companyId, customerNumber,
    CONVERT(AES_DECRYPT(name, sessionKey()) USING utf8mb4) AS name,
    CONVERT(AES_DECRYPT(email, sessionKey()) USING utf8mb4) AS email,
    CONVERT(AES_DECRYPT(phone, sessionKey()) USING utf8mb4) AS phone,
    type, accountManagerId, paymentTermDays, isActive, createdBy, updatedBy, createdAt, updatedAt
FROM customer;

CREATE SQL SECURITY DEFINER VIEW secure_customerlocation AS
SELECT id, companyId, customerId, name,
    CONVERT(AES_DECRYPT(street, sessionKey()) USING utf8mb4) AS street,
    CONVERT(AES_DECRYPT(postalCode, sessionKey()) USING utf8mb4) AS postalCode,
    city, region, latitude, longitude, isBilling, createdAt, updatedAt
FROM customerLocation;

CREATE SQL SECURITY DEFINER VIEW secure_customercontact AS
SELECT id, companyId, customerId, customerLocationId,
    CONVERT(AES_DECRYPT(firstName, sessionKey()) USING utf8mb4) AS firstName,
    CONVERT(AES_DECRYPT(lastName, sessionKey()) USING utf8mb4) AS lastName,
    CONVERT(AES_DECRYPT(email, sessionKey()) USING utf8mb4) AS email,
    CONVERT(AES_DECRYPT(phone, sessionKey()) USING utf8mb4) AS phone,
    isPrimary, createdAt, updatedAt
FROM customerContact;
