// title:   Connections to the server
// purpose: Tells whether another program uses it.
// mode:    schema
// params:  none
// columns: address STRING (of the client), program STRING
// order:   none
// source:  kg-neo4j
CALL dbms.listConnections() YIELD clientAddress, userAgent
RETURN clientAddress AS address, userAgent AS program
