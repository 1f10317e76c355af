"""What is a name and of what type, and what is none: headings, roles, common words, code, initials."""

from __future__ import annotations

import pytest

from offline_reading import read

LIND = "Otto Lind was there in the spring of the year."
CLASSES = (
    "PageCache DataNode HealthCheck FileReader TaskQueue RowParser DateField UserModel NodeList MapReduce BlobStore "
    "LinkTable HashIndex"
).split()


@pytest.mark.parametrize(
    "text",
    [
        "# Early Life in Norway\n\n## Career Path\n\n",
        "Release Notes\n\n",
        "| Name | Security Level |\n| --- | --- |\n| the first | High Level |\n\n",
        "- Users\n- Accounts\n- Security Policy\n\n",
        "The Chairman and the Secretary met the Treasurer in the hall, as the Board had asked. ",
        "Users may close an Account at any time. The Users of the Service agree that the Account is theirs. ",
        "The sum is E = mc^2 and F(x) = G(y) + H for each of them. ",
        "Call `ParserFactory` or `Ada Brandt` and then run `kg_load` in the shell. ",
        "It is at https://Example.org/Docs/Guide and on www.Example.com, and the name is @AdaBrandt or #Release. ",
        "J. A. wrote to M. D. about it, and the letter was lost on the way. ",
        "The TLS and the PDF are sent by the XQZ with the ABCs of it. ",
        "Contact Zorvex. Visit Kleinfeld. Ask Rolf. ",  # no prose, in which a capital says something
        "Sunlight falls on the town. Shepherds come to it with their dogs. ",
    ],
)
def test_no_name_is_a_node(text: str) -> None:
    assert read(text + LIND).types == {"Otto Lind": "PERSON"}


def test_entries_of_a_reference_list_are_not_read() -> None:
    entries = "1. Berg, A. (1999). The Bottle Post. Halden: Fjord Press.\n2. Weiss, C. (2001). Silesia. Oslo: Salt."
    assert read(f"{LIND}\n\n## References\n\n{entries}\n").names == {"Otto Lind"}


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("The papers were sent to NATO by the staff of NASA.", {"NATO": "ORGANIZATION", "NASA": "ORGANIZATION"}),
        ("Germany and the United Kingdom agreed to it.", {"Germany": "PLACE", "United Kingdom": "PLACE"}),
        ("It runs on Windows and on Linux 5.10, as they say.", {"Windows": "PRODUCT", "Linux": "PRODUCT"}),
        ("Added Docker to the list of the tools that we need.", {"Docker": "PRODUCT"}),
        ("We use PyTorch in the tests of the build, and it is fast.", {"PyTorch": "PRODUCT"}),
        ("The parser was written by the engineers at FastTrack in the town.", {"FastTrack": "ORGANIZATION"}),
        ("They signed the Data Protection Act in that year.", {"Data Protection Act": "LAW"}),
        ("Ada signed the Treaty of Lisbon for her town.", {"Treaty of Lisbon": "LAW"}),
        ("They had read the GitHub Code of Conduct by then.", {"GitHub Code of Conduct": "WORK"}),
        ("They gave the Copley Medal to one of their own.", {"Copley Medal": "AWARD"}),
        ("They fell in the Battle of Leipzig with the others.", {"Battle of Leipzig": "EVENT"}),
        ("The letter went to the Vistula Society of the town.", {"Vistula Society": "ORGANIZATION"}),
        ("They moved to Kleinfeld with all that they had.", {"Kleinfeld": "PLACE"}),
        ("Joaquim Szolnok wrote it for the school of the town.", {"Joaquim Szolnok": "PERSON"}),
    ],
)
def test_a_name_has_the_type_that_it_shows(text: str, types: dict[str, str]) -> None:
    assert read(text).types == types


def test_who_speaks_more_than_once_is_a_person() -> None:
    rest = "\n\nThe build is green again, and that is all there is to say of it.\n"
    first = "Joyee: I think that the tests are slow, and we should look at them.\n"
    assert read(f"{first}Joyee: Then I will open an issue for it.{rest}").types == {"Joyee": "PERSON"}
    assert read(first + rest).types == {}


def test_a_verb_before_a_first_name_is_no_part_of_the_name() -> None:
    text = "- Nominating Rosa Lindqvist\n- Adding Otto Berg\n\nThe board met in the spring, and agreed with it."
    assert read(text).types == {"Rosa Lindqvist": "PERSON", "Otto Berg": "PERSON"}


def test_a_text_with_many_words_in_camel_case_is_about_code() -> None:
    text = "{} and {} are parts of the module that we read in the town."
    few, many = (text.format(", ".join(each[:-1]), each[-1]) for each in (CLASSES[:4], CLASSES))
    assert read(few).types == dict.fromkeys(CLASSES[1:4], "PRODUCT")  # the first opens the sentence
    assert read(many).types == {}
