import pytest

from kg_neo4j_offline.short.lives import StatedValue
from kg_neo4j_offline.short.mentions import SentenceName, lines, mentions
from kg_neo4j_offline.short.roles import asks_for_role, find_roles, roles_of

NEWS = (
    "Dzirnis Marine, the shipyard on the Irbene, will cut 340 posts, managing director Ilze Kalnrude said on Tuesday."
    " The union's spokesman, Andris Plavkalns, did not rule out a strike."
    " St Fintan's Hospital admitted it. Dr Fergal Tuohy, the hospital's head of pathology, apologised."
    " His predecessor, Dr Orla Binchy (head of pathology from 2009 to 2017), had warned."
    " Josef Marek, our foreman, has six children. He visited Berlin with the zoologist Feliks Jarocki."
    " Rodrigo Maturana, himself mayor from 2004 to 2012, would not challenge it."
    " She thanked his aunt, Mrs Joan Eddowes. Lamu Air's chief executive, Halima Bakari, stayed."
    " The former director of the Institute, Alasdair Munro, left. The Institute was opened by Eva Holm, its director."
)


def read(text: str, document: str = "notes") -> list[SentenceName]:
    return [mention for line in lines([("c1", document, text)]) for mention in mentions(line)]


def values(found: list[StatedValue]) -> list[str]:
    return [each.value for each in found]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the managing director of Dzirnis Marine?", ["Ilze Kalnrude"]),
        ("Who is the director of Dzirnis Marine?", ["Ilze Kalnrude"]),
        ("Who is the managing director of Saarivesi?", []),
        ("Who is the union's spokesman?", ["Andris Plavkalns"]),
        ("Who is the head of pathology at the hospital?", ["Fergal Tuohy"]),
        ("Who was head of pathology in 2012?", ["Orla Binchy"]),
        ("Who was head of pathology in 2019?", []),
        ("Who was head of pathology before Tuohy?", []),
        ("Who was mayor in 2010?", ["Rodrigo Maturana"]),
        ("Who is the chief executive of Lamu Air?", ["Halima Bakari"]),
        ("Who is the chief executive of Twiga?", []),
        ("Who is the director of the Institute?", ["Eva Holm"]),
        ("What is Josef Marek's job?", ["our foreman"]),
        ("What does Jarocki do for a living?", ["zoologist"]),
        ("What does Joan Eddowes do for a living?", []),  # an aunt is no trade
        ("What did Jarocki do?", []),
        ("What does Tuohy do?", ["the hospital's head of pathology"]),
    ],
)
def test_roles_stand_beside_names(question: str, answer: list[str]) -> None:
    assert values(find_roles(question, read(NEWS))) == answer


def test_the_document_tells_whose_office_it_is() -> None:
    page = "Dr Sunniva Pereira-Lang, director\n\nSunniva came in 2017. She succeeded Alasdair Munro, a former director."
    question = "Who is the director of the museum?"
    assert values(find_roles(question, read(page, "About the museum"))) == ["Sunniva Pereira-Lang"]
    assert values(find_roles(question, read(page, "About us"))) == []


def test_kin_is_no_office() -> None:
    assert asks_for_role("Who is the director of the Institute?")
    assert not asks_for_role("Who was Ysolde's second husband?")
    assert not asks_for_role("Who was the first to cross it?")


def test_what_somebody_is() -> None:
    roles = {each.mention.name: each.value for mention in read(NEWS) for each in roles_of(mention)}
    assert roles["Feliks Jarocki"] == "zoologist"
    assert roles["Josef Marek"] == "our foreman"
    assert roles["Joan Eddowes"] == "aunt"
    assert "Berlin" not in roles
