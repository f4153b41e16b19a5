-- What is done: work orders, crews, hours, inspections.

CREATE TABLE workOrderStatus (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(20) NOT NULL UNIQUE COMMENT 'new, scheduled, in_progress, on_hold, completed, invoiced, cancelled',
    name VARCHAR(60) NOT NULL,
    isOpen BOOLEAN NOT NULL COMMENT 'Whether there is still something to do',
    sortOrder INT NOT NULL
) COMMENT 'States of a work order, the same for all companies';

CREATE TABLE workOrderType (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(20) NOT NULL UNIQUE COMMENT 'repair, maintenance, installation, inspection, emergency',
    name VARCHAR(60) NOT NULL
) COMMENT 'Kinds of work orders, the same for all companies';

CREATE TABLE workOrder (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderNumber VARCHAR(20) NOT NULL,
    title VARCHAR(150) NOT NULL,
    description VARBINARY(1000) NULL,
    workOrderStatusId INT NOT NULL,
    workOrderTypeId INT NOT NULL,
    priority ENUM('low', 'normal', 'high', 'urgent') NOT NULL,
    customerId INT NOT NULL,
    customerLocationId INT NOT NULL,
    assetId INT NULL COMMENT 'The equipment worked on, if it is one',
    contractId INT NULL COMMENT 'The contract that covers the work, if one does',
    siteContactName VARBINARY(255) NULL,
    siteContactPhone VARBINARY(255) NULL,
    scheduledStart DATETIME NOT NULL,
    scheduledEnd DATETIME NOT NULL,
    completedAt DATETIME NULL,
    estimatedHours DECIMAL(5, 2) NOT NULL,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, workOrderNumber),
    KEY (companyId, scheduledStart),
    KEY (companyId, workOrderStatusId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (workOrderStatusId) REFERENCES workOrderStatus (id),
    FOREIGN KEY (workOrderTypeId) REFERENCES workOrderType (id),
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (customerLocationId) REFERENCES customerLocation (id),
    FOREIGN KEY (assetId) REFERENCES asset (id),
    FOREIGN KEY (contractId) REFERENCES contract (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Jobs at customers'' places';

CREATE TABLE crew (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderId INT NOT NULL,
    name VARCHAR(60) NOT NULL,
    startsOn DATE NOT NULL,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (workOrderId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'The team of a work order';

CREATE TABLE employeeCrew (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    crewId INT NOT NULL,
    employeeId INT NOT NULL,
    isLead BOOLEAN NOT NULL DEFAULT FALSE COMMENT 'Whether this employee leads the crew',
    createdAt DATETIME NOT NULL,
    UNIQUE KEY (crewId, employeeId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (crewId) REFERENCES crew (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id)
) COMMENT 'Members of crews';

CREATE TABLE workTime (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    employeeId INT NOT NULL,
    workOrderId INT NOT NULL,
    workDate DATE NOT NULL,
    startsAt DATETIME NOT NULL,
    endsAt DATETIME NOT NULL,
    hours DECIMAL(5, 2) NOT NULL COMMENT 'Hours worked, travel included',
    travelHours DECIMAL(5, 2) NOT NULL COMMENT 'Of these, hours on the road',
    isApproved BOOLEAN NOT NULL DEFAULT FALSE,
    approvedBy INT NULL COMMENT 'The employee who approved the entry',
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    KEY (companyId, workDate),
    KEY (employeeId, workDate),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Hours that employees worked on work orders';

CREATE TABLE schedule (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    employeeId INT NOT NULL,
    workOrderId INT NOT NULL,
    startsAt DATETIME NOT NULL,
    endsAt DATETIME NOT NULL,
    status ENUM('planned', 'confirmed', 'done', 'missed') NOT NULL,
    KEY (companyId, startsAt),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id)
) COMMENT 'Who is planned where and when';

CREATE TABLE inspectionTemplate (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    assetTypeId INT NOT NULL,
    name VARCHAR(100) NOT NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (assetTypeId) REFERENCES assetType (id)
) COMMENT 'Check lists for kinds of equipment';

CREATE TABLE inspectionQuestion (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    inspectionTemplateId INT NOT NULL,
    sortOrder INT NOT NULL,
    questionText VARCHAR(200) NOT NULL,
    answerType ENUM('yes_no', 'number', 'text') NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (inspectionTemplateId) REFERENCES inspectionTemplate (id)
) COMMENT 'Questions of a check list';

CREATE TABLE inspection (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    inspectionTemplateId INT NOT NULL,
    workOrderId INT NOT NULL,
    assetId INT NOT NULL,
    inspectorId INT NOT NULL COMMENT 'The employee who inspected',
    performedAt DATETIME NOT NULL,
    result ENUM('passed', 'passed_with_remarks', 'failed') NOT NULL,
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    KEY (companyId, performedAt),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (inspectionTemplateId) REFERENCES inspectionTemplate (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id),
    FOREIGN KEY (assetId) REFERENCES asset (id),
    FOREIGN KEY (inspectorId) REFERENCES employee (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'Inspections of equipment';

CREATE TABLE inspectionAnswer (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    inspectionId INT NOT NULL,
    inspectionQuestionId INT NOT NULL,
    answerText VARCHAR(200) NULL,
    answerNumber DECIMAL(10, 2) NULL,
    isOk BOOLEAN NOT NULL,
    UNIQUE KEY (inspectionId, inspectionQuestionId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (inspectionId) REFERENCES inspection (id),
    FOREIGN KEY (inspectionQuestionId) REFERENCES inspectionQuestion (id)
) COMMENT 'Answers to the questions of a check list';

CREATE TABLE note (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderId INT NOT NULL,
    employeeId INT NOT NULL,
    noteText VARCHAR(500) NOT NULL,
    createdAt DATETIME NOT NULL,
    KEY (workOrderId),
    KEY (employeeId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id)
) COMMENT 'What employees wrote down about a work order';

CREATE TABLE attachment (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderId INT NOT NULL,
    fileName VARCHAR(120) NOT NULL,
    contentType VARCHAR(60) NOT NULL,
    sizeBytes INT NOT NULL,
    uploadedBy INT NULL COMMENT 'The account that uploaded it',
    createdAt DATETIME NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (workOrderId) REFERENCES workOrder (id)
) COMMENT 'Photos and documents of work orders';

CREATE TABLE customerFeedback (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    workOrderId INT NOT NULL,
    rating TINYINT NOT NULL COMMENT '1 (bad) to 5 (very good)',
    comment VARCHAR(300) NULL,
    receivedOn DATE NOT NULL,
    UNIQUE KEY (workOrderId),
    FOREIGN KEY (companyId) REFERENCES company (id)
) COMMENT 'What customers thought of the work';
