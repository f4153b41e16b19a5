-- Who is served, where, and with what equipment.

CREATE TABLE serviceLevel (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(20) NOT NULL UNIQUE,
    name VARCHAR(60) NOT NULL,
    responseHours INT NOT NULL COMMENT 'Hours within which a technician is on site',
    resolutionHours INT NOT NULL COMMENT 'Hours within which the fault is repaired'
) COMMENT 'Service levels of contracts, the same for all companies';

CREATE TABLE assetType (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(30) NOT NULL UNIQUE,
    name VARCHAR(80) NOT NULL,
    serviceIntervalDays INT NOT NULL COMMENT 'How often equipment of this type is serviced'
) COMMENT 'Kinds of equipment, the same for all companies';

CREATE TABLE customer (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerNumber VARCHAR(20) NOT NULL,
    name VARBINARY(255) NOT NULL,
    email VARBINARY(255) NULL,
    phone VARBINARY(255) NULL,
    type ENUM('residential', 'commercial', 'public') NOT NULL,
    accountManagerId INT NULL COMMENT 'The employee who looks after this customer',
    paymentTermDays INT NOT NULL DEFAULT 30,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, customerNumber),
    KEY (companyId, type),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Customers';

CREATE TABLE customerLocation (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerId INT NOT NULL,
    name VARCHAR(80) NOT NULL COMMENT 'What the customer calls the place',
    street VARBINARY(255) NOT NULL,
    postalCode VARBINARY(255) NOT NULL,
    city VARCHAR(60) NOT NULL,
    region VARCHAR(60) NOT NULL,
    latitude DECIMAL(8, 5) NULL,
    longitude DECIMAL(8, 5) NULL,
    isBilling BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'Whether invoices go there',
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    KEY (companyId, city),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerId) REFERENCES customer (id)
) COMMENT 'Places where customers are served';

CREATE TABLE customerContact (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerId INT NOT NULL,
    customerLocationId INT NULL COMMENT 'The place this person is responsible for; NULL: all',
    firstName VARBINARY(255) NOT NULL,
    lastName VARBINARY(255) NOT NULL,
    email VARBINARY(255) NULL,
    phone VARBINARY(255) NULL,
    isPrimary BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (customerLocationId) REFERENCES customerLocation (id)
) COMMENT 'People at customers';

CREATE TABLE contract (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerId INT NOT NULL,
    serviceLevelId INT NOT NULL,
    contractNumber VARCHAR(20) NOT NULL,
    startsOn DATE NOT NULL,
    endsOn DATE NOT NULL COMMENT 'Last day',
    monthlyFee DECIMAL(10, 2) NOT NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, contractNumber),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (serviceLevelId) REFERENCES serviceLevel (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Maintenance contracts';

CREATE TABLE asset (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerLocationId INT NOT NULL,
    assetTypeId INT NOT NULL,
    serialNumber VARCHAR(40) NOT NULL,
    manufacturer VARCHAR(60) NOT NULL,
    model VARCHAR(60) NOT NULL,
    installedOn DATE NOT NULL,
    warrantyUntil DATE NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    UNIQUE KEY (companyId, serialNumber),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerLocationId) REFERENCES customerLocation (id),
    FOREIGN KEY (assetTypeId) REFERENCES assetType (id)
) COMMENT 'Equipment at customers'' places: boilers, chillers, lifts, …';
