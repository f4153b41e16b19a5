-- What is loaded here. Written last: without its row, the load was cut.

CREATE TABLE demoLoad (
    version INT NOT NULL PRIMARY KEY,
    anchorDay DATE NOT NULL COMMENT 'The day that the data take for today',
    keyCheck VARBINARY(255) NOT NULL COMMENT 'A known text, encrypted: tells whether a key is the right one'
) COMMENT 'Which demonstration data are here';
