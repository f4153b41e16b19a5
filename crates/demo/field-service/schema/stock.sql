-- What is used up: parts, stock, suppliers, orders to them.

CREATE TABLE partCategory (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(30) NOT NULL UNIQUE,
    name VARCHAR(60) NOT NULL
) COMMENT 'Kinds of parts, the same for all companies';

CREATE TABLE supplier (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    name VARCHAR(100) NOT NULL,
    city VARCHAR(60) NOT NULL,
    leadTimeDays INT NOT NULL COMMENT 'Usual days from order to delivery',
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    FOREIGN KEY (companyId) REFERENCES company (id)
) COMMENT 'Who parts are bought from';

CREATE TABLE part (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    partCategoryId INT NOT NULL,
    supplierId INT NOT NULL COMMENT 'The preferred supplier',
    partNumber VARCHAR(30) NOT NULL,
    name VARCHAR(100) NOT NULL,
    unit VARCHAR(10) NOT NULL,
    unitCost DECIMAL(10, 2) NOT NULL COMMENT 'What we pay',
    unitPrice DECIMAL(10, 2) NOT NULL COMMENT 'What customers pay',
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    UNIQUE KEY (companyId, partNumber),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (partCategoryId) REFERENCES partCategory (id),
    FOREIGN KEY (supplierId) REFERENCES supplier (id)
) COMMENT 'Spare parts and material';

CREATE TABLE warehouse (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    name VARCHAR(60) NOT NULL,
    city VARCHAR(60) NOT NULL,
    managerId INT NULL COMMENT 'The employee in charge',
    FOREIGN KEY (companyId) REFERENCES company (id)
) COMMENT 'Where parts are kept';

CREATE TABLE stockLevel (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    warehouseId INT NOT NULL,
    partId INT NOT NULL,
    quantity INT NOT NULL,
    reorderPoint INT NOT NULL COMMENT 'At or below this quantity, parts are ordered',
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (warehouseId, partId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (warehouseId) REFERENCES warehouse (id),
    FOREIGN KEY (partId) REFERENCES part (id)
) COMMENT 'How much of a part is in a warehouse';

CREATE TABLE purchaseOrder (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    supplierId INT NOT NULL,
    warehouseId INT NOT NULL,
    purchaseOrderNumber VARCHAR(20) NOT NULL,
    status ENUM('draft', 'ordered', 'received', 'cancelled') NOT NULL,
    orderedOn DATE NOT NULL,
    expectedOn DATE NOT NULL,
    receivedOn DATE NULL,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, purchaseOrderNumber),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (supplierId) REFERENCES supplier (id),
    FOREIGN KEY (warehouseId) REFERENCES warehouse (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Orders to suppliers';

CREATE TABLE purchaseOrderLine (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    purchaseOrderId INT NOT NULL,
    partId INT NOT NULL,
    quantity INT NOT NULL,
    unitCost DECIMAL(10, 2) NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (purchaseOrderId) REFERENCES purchaseOrder (id),
    FOREIGN KEY (partId) REFERENCES part (id)
) COMMENT 'Lines of orders to suppliers';

CREATE TABLE workOrderPart (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderId INT NOT NULL,
    partId INT NOT NULL,
    quantity INT NOT NULL,
    unitPrice DECIMAL(10, 2) NOT NULL,
    UNIQUE KEY (workOrderId, partId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id),
    FOREIGN KEY (partId) REFERENCES part (id)
) COMMENT 'Parts used on work orders';
