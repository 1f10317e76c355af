"""DOCX files made part by part, and each feature of theirs that holds words: {k} is kept, {x} is not read."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from made_files import archive

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_KINDS = f"{_OFFICE}/relationships"
_NAMES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "m": f"{_OFFICE}/math",
        "r": _KINDS,
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
_STYLES = (("Heading1", "heading 1"), ("ListBullet", "List Bullet"), ("Secret", "Secret"))
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(inside: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inside if inside.startswith('<') else r(inside)}</w:p>"


def sdt(inside: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{inside}</w:sdtContent></w:sdt>"


def tc(inside: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside if inside.startswith('<w:') else p(inside)}</w:tc>"


def tr(*cells: str, properties: str = "") -> str:
    cells = tuple(each if each.startswith("<w:") else tc(each) for each in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def tbl(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def box(inside: str) -> str:
    return (
        f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{inside}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )


def shape(inside: str) -> str:
    return f"<w:drawing><wps:wsp><wps:txbx><w:txbxContent>{inside}</w:txbxContent></wps:txbx></wps:wsp></w:drawing>"


def field(code: str, result: str) -> str:
    marks = {each: f'<w:r><w:fldChar w:fldCharType="{each}"/></w:r>' for each in ("begin", "separate", "end")}
    code = code if code.startswith("<") else f"<w:r><w:instrText>{code}</w:instrText></w:r>"
    return f"{marks['begin']}{code}{marks['separate']}{result}{marks['end']}"


def math(inside: str) -> str:
    return f"<m:oMath>{inside}</m:oMath>"


def mr(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


FEATURES = {
    "paragraph": p("{k} and {k}."),
    "heading": p("{k}", '<w:pStyle w:val="Heading1"/>'),
    "list": p("{k}", '<w:pStyle w:val="ListBullet"/>') + p("{k}", "<w:numPr/>"),
    "table": tbl(tr("{k}", "{k}"), tr("{k}", "{k}")),
    "insertion": p("<w:ins>" + r("{k}") + "</w:ins>") + p(r("by ") + "<w:ins>" + r("{k}") + "</w:ins>"),
    "deletion": p(r("{k} ") + "<w:del><w:r><w:delText>{x}</w:delText></w:r></w:del>" + r("{k}")),
    "move": p("<w:moveFrom>" + r("{x}") + "</w:moveFrom>" + r("{k}")) + p("<w:moveTo>" + r("{k}") + "</w:moveTo>"),
    "deleted row": tbl(tr("{k}", "{k}"), tr("{x}", "{x}", properties="<w:del/>"), tr("{k}", "{k}")),
    "control of blocks": sdt(p("{k}") + tbl(tr("{k}", "{k}"))),
    "control of words": p(r("Owner: ") + sdt(r("{k}")) + r(" of {k}")),
    "control of rows": tbl(tr("{k}", "{k}"), sdt(tr("{k}", "{k}"))),
    "control of cells": tbl(tr(sdt(tc("{k}")), "{k}")),
    "custom XML": p("<w:customXml>" + r("{k}") + "</w:customXml>"),
    "smart tag": p("<w:smartTag><w:smartTagPr/><w:smartTag>" + r("{k}") + "</w:smartTag></w:smartTag>"),
    "text box": p(r("{k}") + box(p("{k}") + p("{k}"))),
    "shape": p(
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'>"
        + shape(p("{k}"))
        + "</mc:Choice><mc:Fallback>"
        + box(p("{x}"))
        + "</mc:Fallback></mc:AlternateContent></w:r>"
    ),
    "shape in a fallback": p(
        "<w:r><mc:AlternateContent><mc:Choice Requires='x'><w:drawing/></mc:Choice><mc:Fallback>"
        + box(p("{k}"))
        + "</mc:Fallback></mc:AlternateContent></w:r>"
    ),
    "nested table": tbl(tr("{k}", tc(p("{k}") + tbl(tr("{k}", "{k}")) + p("{k}"))), tr("{k}", "{k}")),
    "simple field": p('<w:fldSimple w:instr="AUTHOR {x}">' + r("{k}") + "</w:fldSimple>"),
    "field": p(field("REF {x}", r("{k}")) + r(" {k}")),
    "field in a code": p(field(field("MERGEFIELD {x}", r("{x}")), r("{k}"))),
    "hyperlink": p('<w:hyperlink w:anchor="top" w:tooltip="{x}">' + r("{k}") + "</w:hyperlink>"),
    "footnote": p(r("{k}") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + r(" {k}")),
    "endnote in a table": tbl(tr(tc(p(r("{k}") + '<w:r><w:endnoteReference w:id="2"/></w:r>')), "{k}")),
    "comment": p(r("{k}") + '<w:r><w:commentReference w:id="0"/></w:r>'),
    "formula": p(r("{k} ") + math(f"<m:f><m:num>{mr('{k}')}</m:num><m:den>{mr('{k}')}</m:den></m:f>")),
    "formula between paragraphs": f"<m:oMathPara>{math(mr('{k}'))}</m:oMathPara>",
    "tabs and breaks": p("<w:r><w:t>{k}</w:t><w:tab/><w:t>{k}</w:t><w:br/><w:t>{k}</w:t><w:cr/><w:t>{k}</w:t></w:r>"),
    "hidden text": p(r("{k}") + r("{x}", "<w:vanish/>") + r("{k}", '<w:vanish w:val="0"/>')),
    "hidden by its style": p(r("{x}"), '<w:pStyle w:val="Secret"/>') + p(r("{x}", '<w:rStyle w:val="Secret"/>')),
    "direction": p("<w:bdo><w:dir>" + r("{k}") + "</w:dir></w:bdo>"),
    "reading": p("<w:r><w:ruby><w:rt>" + r("{k}") + "</w:rt><w:rubyBase>" + r("{k}") + "</w:rubyBase></w:ruby></w:r>"),
    "odd spans": tbl(tr(tc("{k}", '<w:gridSpan w:val="x"/>'), tc("{k}", "<w:vMerge/>")), tr(), tr("{k}")),
    "word art": p('<w:r><w:pict><v:shape><v:textpath string="{k}"/></v:shape></w:pict></w:r>'),
    "list of choices": p(
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="{x}"/>'
        '<w:listEntry w:val="{k}"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    ),
    "field without an end": p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>') + p(field("REF {x}", r("{k}"))),
}
MARGINS = {
    "footnotes": '<w:footnote w:id="2">' + p(" {k}") + "</w:footnote>",
    "endnotes": '<w:endnote w:id="2">' + p("{k}") + "</w:endnote>",
    "comments": '<w:comment w:id="0">' + p("{x}") + "</w:comment>",
    "header": p("{k} of {k}"),
    "footer": p("{k}"),
}


def fill(text: str, kept: list[str], dropped: list[str], chance: random.Random) -> str:
    """Put new words in the places of a feature, and add them to what is to be kept and to be dropped."""

    def word(place: re.Match[str]) -> str:
        new = "".join(chance.choices("bdfgklmnprstvz", k=5)) + str(len(kept) + len(dropped))
        (kept if place[1] == "k" else dropped).append(new)
        return new

    return re.sub(r"\{([kx])\}", word, text)


def word_file(body: str, parts: Iterable[tuple[str, str]] = (), *, strict: bool = False) -> bytes:
    """Return a DOCX with this body; each of `parts` is the kind of a further part and what is in it."""
    roots = {"header": "hdr", "footer": "ftr"}
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{each}"><w:name w:val="{name}"/>'
        f"{hidden if name == 'Secret' else ''}</w:style>"
        for each, name in _STYLES
    )
    every = [("document", f"<w:body>{body}<w:sectPr/></w:body>"), ("styles", styles), *parts]
    members, links, types = [], "", ""
    for number, (kind, inside) in enumerate(every):
        name, root = f"word/{kind}{number or ''}.xml", roots.get(kind, kind)
        members.append((name, f"<w:{root} {_NAMES}>{inside}</w:{root}>"))
        links += f'<Relationship Id="r{number}" Type="{_KINDS}/{kind}" Target="{kind}{number}.xml"/>' if number else ""
        types += f'<Override PartName="/{name}" ContentType="{_TYPES}.{kind}{"" if number else ".main"}+xml"/>'
    main = f'<Relationship Id="r1" Type="{_KINDS}/officeDocument" Target="word/document.xml"/>'
    members += [
        ("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{main}</Relationships>'),
        ("word/_rels/document.xml.rels", f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>'),
        ("[Content_Types].xml", f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
         f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>'),
    ]  # fmt: skip
    if strict:
        plain = re.compile(r"http://schemas\.openxmlformats\.org/(?!package|markup)(\w+)/2006/")
        members = [(name, plain.sub(r"http://purl.oclc.org/ooxml/\1/", text)) for name, text in members]
    return archive([(name, text.encode()) for name, text in members])
