# SPDX-License-Identifier: Apache-2.0
"""Plain data that shows itself in a notebook: dicts and lists as tables, lists with a plot, pages as pages."""
import html
import math
import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple


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


def columns(rows: List[Dict[str, Any]]) -> str:
    """Records as an HTML table, a row each."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join("<th>%s</th>" % html.escape(name) for name in names)
    body = "".join("<tr>%s</tr>" % "".join("<td style='text-align:right'>%s</td>" % _cell(row.get(n)) for n in names)
                   for row in rows)
    return "<table><tr>%s</tr>%s</table>" % (head, body)


_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]


def _scale(values: List[float], wide: float) -> Callable[[float], float]:
    """From 0 to 1: logarithmic where the largest is more than `wide` times the smallest, which is at 0; else from 0 on."""
    low, high = min(values), max(values)
    if low > 0 and high >= wide * low:
        return lambda value: math.log(value / low) / math.log(high / low)
    return lambda value: value / high if high > 0 else 0.0


def plot(x: List[float], series: Dict[str, List[Any]], label: str, together: bool = False) -> str:
    """Lines over x as SVG, with their names beside them; each scaled to its own largest value, or all by the same.  What is
    None is left out."""
    lines = {name: [(v, y) for v, y in zip(x, values) if y is not None] for name, values in series.items()}
    lines = {name: points for name, points in lines.items() if points}
    width, height, left, bottom, top = 480, 240, 20, 204, 12
    out = ["<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' font-family='sans-serif' "
           "font-size='11' style='background:white'>" % (width + 200, height, width + 200)]
    out.append("<path d='M%d %dV%dH%d' fill='none' stroke='#888'/>" % (left, top, bottom, width))
    wide = min(x) > 0 and max(x) >= 8 * min(x)
    spread = _scale(x, 8) if wide else lambda v: (v - min(x)) / (max(x) - min(x)) if max(x) > min(x) else 0.5
    high_up = _scale([y for points in lines.values() for _, y in points] or [1.0], 10)
    last = -100.0
    for value in x:
        across = left + 10 + (width - left - 20) * spread(value)
        if across - last >= 26:  # where names do not meet
            out.append("<text x='%.1f' y='%d' text-anchor='middle'>%g</text>" % (across, bottom + 14, value))
            last = across
    out.append("<text x='%d' y='%d' text-anchor='middle'>%s</text>" % (width // 2, height - 6, html.escape(label)))
    for number, (name, points) in enumerate(lines.items()):
        colour, most = _COLOURS[number % len(_COLOURS)], max(y for _, y in points)
        dashes = " stroke-dasharray='5 3'" if number >= len(_COLOURS) else ""
        ends = ["%.1f,%.1f" % (left + 10 + (width - left - 20) * spread(v), bottom - 6 - (bottom - top - 10)
                               * (high_up(y) if together else y / most if most > 0 else 0)) for v, y in points]
        out.append("<polyline points='%s' fill='none' stroke='%s' stroke-width='2'%s/>" % (" ".join(ends), colour, dashes))
        out.append("<text x='%d' y='%d' fill='%s'>%s%s, at most %.4g</text>"
                   % (width + 10, top + 6 + 15 * number, colour, html.escape(name), " (dashed)" if dashes else "", most))
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


class Tuning(Record):
    """What tuning found: a table of all configurations that could run, the fastest first, under a plot where one choice varies."""

    def rows(self) -> List[Dict[str, Any]]:
        out = []
        for result in self.get("results", []):
            if result["invalidity"] != "correct":
                continue
            measured = min(result["times"]["runtimes"], default=None)
            predicted = [m["value"] for m in result["measurements"] if m["name"] == "predicted"]
            out.append({**result["configuration"], "predicted": predicted[0] if predicted else None, "measured": measured})
        return sorted(out, key=lambda row: (row["measured"] is None, row["measured"] or row["predicted"] or 0))

    def _repr_html_(self) -> str:
        rows, picture = self.rows(), ""
        names = [n for n in (rows[0] if rows else {}) if n not in ("predicted", "measured")]
        if len(names) == 1 and len(rows) > 1:
            across = sorted(rows, key=lambda row: float(row[names[0]]))
            series = {what: [row[what] for row in across] for what in ("predicted", "measured")}
            picture = plot([float(row[names[0]]) for row in across], series, names[0], together=True)
        chosen = {n: self["parameters"].get(n) for n in names}
        caption = ", ".join("%s = %s" % pair for pair in chosen.items())
        left_out = len(self.get("results", [])) - len(rows)
        return "<p>%s: take %s%s</p>%s%s" % (html.escape(str(self["app"])), html.escape(caption),
                                             "; %d left out" % left_out if left_out else "", picture, columns(rows))


class Comparison(Record):
    """Costs of an application by several models, in local operations: a row each, under a plot where all have their best value
    at 1."""

    def _repr_html_(self) -> str:
        values, name = self["values"], str(self["parameter"])
        rows, series = [], {}
        measured = [("measured", self["measured_seconds"], None)]
        for model, costs, tau in measured + [(m["name"], m["costs"], m["tau_b"]) for m in self["models"]]:
            known = [c for c in costs if c]
            if not known:
                continue
            rows.append({"model": model, **{"%s=%s" % (name, v): c for v, c in zip(values, costs)}, "tau-b": tau})
            series[model] = [c / min(known) if c else None for c in costs]
        return plot([float(v) for v in values], series, name, together=True) + columns(rows)


class Derivation(Record):
    """Closed forms: a table of them."""

    def forms(self) -> Dict[str, str]:
        """What was found, by the letters of the model."""
        found = re.findall(r"^(\w+) = (.*)$", self["formulas"], re.M)
        return {letter: form for letter, form in found}

    def _repr_html_(self) -> str:
        given = re.findall(r"^given +(.*)$", self["formulas"], re.M)
        rows = [{"quantity": letter, "form": form} for letter, form in self.forms().items()]
        return columns(rows) + ("<p>where %s</p>" % html.escape("; ".join(given)) if given else "")


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
