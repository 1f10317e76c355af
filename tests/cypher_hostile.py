"""Queries that must not run, by what they try; and the schema of a small graph to hold queries to."""

from __future__ import annotations

from kg_neo4j.retrieve.cypher.schema import GraphSchema

SCHEMA = GraphSchema(
    labels={"Entity": 5, "PERSON": 3, "PLACE": 2, "Chunk": 3, "Document": 1, "Fact": 3},
    relationships={"MET": 1, "LIVED_IN": 1, "CHILD_OF": 1, "MENTIONED_IN": 6, "STATED_IN": 3, "IN_DOCUMENT": 3},
    ends={"MET": ("PERSON", "PERSON"), "LIVED_IN": ("PERSON", "PLACE"), "CHILD_OF": ("PERSON", "PERSON")},
    node_properties={
        "Entity": ("aliases", "birth_year", "description", "evidence_count", "id", "name", "type"),
        "Chunk": ("id", "index", "text"),
        "Document": ("id", "title"),
        "Fact": ("description", "id", "type"),
    },
    relationship_properties=("description", "evidence_count", "fact_id", "start_date"),
)

# what a READ transaction refuses, too
WRITES = [
    "MATCH (n) DETACH DELETE n",
    "MATCH (n:Entity) SET n.name = 'x' RETURN n.name",
    "MATCH (n:Entity) REMOVE n.name RETURN n.id",
    "CREATE (n:Entity {name: 'x'}) RETURN n.name",
    "CREATE (n) RETURN 'done'",
    "MERGE (n:Entity {id: 'x'}) RETURN n.name",
    "MATCH (n:Entity) FOREACH (x IN [1] | SET n.name = 'x') RETURN n.name",
    "MATCH (n:Entity) CALL (n) { SET n.name = 'x' } RETURN n.name",
    "MATCH (n:Entity) CALL { WITH n DELETE n } IN TRANSACTIONS RETURN 1",
    "UNWIND [1] AS x CALL (x) { CREATE (:Leak) } IN TRANSACTIONS OF 1 ROWS RETURN x",
    "DROP INDEX kg_entity_text",
    "DROP CONSTRAINT kg_own_entity_id",
    "CREATE INDEX hostile FOR (n:Entity) ON (n.name)",
    "CREATE USER hostile SET PASSWORD 'hostile123'",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'hostile123'",
    "DROP DATABASE neo4j",
    "CALL db.createLabel('Hostile')",
    "CALL db.index.fulltext.createNodeIndex('x', ['Entity'], ['name'])",
    "CALL db.create.setNodeVectorProperty(null, 'a', [1.0])",
    "MATCH (n:Entity) INSERT (:Leak)",
    "MATCH (n:Entity {graph: $graph}) WITH n LIMIT 1 SET n:Hostile RETURN n.name",
]

