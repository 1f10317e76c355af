// title:   Vector index over Passage.embedding
// purpose: Finds the nearest vectors. Its name carries the model and the dimension, because Neo4j keeps
//          vectors of another size or model without a word and never finds them.
// mode:    schema
// params:  $name STRING (kg_passage_vector_MODEL_DIMENSION); $dimension INTEGER (length of a vector, 1 to 4096)
// columns: none
// order:   none
// source:  the embedding analysis
CREATE VECTOR INDEX $name IF NOT EXISTS FOR (n:KgPassage) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine'}}
