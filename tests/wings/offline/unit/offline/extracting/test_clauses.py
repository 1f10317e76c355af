"""Who does what to whom in a sentence."""

from __future__ import annotations

from kg_neo4j_offline.extracting.clauses import parse, read_clauses


def test_a_passive_clause_has_who_did_it_as_its_agent() -> None:
    [clause] = read_clauses(parse("The mill was built by Otto Berg in 1874."))
    assert clause.agent.words == {"otto", "berg"}
    assert clause.patient.words == {"mill"}
    assert "1874" in clause.others
    assert not clause.denied
