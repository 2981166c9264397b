# SPDX-License-Identifier: Apache-2.0
"""Plain data that shows itself in a notebook: dicts and lists as tables, lists with a plot, pages as pages."""
import html
from typing import Any, Dict, Iterable, List, Optional, Tuple


def flat(data: Any, name: str = "") -> Iterable[Tuple[str, Any]]:
    """Numbers and short texts of a record with their paths; what is longer is told by its length."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from flat(value, "%s.%s" % (name, key) if name else str(key))
    elif isinstance(data, list):
        if data and all(not isinstance(x, (dict, list)) for x in data) and len(data) <= 8:
            yield name, ", ".join(map(str, data))
        else:
            yield name, "%d entries" % len(data)
    else:
        yield name, data


def table(rows: List[Dict[str, Any]]) -> str:
    """Records as an HTML table, a column each, alike ones left out where there are several."""
    flats = [dict(flat(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flats for name in row))
    if len(flats) > 1:
        names = [n for n in names if len({str(row.get(n)) for row in flats}) > 1] or names
    lines = []
    for name in names:
        cells = "".join("<td style='text-align:right'>%s</td>" % _cell(row.get(name)) for row in flats)
        lines.append("<tr><th style='text-align:left'>%s</th>%s</tr>" % (html.escape(name), cells))
    return "<table>%s</table>" % "".join(lines)


def _cell(value: Any) -> str:
    text = "" if value is None else "%.6g" % value if isinstance(value, float) else str(value)
    lines = html.escape(text)
    return "<pre style='text-align:left'>%s</pre>" % lines if "\n" in text else lines


def plot(x: List[float], series: Dict[str, List[float]], label: str) -> str:
    """Lines over x as SVG, each scaled to its own largest value."""
    width, height, edge = 480, 240, 36
    colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
    low, high = min(x), max(x)
    out = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' font-family='sans-serif' "
           "font-size='11'>" % (width, height, width)]
    out.append("<path d='M%d %dV%dH%d' fill='none' stroke='#888'/>" % (edge, edge // 2, height - edge, width - edge))

    def across(value: float) -> float:
        return edge + (width - 2 * edge) * ((value - low) / (high - low) if high > low else 0.5)

    for value in x:
        out.append("<text x='%.1f' y='%d' text-anchor='middle'>%g</text>" % (across(value), height - edge + 14, value))
    out.append("<text x='%d' y='%d' text-anchor='middle'>%s</text>" % (width // 2, height - 6, html.escape(label)))
    for number, (name, values) in enumerate(series.items()):
        colour, most = colours[number % len(colours)], max(values) or 1
        points = ["%.1f,%.1f" % (across(v), height - edge - (height - 1.5 * edge) * y / most) for v, y in zip(x, values)]
        out.append("<polyline points='%s' fill='none' stroke='%s' stroke-width='2'/>" % (" ".join(points), colour))
        out.append("<text x='%d' y='%d' fill='%s'>%s, at most %.4g</text>"
                   % (edge + 8, edge // 2 + 12 * number, colour, html.escape(name), most))
    return "".join(out) + "</svg>"


class Record(Dict[str, Any]):
    """A dict that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return table([self])


class Records(List[Any]):
    """A list of dicts that a notebook shows as a table, under a plot where a parameter varies."""

    def varied(self) -> Optional[str]:
        """The one parameter whose values differ."""
        rows = [row.get("parameters") for row in self if isinstance(row, dict)]
        if len(rows) < 2 or not all(isinstance(row, dict) for row in rows):
            return None
        names = [n for n in rows[0] or {} if len({row.get(n) for row in rows if row}) > 1]
        return names[0] if len(names) == 1 else None

    def _repr_svg_(self) -> Optional[str]:
        name = self.varied()
        if name is None or not all("measures" in row for row in self):
            return None
        rows = sorted(self, key=lambda row: float(row["parameters"][name]))
        series = {what: [float(row["measures"][what]) for row in rows] for what in ("work", "span", "overhead")}
        return plot([float(row["parameters"][name]) for row in rows], series, name)

    def _repr_html_(self) -> str:
        return (self._repr_svg_() or "") + table(self)


class Page(str):
    """The path of a page, which a notebook shows."""

    data: Record

    def __new__(cls, path: str, data: Record) -> "Page":
        self = super().__new__(cls, path)
        self.data = data
        return self

    def _repr_html_(self) -> str:
        with open(self, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
        return "<iframe srcdoc=\"%s\" width='100%%' height='600' style='border:0'></iframe>" % page
