-- What it costs and earns: quotes, invoices, payments, expenses.

CREATE TABLE quote (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerId INT NOT NULL,
    workOrderId INT NULL COMMENT 'The work order that an accepted quote became',
    quoteNumber VARCHAR(20) NOT NULL,
    status ENUM('draft', 'sent', 'accepted', 'rejected', 'expired') NOT NULL,
    issuedOn DATE NOT NULL,
    validUntil DATE NOT NULL,
    totalAmount DECIMAL(10, 2) NOT NULL COMMENT 'Without tax',
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, quoteNumber),
    KEY (workOrderId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Offers to customers';

CREATE TABLE quoteLine (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    quoteId INT NOT NULL,
    partId INT NULL COMMENT 'NULL for labour',
    description VARCHAR(150) NOT NULL,
    quantity DECIMAL(8, 2) NOT NULL,
    unitPrice DECIMAL(10, 2) NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (quoteId) REFERENCES quote (id),
    FOREIGN KEY (partId) REFERENCES part (id)
) COMMENT 'Lines of offers';

CREATE TABLE invoice (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    customerId INT NOT NULL,
    workOrderId INT NULL COMMENT 'NULL for the fee of a contract',
    invoiceNumber VARCHAR(20) NOT NULL,
    status ENUM('draft', 'sent', 'paid', 'overdue', 'cancelled') NOT NULL,
    issuedOn DATE NOT NULL,
    dueOn DATE NOT NULL,
    netAmount DECIMAL(10, 2) NOT NULL,
    taxAmount DECIMAL(10, 2) NOT NULL,
    totalAmount DECIMAL(10, 2) NOT NULL COMMENT 'Net and tax',
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, invoiceNumber),
    KEY (companyId, issuedOn),
    KEY (companyId, status),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Invoices to customers';

CREATE TABLE invoiceLine (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    invoiceId INT NOT NULL,
    partId INT NULL COMMENT 'NULL for labour',
    description VARCHAR(150) NOT NULL,
    quantity DECIMAL(8, 2) NOT NULL,
    unitPrice DECIMAL(10, 2) NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (invoiceId) REFERENCES invoice (id),
    FOREIGN KEY (partId) REFERENCES part (id)
) COMMENT 'Lines of invoices';

CREATE TABLE payment (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    invoiceId INT NOT NULL,
    paidOn DATE NOT NULL,
    amount DECIMAL(10, 2) NOT NULL,
    method ENUM('transfer', 'card', 'direct_debit', 'cash') NOT NULL,
    KEY (companyId, paidOn),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (invoiceId) REFERENCES invoice (id)
) COMMENT 'Payments of invoices';

CREATE TABLE expense (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    employeeId INT NOT NULL,
    workOrderId INT NULL,
    type ENUM('fuel', 'parking', 'meals', 'lodging', 'material') NOT NULL,
    amount DECIMAL(8, 2) NOT NULL,
    spentOn DATE NOT NULL,
    isReimbursed BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME NOT NULL,
    KEY (companyId, spentOn),
    KEY (workOrderId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id)
) COMMENT 'What employees spent for the company';