# what only reads for the server, and must not run all the same
READS = [
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.labels()",
    "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "CALL dbms.components() YIELD name RETURN name",
    "CALL dbms.queryJmx('*:*') YIELD name RETURN name",
    "CALL db.schema.visualization()",
    "CALL gds.graph.list() YIELD graphName RETURN graphName",
    "CALL gds.graph.project('hostile', '*', '*') YIELD graphName RETURN graphName",
    "CALL gds.pageRank.stream('kg') YIELD nodeId RETURN nodeId",
    "CALL gds.graph.drop('kg') YIELD graphName RETURN graphName",
    "CALL db.index.fulltext.queryNodes('kg_entity_text', 'a') YIELD node RETURN node.name",
    "CALL { MATCH (n) RETURN n } RETURN n.name",
    "OPTIONAL CALL db.labels() YIELD label RETURN label",
    "SHOW USERS",
    "SHOW SETTINGS",
    "SHOW PROCEDURES",
    "SHOW DATABASES",
    "SHOW TRANSACTIONS",
    "SHOW CURRENT USER",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "RETURN gds.version() AS version",
    "CALL apoc.meta.data() YIELD label RETURN label",
    "CALL apoc.meta.data({sample: 1}) YIELD label RETURN label",
    "CALL apoc.meta.subGraph({}) YIELD nodes RETURN nodes",
    "MATCH (n:Entity {graph: $graph}) RETURN apoc.any.property(n, 'embedding') AS vector",
    "RETURN apoc.meta.cypher.type(1) AS type",
    "RETURN gds.util.asNode(0).name AS name",
    "MATCH (n:Entity {graph: 'other'}) RETURN n.name AS name",
    "MATCH (a:Entity {graph: $graph})--(b) RETURN b.name AS name",
    "MATCH (a:Entity {graph: $graph}) RETURN [(a)--(b) | b.name] AS near",
    "MATCH (a:Entity {graph: $graph})-[:MET*1..3]-(b:Entity {graph: $graph}) RETURN b.name AS name, a { .*} AS all",
    "MATCH (a:Entity {graph: $graph}) WHERE EXISTS { (a)--(b:Entity) } RETURN a.name AS name",
    "MATCH (a:Entity {graph: $graph}) RETURN COUNT { (a)--(b) } AS number",
    "MATCH (a:Entity {graph: $graph}) RETURN COLLECT { MATCH (a)--(b) RETURN b.name } AS names",
    "MATCH (n) WHERE elementId(n) = '4:x:0' RETURN n",
    "MATCH (n:Lease) RETURN n.token AS token",
    "MATCH (n:$('Entity')) RETURN n.name AS name",
    "RETURN reduce(s = 'a', x IN [1, 2, 3] | s + s) AS bomb",
    "UNWIND range(0, 1000000000) AS x RETURN collect(x) AS bomb",
    "RETURN [x IN range(0, 1000000000) | x] AS bomb",
    "RETURN randomUUID() AS id",
    "RETURN datetime() AS now",
    "MATCH (n:Entity {graph: $graph}) RETURN properties(n) AS p",
    "RETURN file() AS f",
]

# what reads all graphs alike as it stands, and one graph after it was written anew
UNHELD = [
    "MATCH (n) RETURN n",
    "MATCH (n) RETURN count(n) AS number",
    "MATCH (n:Entity) RETURN count(n) AS number",
    "MATCH ()-[r]->() RETURN count(r) AS number",
    "MATCH ()-[r:MET]->() RETURN count(r) AS number",
    "MATCH (a:PERSON)-[:MET]-(b) RETURN b.name AS name",
    "MATCH (a:PERSON)-[:MET*1..3]-(b:PERSON) RETURN b.name AS name",
    "MATCH p = shortestPath((a:PERSON)-[*1..4]-(b:PLACE)) RETURN length(p) AS steps",
    "MATCH (a:PERSON) WHERE (a)-[:MET]-(:PERSON) RETURN a.name AS name",
]

# what reaches files and addresses from a READ transaction where the server lets it
LOADS = [
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV WITH HEADERS FROM 'http://127.0.0.1:{port}/x.csv' AS line RETURN line",
    "LOAD CSV FROM 'http://[::1]:{port}/x.csv' AS line RETURN line",
    "LOAD CSV FROM 'http://2130706433:{port}/x.csv' AS line RETURN line",
    "LOAD CSV FROM 'ftp://127.0.0.1:{port}/x.csv' AS line RETURN line",
    "MATCH (n:Entity {{graph: $graph}}) LOAD CSV FROM 'http://127.0.0.1:{port}/' + n.name AS line RETURN line",
    "UNWIND ['file:///etc/hosts', 'http://localhost:{port}/'] AS place LOAD CSV FROM place AS line RETURN line",
    "CALL () {{ LOAD CSV FROM 'http://127.0.0.1:{port}/x.csv' AS line RETURN line }} RETURN line",
    "CALL apoc.load.json('http://127.0.0.1:{port}/x.json') YIELD value RETURN value",
    "CALL apoc.load.csv('file:///etc/passwd') YIELD list RETURN list",
    "CALL apoc.load.xml('http://127.0.0.1:{port}/x.xml') YIELD value RETURN value",
    "CALL apoc.import.json('http://127.0.0.1:{port}/x.json', {{}}) YIELD nodes RETURN nodes",
    "CALL apoc.export.csv.all('/tmp/all.csv', {{}}) YIELD file RETURN file",
    "CALL apoc.export.cypher.query('MATCH (n) RETURN n', '/tmp/all.cypher', {{}}) YIELD file RETURN file",
    "CALL apoc.meta.data.of('LOAD CSV FROM \"http://127.0.0.1:{port}/\" AS l RETURN l') YIELD label RETURN label",
    "CALL apoc.meta.graph.of('MATCH (n) RETURN n') YIELD nodes RETURN nodes",
    "RETURN apoc.cypher.runFirstColumnSingle('LOAD CSV FROM \"http://127.0.0.1:{port}/\" AS l RETURN l', {{}}) AS one",
    "CALL apoc.periodic.iterate('RETURN 1', 'CREATE (n)', {{}}) YIELD batches RETURN batches",
    "CALL apoc.cypher.runWrite('CREATE (n)', {{}}) YIELD value RETURN value",
    "CALL apoc.cypher.run('LOAD CSV FROM \"http://127.0.0.1:{port}/\" AS l RETURN l', {{}}) YIELD value RETURN value",
]

