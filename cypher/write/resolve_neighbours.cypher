// title:   Entities close in meaning
// purpose: The nearest entities by the vector index, for a page of entities; of one graph only.
// mode:    read
// params:  $graph STRING (graph name, default main); $index STRING (vector index over entities);
//          $after STRING (id of the last entity of the page before); $limit INTEGER (entities a page, >= 1);
//          $fetch INTEGER (neighbours to fetch for each, >= 1); $near FLOAT (cosine that counts, -1 to 1)
// columns: id STRING, near LIST<LIST> (entity id, cosine)
// order:   id
// source:  the graph article
MATCH (e:KgEntity)
WHERE e.id > $after AND e.graph = $graph AND e.embedding IS NOT NULL
WITH e ORDER BY e.id LIMIT $limit
CALL (e) {
  CALL db.index.vector.queryNodes($index, $fetch, e.embedding) YIELD node, score
  WHERE node.graph = $graph AND node.id > e.id AND 2 * score - 1 >= $near
  RETURN collect([node.id, 2 * score - 1]) AS near
}
RETURN e.id AS id, near
ORDER BY id
