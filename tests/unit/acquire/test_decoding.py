"""Bytes become exactly the text that was written, or are refused with a reason; mojibake is never silent."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_neo4j.acquire.decoding import clean, decode, normalise_text
from kg_neo4j.errors import UnreadableSource

ENGLISH = (
    "The “quick” café owner – Zoë – paid £5 for naïve Ángel’s résumé in Málaga. It wasn’t cheap, and the façade of the "
    "building had changed since then. "
)
POLISH = (
    "Zażółć gęślą jaźń. Kupiec spojrzał na śnieg, a potem poszedł wolno ulicą ku domowi, gdzie mieszkała Łęcka. "
    "Było już późno, więc światła w oknach gasły. "
)
GERMAN = (
    "Die Straße führte über die Brücke nach Köln; dort hörte man schöne Lieder, und die Mädchen grüßten höflich. "
    "Der König mußte fürs Frühstück bezahlen. "
)
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. Český král založil v Praze univerzitu a Nové Město. "
RUSSIAN = "Александр Сергеевич Пушкин родился в Москве и был великим русским поэтом. Он написал роман в стихах. "
GREEK = "Ο Αριστοτέλης ήταν αρχαίος Έλληνας φιλόσοφος και πολυεπιστήμονας, μαθητής του Πλάτωνα. "
JAPANESE = "東京は日本の首都であり、世界最大の都市圏の一つです。徳川家康は江戸に幕府を開きました。"
CHINESE = "北京是中华人民共和国的首都，是全国的政治中心和文化中心。孔子是中国古代著名的思想家和教育家。"
TEXTS = [ENGLISH, POLISH, GERMAN, CZECH, RUSSIAN, GREEK, JAPANESE, CHINESE]
CODECS = [
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "cp1250", "iso8859-1", "iso8859-2"),
    *("iso8859-15", "cp852", "cp437", "mac_roman", "koi8-r", "cp1251", "iso8859-5", "cp866", "cp1253", "shift_jis"),
    *("euc_jp", "iso2022_jp", "gb18030"),
]


def read_or_none(data: bytes) -> str | None:
    """The text, or None where it is refused."""
    try:
        return decode(data)
    except UnreadableSource:
        return None


def holds(codec: str, text: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize("codec", CODECS)
def test_text_in_any_codec_is_read_exactly_or_refused(codec):
    texts = [text * times for text in TEXTS if holds(codec, text) for times in (1, 8)]
    assert texts
    assert [text for text in texts if read_or_none(text.encode(codec)) not in (text, None)] == []


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        *((text, codec) for text in TEXTS for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-32")),
        (ENGLISH, "cp1252"),
        (ENGLISH, "utf-16-le"),
        (ENGLISH, "utf-16-be"),
        (ENGLISH, "mac_roman"),
        (POLISH, "cp1250"),
        (POLISH, "iso8859-2"),
        (POLISH, "cp852"),
        (GERMAN, "cp1252"),
        (GERMAN, "iso8859-1"),
        (CZECH, "cp1250"),
        (CZECH, "iso8859-2"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (CHINESE, "gb18030"),
    ],
)
def test_common_codecs_are_recognised(text, codec):
    assert decode((text * 6).encode(codec)) == text * 6


def test_pound_sign_in_english_is_no_polish_letter():
    text = "The house belonged to Mr Brown, who had lived there since 1901. They paid £5 a year for it. " * 3
    assert decode(text.encode("cp1252")) == text


def test_damaged_utf8_is_refused_with_the_place():
    good = POLISH.encode()
    data = good + b"\xc5 broken \xff" + good
    with pytest.raises(UnreadableSource, match=f"UTF-8: 2 unreadable places, the first at byte {len(good)}"):
        decode(data)


def test_few_letters_beyond_ascii_in_a_short_text_are_refused():
    with pytest.raises(UnreadableSource, match="encoding is unsure"):
        decode("Café".encode("cp1252"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "an image"),
        (
            b"PK\x03\x04" + bytes(100),
            "zip archive: unpack it; an office file needs its own ending",
        ),
        (b"%PDF-1.7 text", "a PDF"),
        (b"\x7fELF" + bytes(200), "a program"),
        (bytes(range(256)) * 20, "NUL bytes"),
        (b"\x01\x02\x03\x04\x05" * 40, "control characters"),
        (b"\xff\xfea", "damaged UTF-16-LE"),
        (b"\xff\xfe\x00\x00abc", "damaged UTF-32-LE"),
        (b"\xef\xbb\xbf\xff\xff", "damaged UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_with_its_kind(data, reason):
    with pytest.raises(UnreadableSource, match=reason):
        decode(data)


def test_declared_encoding_is_believed_where_the_bytes_allow_it():
    assert decode("Łódź".encode("iso8859-2"), declared="ISO-8859-2") == "Łódź"
    assert decode("Łódź".encode(), declared="ascii") == "Łódź"
    assert decode("“Łódź”".encode(), declared="no-such-encoding") == "“Łódź”"


@pytest.mark.parametrize("declared", ["iso-8859-1", "ISO-8859-2", "windows-1252", "koi8-r", "us-ascii", "big5"])
@pytest.mark.parametrize("text", [ENGLISH, POLISH, RUSSIAN, CHINESE, "Zoë"])
def test_declaration_that_utf8_refutes_is_ignored(text, declared):
    assert decode(text.encode(), declared) == text


def test_declaration_of_a_page_that_is_nearly_utf8_is_not_believed():
    with pytest.raises(UnreadableSource, match="damaged UTF-8: 1 unreadable places, the first at byte"):
        decode(POLISH.encode() + b"\xff", declared="iso-8859-2")


@pytest.mark.parametrize(
    ("text", "codec"),
    [(GERMAN, "cp1252"), (POLISH, "iso8859-2"), (RUSSIAN, "koi8-r"), (JAPANESE, "iso2022_jp"), (CHINESE, "gbk")],
)
def test_true_declaration_is_believed(text, codec):
    assert decode(text.encode(codec), declared=codec) == text


def test_latin_1_is_read_as_browsers_read_it():
    assert decode("it’s".encode("cp1252"), declared="iso-8859-1") == "it’s"


@pytest.mark.parametrize(
    "declared",
    ["undefined", "punycode", "idna", "utf-7", "unicode_escape", "raw_unicode_escape", "rot13", "hex", "charmap", "\0"],
)
def test_declared_codec_that_is_no_encoding_of_files_is_ignored(declared):
    assert decode(r"Łódź \u0041 +AEE- xn--".encode(), declared) == r"Łódź \u0041 +AEE- xn--"


@pytest.mark.parametrize("declared", ["utf-16", "utf-16le", "UTF-16BE", "utf-32", "cp037", "cp1140"])
def test_declared_encoding_that_could_not_be_read_in_single_bytes_is_ignored(declared):
    assert decode("“Łódź” is a city".encode(), declared) == "“Łódź” is a city"


@pytest.mark.parametrize(
    ("text", "codec", "declared"),
    [
        (JAPANESE, "cp932", "x-sjis"),
        (CHINESE, "gbk", "x-gbk"),
        (RUSSIAN, "mac_cyrillic", "x-mac-cyrillic"),
        (POLISH, "cp1250", "X-CP1250"),
        (JAPANESE, "shift_jis", "windows-31j"),
    ],
)
def test_names_that_only_browsers_know_are_known(text, codec, declared):
    assert decode(text.encode(codec), declared) == text


def test_lone_surrogates_in_utf8_become_replacement_characters():
    assert decode(b"a \xed\xa0\x80 b \xed\xbf\xbf") == "a \ufffd b \ufffd"
    assert decode("Łódź".encode() + b"\xed\xa0\x80") == "Łódź\ufffd"


def test_pairs_of_surrogates_in_utf8_are_the_character_that_they_mean():
    assert decode(b"\xed\xa0\xbd\xed\xb8\x80 and \xf0\x9f\x98\x80") == "\U0001f600 and \U0001f600"


def test_mark_wins_over_the_declaration():
    assert decode("Łódź".encode("utf-8-sig"), declared="iso8859-2") == "Łódź"


def test_stray_control_characters_become_spaces_one_for_one():
    assert decode(b"a\x00b".replace(b"\x00", b"\x0e") + b"c" * 600) == "a b" + "c" * 600
    assert clean("a\x00b\ud800c") == "a b\ufffdc"


def test_newlines_are_normalised():
    assert normalise_text("a\r\nb\rc\nd") == "a\nb\nc\nd"


def test_letters_are_composed():
    assert normalise_text(unicodedata.normalize("NFD", "Łódź, Kraków")) == "Łódź, Kraków"


@pytest.mark.parametrize("space", "\u00a0\u1680\u2000\u2007\u2009\u200a\u202f\u205f\u3000")
def test_every_space_is_a_plain_one(space):
    assert normalise_text(f"Rosa{space}Lind\u00f6\n{space}") == "Rosa Lind\u00f6\n "


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Lind\u00adqvist, Lind\u00ad\n  qvist", "Lindqvist, Lindqvist"),
        ("Har\u200bbour\u2060 \ufeffClinic", "Harbour Clinic"),
        ("\u0e1b\u200b\u0e23", "\u0e1b\u200b\u0e23"),  # Thai words
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # a Persian word
        ("\U0001f469\u200d\U0001f52c", "\U0001f469\u200d\U0001f52c"),  # one emoji of two
    ],
)
def test_what_nobody_sees_is_left_out_but_not_what_a_script_needs(written, text):
    assert normalise_text(written) == text


@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\u0344\u0316"])
def test_endless_combining_marks_take_linear_time(marks):
    """Without a limit 400,000 marks took 28 seconds, a million some three minutes."""
    before = time.process_time()
    text = normalise_text("e" + marks * 1_000_000)
    assert time.process_time() - before < 20
    assert unicodedata.is_normalized("NFC", text)
    assert text.replace("\u034f", "") != text


@given(st.text(st.sampled_from("aeń\u0301\u0323\u0344\u0f73か\u3099\u034f .\n"), max_size=120))
def test_up_to_thirty_marks_in_a_row_are_only_composed(text):
    runs = "".join("m" if unicodedata.combining(unicodedata.normalize("NFD", char)[0]) else " " for char in text)
    normal = normalise_text(text)
    parted = "m" * 31 in runs
    assert normal == unicodedata.normalize("NFC", text) or parted
    assert normal.count("\u034f") == text.count("\u034f") or parted
    assert unicodedata.is_normalized("NFC", normal)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
def test_any_text_in_utf8_comes_back(text):
    read = read_or_none(text.encode("utf-8"))
    assert read == text.removeprefix("\ufeff") or (read is None and text.startswith(("MZ", "GIF8", "%PDF-")))


@given(st.binary(max_size=400))
def test_any_bytes_give_text_or_a_reason(data):
    text = read_or_none(data)
    if text is not None:
        assert "\0" not in text
        text.encode("utf-8")
