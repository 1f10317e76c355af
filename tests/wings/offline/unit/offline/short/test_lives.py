import pytest

from kg_neo4j_offline.short.lives import asks_for_life, completed_years, find_life, number_of
from kg_neo4j_offline.short.mentions import SentenceName, bearers, lines, mentions

SARRAZAC = (
    "Torvanne was founded by Guilhem de Sarrazac (c. 1205–1271), and not by his brother Perrin. Perrin de Sarrazac"
    " (1211–1290), who outlived him, built the bridge. The Salt War (1492–1496) began late. It was lost by Tommaso"
    " Gavi (d. 1503). Bardakci (b. Smyrna 1764, d. Torvanne 1831) married the mayor's sister, Clémence Pribil, in 1809."
    " Dr Ludmila Pribil (1858–1937), née Novotna, was elected."
)
CHOPIN = (
    "Frédéric François Chopin[n 1] (born Fryderyk Chopin;[n 2] 1 March 1810 – 17 October 1849) was a composer."
    " He had an elder sister, Ludwika (1807–1855), and two younger sisters, Izabela (1811–1881) and Emilia (1812–27)."
    " Chopin would die two years later; the composer Luigi Cherubini had died in Paris in 1842 at the age of 81."
)
COUNCIL = (
    "Cllr Tom Eddowes, 29, offered to write. His uncle, Cllr Desmond Eddowes, who died on 22 March at the age of 84,"
    " sat long. His predecessor, Dr Orla Binchy (2009–2017), went. Laura Kessie, 15, daughter of Cllr Kessie, spoke."
    " Jerzy Walczak (49, farmer) came. The 60-year-old physician beat the notary Armand Teissier."
    " Sixteen-year-old Anahit Gevorgyan won. The 58-year-old engineer Hugo Lind signed, as did his wife."
    " Silas Hesketh, it reported, the 63-year-old owner of the Hesketh yard, came with Ada Brandt, the 30-year-old"
    " Ilse Marchetti and Rolf Egli, aged 71, who wept when the peace was signed."
)

PLACES = (
    "Ada Lind (11 February 1887, Korsholm – 3 August 1961, Port Amary) was a hydrographer. Kai Moe (Hald, 2 May 1901 –"
    " Oslo, 1970) drew. Ida Brun, who was twenty-six and had just come, left. Plot 12, given up by Mrs. Edith Low at"
    " the age of 91, is free. It fell to Henrike Dall, a pastor's widow of thirty-four. Else Wiig, by then 58, wept."
    " He bought the Penny Box, a collection of forty stamps, for Rolf Aas."
)


def read(text: str, document: str = "notes") -> list[SentenceName]:
    return [mention for line in lines([("c1", document, text)]) for mention in mentions(line)]


@pytest.mark.parametrize(
    ("text", "question", "values"),
    [
        (PLACES, "Where did Ada Lind die?", ["Port Amary"]),
        (PLACES, "Where was Ada Lind born?", ["Korsholm"]),
        (PLACES, "Where was Kai Moe born?", ["Hald"]),
        (PLACES, "When was Kai Moe born?", ["2 May 1901"]),
        (PLACES, "How old was Ada Lind when she died?", ["74"]),
        (PLACES, "How old was Ada Lind when her father died?", []),
        (PLACES, "How old was Ida Brun?", ["twenty-six"]),
        (PLACES, "How old was Mrs. Low when she gave up her plot?", ["91"]),
        (PLACES, "How old was Henrike Dall?", ["thirty-four"]),
        (PLACES, "How old was Else Wiig when she wept?", ["58"]),
        (PLACES, "How old is the Penny Box?", []),
        (SARRAZAC, "When did Perrin de Sarrazac die?", ["1290"]),
        (SARRAZAC, "When was Guilhem born?", ["c. 1205"]),
        (SARRAZAC, "When was Sarrazac born?", []),  # two bear it
        (SARRAZAC, "How long did the Salt War last?", ["4 years, 1492–1496"]),
        (SARRAZAC, "When did the Salt War end?", ["1496"]),
        (SARRAZAC, "Was the Salt War going on in 1494?", ["yes"]),
        (SARRAZAC, "Was the Salt War going on in 1501?", ["no"]),
        (SARRAZAC, "When was Tommaso Gavi born?", []),
        (SARRAZAC, "When did Tommaso Gavi die?", ["1503"]),
        (SARRAZAC, "When did Bardakci die?", ["1831"]),
        (SARRAZAC, "How old was Bardakci when he died?", ["66 or 67"]),
        (SARRAZAC, "When was Clémence Pribil born?", []),  # the next years are another Pribil's
        (SARRAZAC, "When was the mayor of Perrin de Sarrazac born?", []),  # somebody else
        (CHOPIN, "When was Frederic Chopin born?", ["1 March 1810"]),  # an accent is missing
        (CHOPIN, "When did Chopin's sister Izabela die?", ["1881"]),
        (CHOPIN, "When did Emilia die?", ["1827"]),
        (CHOPIN, "How long did Ludwika live?", ["47 or 48 years, 1807–1855"]),
        (CHOPIN, "How old was Frédéric François Chopin when he died?", ["39"]),  # not Cherubini's 81
        (CHOPIN, "How old was Luigi Cherubini when he died?", ["81"]),
        (CHOPIN, "When did Cherubini die?", ["1842"]),
        (COUNCIL, "How old is Tom Eddowes?", ["29"]),
        (COUNCIL, "How old is Eddowes?", []),
        (COUNCIL, "When did Desmond Eddowes die?", ["22 March"]),
        (COUNCIL, "How old was Desmond Eddowes when he died?", ["84"]),
        (COUNCIL, "When was Orla Binchy born?", []),  # a time in office
        (COUNCIL, "How old is Laura Kessie?", ["15"]),
        (COUNCIL, "How old is Cllr Kessie?", []),
        (COUNCIL, "How old is Walczak?", ["49"]),
        (COUNCIL, "How old is Armand Teissier?", []),  # the physician's age
        (COUNCIL, "How old is Gevorgyan?", ["Sixteen"]),
        (COUNCIL, "How old was Hugo Lind?", ["58"]),
        (COUNCIL, "How old was Silas Hesketh?", ["63"]),
        (COUNCIL, "How old was Ada Brandt?", []),  # the next one's
        (COUNCIL, "How old was Egli when the peace was signed?", ["71"]),
        (COUNCIL, "How old was Egli when the town was taken?", []),
    ],
)
def test_what_stands_beside_a_name_is_its_own(text: str, question: str, values: list[str]) -> None:
    assert [each.value for each in find_life(question, read(text))] == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Anna Lind was born in Oslo in 1810.", ["1810"]),
        ("Nicolas Rey, father of Anna Lind, was born in 1771.", []),
        ("The father of Anna Lind was born in 1771.", []),
        ("The man who painted Anna Lind was born in 1771.", []),
        ("A friend of Anna Lind, who was born in 1771, wrote it.", []),
        ("Anna Lind's brother (1771–1800) wrote it.", []),
        ("Anna Lind (1771) is a painting. Anna Lind (1775–1800) painted it.", ["1775"]),
        ("Anna Lind (1771–1800) is not Anna Lind (1775–1800).", []),  # two of one name
        ("Anna Lind (1800–1771) is turned.", []),
        ("Its long-time Chancellor, Anna Lind (1862–90), opposed it.", []),
        ("After the birth of Anna Lind in 1810 they moved.", ["1810"]),
        ("After the death of Anna Lind in 1810 they moved.", []),
        ("Anna Lind (queen, 1771–1800) ruled.", []),
    ],
)
def test_a_birth_of_somebody_else_is_no_answer(text: str, value: list[str]) -> None:
    assert [each.value for each in find_life("When was Anna Lind born?", read(text))] == value


