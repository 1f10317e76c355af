"""What is written into the forms of a page and over it."""

from __future__ import annotations

from math import inf
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from kg_neo4j_readers.pdf.pieces import Piece, turned


def fields_of(page: pypdfium2.PdfPage, pieces: list[Piece]) -> list[Piece]:
    """Return texts laid over a page, and values of form fields: with their hints where no words are on their left."""
    angle, box, fields = pieces[0].angle if pieces else 0.0, pdfium.FS_RECTF(), []
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        pdfium.FPDFAnnot_GetRect(annotation, box)
        left, bottom, right, top = turned((box.left, box.bottom, box.right, box.top), angle)
        base = max((bottom + top) / 2 - 6, top - 15)  # of one line in the middle, or the first of several
        field = Piece(_value(page.formenv, annotation), left, base, right, base + 12, angle, base)
        if field.text and not pdfium.FPDFAnnot_GetFlags(annotation) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
            hint = _string(pdfium.FPDFAnnot_GetFormFieldAlternateName, page.formenv, annotation)
            if hint and not any(
                each.gap(field) < inf and (each.left < left or field.text[0] == "[") for each in pieces
            ):
                field.text = f"{hint}: {field.text}"
            fields.append(field)
        pdfium.FPDFPage_CloseAnnot(annotation)
    return fields


def _value(form: Any, annotation: Any) -> str:
    """Return what a text laid over a page says, what is written or chosen in a form field, or the state of a box."""
    if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_FREETEXT:
        return _string(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents")
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation) if form is not None else -1
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return "[x]" if pdfium.FPDFAnnot_IsChecked(form, annotation) else "[ ]"
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
        options = range(max(0, pdfium.FPDFAnnot_GetOptionCount(form, annotation)))
        chosen = [each for each in options if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, each)]
        if chosen:
            return ", ".join(_string(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, each) for each in chosen)
    elif kind != pdfium.FPDF_FORMFIELD_TEXTFIELD or pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & 1 << 13:
        return ""  # a button, a signature, a password
    return _string(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)


def _string(get: Any, *of: Any) -> str:
    """Return what a function of PDFium puts into a buffer, UTF-16 that ends with a null, on one line."""
    size = get(*of, None, 0)
    buffer = (pdfium.FPDF_WCHAR * (size // 2))()
    get(*of, buffer, size)
    return " ".join(bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").split())
