"""Tables: rows become facts by a map, without a model. `kg map` proposes the map, `kg load --map` reads by it."""
