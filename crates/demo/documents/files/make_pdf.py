"""Writes climate/reporting-calendar.pdf: three pages of text, made by hand so that no library's output has to be trusted.

    python make_pdf.py > climate/reporting-calendar.pdf
"""

import sys

PAGES = [
    (
        "Reporting calendar of a city",
        "What is due when, from collecting data to the public report.",
        "January to March: collecting",
        "Letters to utilities go out in the second week of January. Grid operators deliver "
        "electricity and gas by customer group until 28 February. The waste department weighs "
        "what went to landfill, composting and incineration. Fuel sales come from the tax office "
        "in March and are preliminary until June.",
        "Reminders",
        "Who has not answered after 30 days is called by phone, after 45 days the deputy mayor "
        "writes. In the pilot year one utility out of four needed the letter of the deputy mayor.",
    ),
    (
        "April to June: calculating",
        "Figures are entered by the climate office with the workbook CW-7. Each sheet has one "
        "owner. On the first Monday of each month the owners meet for an hour and settle open "
        "questions. Emission factors of the national agency are published on 15 April.",
        "Freeze",
        "On 20 June the workbook is frozen. Later corrections are kept in the sheet named LATE "
        "and enter the next year's edition unless they move the total by more than two percent.",
    ),
    (
        "July to September: checking and publishing",
        "The university of the region reviews in July. The council hears the figures in the first "
        "meeting after the summer break. The public report has no more than twelve pages and "
        "one poster; the data are published under an open licence in the portal at the same hour.",
        "Voluntary disclosure",
        "The questionnaire of the city networks opens in April and closes in the last week of "
        "September. Its score bands run from A to D minus; without an inventory younger than "
        "four years nothing above C can be reached.",
    ),
]
WIDTH = 80


def wrapped(text):
    lines, line = [], ""
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH and line:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def content(paragraphs):
    operations, height = [], 790
    for paragraph in paragraphs:
        is_heading = len(paragraph) < 50
        height -= 14 if is_heading else 4
        for line in wrapped(paragraph):
            escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            font, size = ("F2", 14) if is_heading else ("F1", 11)
            operations.append(f"BT /{font} {size} Tf 60 {height} Td ({escaped}) Tj ET")
            height -= 18 if is_heading else 15
    return "\n".join(operations)


def main():
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(PAGES)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(PAGES)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for number, paragraphs in enumerate(PAGES):
        stream = content(paragraphs)
        fonts = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {fonts} /Contents {6 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("ascii")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    ).encode("ascii")
    sys.stdout.buffer.write(out)


main()
