// title:   Whether a document has a name, a language and a kind
// purpose: Filters by document, language and kind that leave many documents.
// mode:    read
// params:  $id STRING (of the one that is tested);
//          $only_names STRING (regular expression of names, or null: any); $only_named LIST<STRING> (ids that count as names);
//          $only_languages LIST<STRING> (in lower case, or null: any); $only_kinds LIST<STRING> (likewise)
// columns: id STRING
// order:   none
// source:  kg-neo4j
MATCH (this:KgDocument {id: $id})
WHERE ($only_languages IS NULL OR toLower(this.language) IN $only_languages) AND ($only_kinds IS NULL OR toLower(this.kind) IN $only_kinds)
  AND ($only_names IS NULL OR this.id IN $only_named
       OR any(this_name IN [this.title, this.key, this.source] + coalesce(this.redirects, []) WHERE normalize(this_name) =~ $only_names))
RETURN this.id AS id
