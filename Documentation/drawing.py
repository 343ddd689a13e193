"""Draws what tmux captured, with its colours, as an SVG."""

from __future__ import annotations

import re
import unicodedata
from xml.sax.saxutils import escape

CELL, LINE, SIZE, MARGIN = 8.4, 19, 14, 16  # pixels
BACKGROUND, INK = "#1d2021", "#ebdbb2"
# The eight colours of a terminal, and their bright ones.
COLOURS = ["#665c54", "#fb4934", "#b8bb26", "#fabd2f", "#83a598", "#d3869b", "#8ec07c", "#ebdbb2"]


def width(text: str) -> int:
    """How many cells a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def changed(style: dict[str, str], codes: str) -> dict[str, str]:
    """A style after a Select Graphic Rendition (ECMA-48, 8.3.117)."""
    for code in (int(code or 0) for code in codes.split(";")):
        match code:
            case 0:
                style = {}
            case 1:
                style = {**style, "font-weight": "bold"}
            case 2:
                style = {**style, "opacity": "0.6"}
            case 22:
                style = {name: value for name, value in style.items() if name not in ("font-weight", "opacity")}
            case 39 | 49:  # 49: the background, which is always the same
                style = {name: value for name, value in style.items() if name != "fill"}
            case _ if 30 <= code <= 37 or 90 <= code <= 97:
                style = {**style, "fill": COLOURS[code % 10]}
            case _:
                raise ValueError(f"a colour that is not drawn yet: {code}")
    return style


def drawing(text: str, columns: int) -> str:
    lines = text.split("\n")
    across, down = round(columns * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" '
           f'font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="{SIZE}">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>']
    style: dict[str, str] = {}
    for number, line in enumerate(lines):
        column, spans = 0, []
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            if part.startswith("\x1b"):
                style = changed(style, part[2:-1])
                continue
            # A word each, so that every column stands where it does in the terminal, whatever the font.
            for word in re.finditer(r"\S+(?: \S+)*", part):
                begin = column + width(part[:word.start()])
                attributes = "".join(f' {name}="{value}"' for name, value in style.items())
                length = width(word[0])
                spans.append(f'<tspan x="{MARGIN + begin * CELL:g}" textLength="{length * CELL:g}"'
                             f'{attributes}>{escape(word[0])}</tspan>')
            column += width(part)
        if spans:
            y = MARGIN + number * LINE + SIZE
            svg.append(f'<text y="{y}" fill="{INK}">{"".join(spans)}</text>')
    return "\n".join([*svg, "</svg>", ""])