# what a query says otherwise than it seems to
DISGUISED = [
    "\\u0043ALL db.labels() YIELD label RETURN label",
    "MATCH (n:Entity) RETURN n.name AS name \\u003b MATCH (m) DETACH DELETE m",
    "MATCH (n:`Entity\\u0060) DETACH DELETE n //`) RETURN n",
    "MATCH (n:`Entity`) RETURN n.`embedding` AS e",
    "MATCH (n:Entity) RETURN n.name AS name; MATCH (m) DETACH DELETE m",
    "MATCH (n:Entity) RETURN n.name AS name // \n UNION MATCH (m) RETURN m.token AS name",
    "/* harmless */ MATCH (n) RETURN n",
    "MATCH (n)/**/RETURN n",
    "EXPLAIN MATCH (n) DETACH DELETE n",
    "PROFILE MATCH (n) RETURN n",
    "CYPHER 25 MATCH (n) RETURN n",
    "CYPHER runtime=slotted MATCH (n) DETACH DELETE n",
    "USE system SHOW USERS",
    "USE neo4j MATCH (n) RETURN n",
    "MATCH (n:Entity {graph: $graph}) RETURN n.name AS name UNION MATCH (m) RETURN m.name AS name",
    "MATCH (n:Entity {graph: $graph}) RETURN n.name AS name UNION ALL MATCH (m:Lease) RETURN m.token AS name",
    "ＭＡＴＣＨ (n) RETURN n",
    "MATCH (n:Entity)\u00a0DETACH\u00a0DELETE n",
    "MATCH (n:Entity)\u2028DETACH DELETE n",
    "MATCH (n:Entіty) RETURN n",  # a Cyrillic letter
    "MATCH (n:Entity) WHERE n.name =~ '(a+)+$' RETURN n.name AS name",
    "MATCH (n:Entity) RETURN n.embedding AS e",
    "MATCH (n:Entity) RETURN n['embedding'] AS e",
    "MATCH (n:Entity) WITH n AS m RETURN m {.*} AS all",
    "MATCH (n:Entity) RETURN *",
    "MATCH (n:Entity) WHERE n.name = $graph RETURN n.name AS name",
    "MATCH (n:Entity {name: 'x' + $missing}) RETURN n.name AS name",
    "RETURN 1 AS x NEXT MATCH (n) RETURN n",
    "MATCH (a:PERSON) WHERE a.name = 'x' XOR a.name = 'y' RETURN a.name AS name",  # a planner writes out 2^n cases
    "FINISH",
    "",
    ";",
]
# what reads one graph, or nothing, for the server, and is refused all the same
HARMLESS = [
    "CALL () { MATCH (n:Entity {graph: $graph}) RETURN n } RETURN n.name AS name",
    "MATCH (n:Entity {graph: $graph}) WHERE n.name =~ '(a+)+$' RETURN n.name AS name",
    "WITH 'x' AS _ids RETURN _ids",
]
HOSTILE = [*HARMLESS, *WRITES, *READS, *(each.format(port=9) for each in LOADS), *DISGUISED]