def test_an_event_is_found_in_small_letters_too() -> None:
    named = read("The Jin dynasty (1115–1234) was Aguda's. Pellen had a great famine (1235 to 1239).")
    assert [each.value for each in find_life("When did the Jin dynasty end?", named)] == ["1234"]
    assert [each.value for each in find_life("How long did the great famine last?", named)] == ["4 years, 1235–1239"]
    assert [each.name for each in named] == ["Jin", "Aguda's", "Pellen"]


def test_an_age_of_some_year_is_not_an_age_without_a_year() -> None:
    named = read(
        "When Eva Holm was three, her mother remarried. Eva Holm was five years older than Ada. Ada, 46:12, is."
    )
    assert find_life("How old was Eva Holm?", named) == []
    assert find_life("How old is Ada?", named) == []
    asked = "How old was Eva Holm when her mother remarried?"
    assert [each.value for each in find_life(asked, named)] == ["three"]
    dead = read("The 35-year-old Rolf Egli (1900–1980) won. Then Rolf Egli, 40, lost.")
    assert [each.value for each in find_life("How old was Rolf Egli when he died?", dead)] == ["79 or 80"]
    assert find_life("How old was Rolf Egli?", dead) == []


@pytest.mark.parametrize(
    "question", ["Who was born in 1830?", "Who died in Lagos?", "Which pupil of Chopin was born in 1830?"]
)
def test_who_was_born_or_died_somewhere_is_no_question_of_a_life(question: str) -> None:
    assert not asks_for_life(question)


def test_the_document_tells_whom_a_surname_means() -> None:
    text = "Frédéric Chopin (1810–1849) was a composer. Nicolas Chopin (1771–1844) came. He wrote Chopin Op. 25."
    for title in ("Frédéric Chopin", "x_FredericChopin", "lives"):  # the first sentence tells, too
        named = read(text, title)
        assert [each.value for each in find_life("When did Chopin die?", named)] == ["1849"]
    assert find_life("When did Chopin die?", read(text.replace("was a", "knew a"), "lives")) == []
    assert bearers("Liszt", named).forms == frozenset()


def test_a_full_name_is_also_one_of_its_parts_where_nobody_else_bears_it() -> None:
    text = "Sunniva Lang is the director. Sunniva, 51, came late. Miss Holm (1900–1980), who taught Eva Holm, left."
    assert [each.value for each in find_life("How old is Sunniva Lang?", read(text))] == ["51"]
    both = "Tom Rey came. Tom, 12, is the son of Tom Berg."
    assert find_life("How old is Tom Rey?", read(both)) == []


def test_lengths_and_numbers() -> None:
    assert completed_years((1871, 2, 14), (1943, 11, 2)) == 72
    assert completed_years((1810, 3, 1), (1849, 2, 28)) == 38
    assert completed_years((1810,), (1849,)) is None
    assert [number_of(each) for each in ("39", "sixty-eight", "Sixteen", "ninety", "a few")] == [39, 68, 16, 90, 0]
