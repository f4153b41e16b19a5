-- Who works here: companies, users, employees, what they can do and drive.
-- Columns of type VARBINARY are encrypted; the secure views (views.sql) show what they hold.

CREATE TABLE company (
    id INT NOT NULL PRIMARY KEY,
    name VARCHAR(100) NOT NULL COMMENT 'Name as customers know it',
    legalName VARCHAR(150) NOT NULL,
    timezone VARCHAR(50) NOT NULL COMMENT 'IANA time zone of the head office',
    currency CHAR(3) NOT NULL COMMENT 'ISO 4217 code of all amounts of this company',
    createdAt DATETIME NOT NULL
) COMMENT 'Companies (tenants) that use the system';

CREATE TABLE role (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(30) NOT NULL UNIQUE COMMENT 'technician, apprentice, dispatcher, estimator, manager, office',
    name VARCHAR(60) NOT NULL,
    isField BOOLEAN NOT NULL COMMENT 'Whether people of this role work at customers'' places'
) COMMENT 'Roles of employees and users, the same for all companies';

CREATE TABLE skill (
    id INT NOT NULL PRIMARY KEY,
    code VARCHAR(30) NOT NULL UNIQUE,
    name VARCHAR(80) NOT NULL
) COMMENT 'Skills and certificates, the same for all companies';

CREATE TABLE `user` (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    roleId INT NOT NULL,
    firstName VARBINARY(255) NOT NULL,
    lastName VARBINARY(255) NOT NULL,
    email VARBINARY(255) NOT NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    lastLoginAt DATETIME NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    KEY (companyId, isActive),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (roleId) REFERENCES role (id)
) COMMENT 'Accounts that sign in to the system';

CREATE TABLE employee (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    userId INT NULL COMMENT 'The account of the employee, if there is one',
    roleId INT NOT NULL COMMENT 'What the employee does: technician, dispatcher, …',
    employeeNumber VARCHAR(20) NOT NULL,
    firstName VARBINARY(255) NOT NULL,
    lastName VARBINARY(255) NOT NULL,
    email VARBINARY(255) NULL,
    phone VARBINARY(255) NULL,
    address VARBINARY(255) NULL,
    hourlyRate VARBINARY(255) NOT NULL COMMENT 'Pay per regular hour, in the company''s currency',
    weeklyHours DECIMAL(4, 1) NOT NULL COMMENT 'Contracted hours per week',
    hiredOn DATE NOT NULL,
    leftOn DATE NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'False once the employee has left',
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    UNIQUE KEY (companyId, employeeNumber),
    UNIQUE KEY (userId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (userId) REFERENCES `user` (id),
    FOREIGN KEY (roleId) REFERENCES role (id),
    FOREIGN KEY (createdBy) REFERENCES `user` (id),
    FOREIGN KEY (updatedBy) REFERENCES `user` (id)
) COMMENT 'People who work for the company';

CREATE TABLE employeeSkill (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    employeeId INT NOT NULL,
    skillId INT NOT NULL,
    level TINYINT NOT NULL COMMENT '1 basic, 2 proficient, 3 expert',
    certifiedUntil DATE NULL COMMENT 'When the certificate ends; NULL where none is needed',
    UNIQUE KEY (employeeId, skillId),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id),
    FOREIGN KEY (skillId) REFERENCES skill (id)
) COMMENT 'Which employee has which skill';

CREATE TABLE timeOff (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    employeeId INT NOT NULL,
    type ENUM('vacation', 'sick', 'training', 'unpaid') NOT NULL,
    startsOn DATE NOT NULL,
    endsOn DATE NOT NULL COMMENT 'Last day off',
    status ENUM('requested', 'approved', 'rejected') NOT NULL,
    approvedBy INT NULL COMMENT 'The employee who decided',
    createdBy INT NULL,
    updatedBy INT NULL,
    createdAt DATETIME NOT NULL,
    updatedAt DATETIME NOT NULL,
    KEY (companyId, startsOn),
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id)
) COMMENT 'Vacation, sickness and other absence of employees';

CREATE TABLE overtimeRule (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    name VARCHAR(80) NOT NULL,
    weeklyThresholdHours DECIMAL(4, 1) NOT NULL COMMENT 'Hours per week beyond which work is overtime',
    multiplier DECIMAL(3, 2) NOT NULL COMMENT 'What an overtime hour is paid, in regular hours',
    validFrom DATE NOT NULL,
    FOREIGN KEY (companyId) REFERENCES company (id)
) COMMENT 'How overtime is counted and paid';

CREATE TABLE vehicle (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    registration VARCHAR(20) NOT NULL,
    make VARCHAR(40) NOT NULL,
    model VARCHAR(40) NOT NULL,
    modelYear SMALLINT NOT NULL,
    mileageKm INT NOT NULL,
    nextServiceOn DATE NULL,
    isActive BOOLEAN NOT NULL DEFAULT TRUE,
    UNIQUE KEY (companyId, registration),
    FOREIGN KEY (companyId) REFERENCES company (id)
) COMMENT 'Vans and cars';

CREATE TABLE vehicleAssignment (
    id INT NOT NULL PRIMARY KEY,
    companyId INT NOT NULL,
    vehicleId INT NOT NULL,
    employeeId INT NOT NULL,
    assignedFrom DATE NOT NULL,
    assignedUntil DATE NULL COMMENT 'NULL while it lasts',
    FOREIGN KEY (companyId) REFERENCES company (id),
    FOREIGN KEY (vehicleId) REFERENCES vehicle (id),
    FOREIGN KEY (employeeId) REFERENCES employee (id)
) COMMENT 'Which employee drives which vehicle';
