# SPDX-License-Identifier: Apache-2.0
"""Markdown of the tree as a static site: links between documents become links between pages, tables of times get plots, and
a link that leads nowhere is an error.  Use: site.py FOLDER (which has api*.md)"""
import html
import math
import os
import re
import shutil
import sys
from html.parser import HTMLParser

import markdown

from python import reference

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = sorted(h[:-2] for h in os.listdir(os.path.join(ROOT, "include", "mmm")))
# document, page, its name in the menu ("": not there)
PAGES = [("README.md", "index.html", "mmm"), ("docs/README.md", "documents.html", "Documents"),
         ("docs/tutorial.md", "tutorial.html", "Tutorial"),
         ("docs/dialect.md", "dialect.html", "Dialect"), ("docs/model.md", "model.html", "Model"),
         ("docs/predictions.md", "predictions.html", ""), ("docs/models.md", "models.html", "Models"), ("docs/formulas.md", "formulas.html", "Formulas"),
         ("docs/paper.md", "paper.html", "The paper"),
         ("docs/ntt.md", "ntt.html", "Transforms"), ("docs/many.md", "many.html", ""),
         ("docs/performance.md", "performance.html", "Performance"),
         ("api.md", "api.html", "C"), *(("api-%s.md" % h, "api-%s.html" % h, "") for h in HEADERS), ("python/README.md", "python.html", "Python"),
         ("examples/README.md", "examples.html", "Examples"), ("docs/exercises.md", "exercises.html", "Exercises"),
         ("docs/faults.md", "faults.html", "Faults"), ("CHANGELOG.md", "changelog.html", "Changes"),
         ("CONTRIBUTING.md", "contributing.html", "Contributing"), ("SECURITY.md", "security.html", "Security")]
STYLE = """
:root { color-scheme: light dark; --line: #8884; --back: #8881; --link: #0645ad }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 66rem; padding: 0 1rem 4rem; font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: .8rem 0; border-bottom: 1px solid var(--line); margin-bottom: 1.5rem }
nav a { text-decoration: none } nav a[aria-current] { font-weight: bold }
a { color: var(--link) }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .8rem } h1 { margin-top: 0 }
pre { background: var(--back); border: 1px solid var(--line); border-radius: 4px; padding: .7rem; overflow-x: auto; font-size: .86em; line-height: 1.4 }
code { font-family: ui-monospace, monospace; font-size: .92em; overflow-wrap: break-word } pre code { font-size: 1em }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .92em } th, td { border: 1px solid var(--line); padding: .25rem .55rem; text-align: left; vertical-align: top }
img { max-width: 100%; height: auto } figure { margin: 1rem 0; overflow-x: auto } svg { width: 40rem; height: auto }
"""
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"]
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}


def identifier(text):
    """As GitHub makes them of headings."""
    text = re.sub(r"<[^>]*>|`", "", html.unescape(text)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def seconds(cell):
    """The first time of a cell, in seconds; None where there is none."""
    found = re.match(r"\s*([0-9.]+)(?: ?(?:to|–) ?[0-9.]+)? ?(s|ms|µs|us|ns)\b", re.sub(r"<[^>]*>", "", cell))
    return float(found.group(1)) * UNITS[found.group(2)] if found else None


def unit_of(value):
    name = "s" if value >= 1 else "ms" if value >= 1e-3 else "µs"
    return "%.3g %s" % (value / UNITS[name], name)


def plot(heads, rows):
    """Times of a table as lines over its columns, on a logarithmic scale; "" where the table has too few."""
    series = [(row[0], [(i, seconds(cell)) for i, cell in enumerate(row[1:])]) for row in rows]
    series = [(name, [(i, t) for i, t in points if t]) for name, points in series]
    series = [(name, points) for name, points in series if len(points) > 1]
    times = [t for _, points in series for _, t in points]
    if not 2 <= len(series) <= len(COLOURS) or len(times) < 6:
        return ""
    width, left, top, height = 640, 70, 12, 220
    low, high = math.log10(min(times)) - 0.05, math.log10(max(times)) + 0.05
    columns = len(heads) - 1

    def place(i, t):
        return left + (width - left - 20) * (i + 0.5) / columns, top + height * (high - math.log10(t)) / (high - low)

    bottom = top + height
    out = ['<figure><svg viewBox="0 0 %d %d" width="%d" font-family="sans-serif" font-size="11" fill="currentColor" role="img" '
           'aria-label="the table above as lines">' % (width, bottom + 26 + 15 * len(series), width)]
    for step in range(math.ceil(low), math.floor(high) + 1):
        y = place(0, 10.0**step)[1]
        out.append('<path d="M%d %.1fH%d" stroke="#8886"/><text x="%d" y="%.1f" text-anchor="end">%s</text>'
                   % (left, y, width - 20, left - 6, y + 4, unit_of(10.0**step)))
    out.append('<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>' % (left, top, bottom, width - 20))
    for i, head in enumerate(heads[1:]):
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                   % (place(i, 1)[0], bottom + 15, html.escape(re.sub("<[^>]*>", "", html.unescape(head)))))
    for number, (name, points) in enumerate(series):
        colour = COLOURS[number]
        ends = [place(i, t) for i, t in points]
        joined = [place(i, t) for i, t in points if re.match(r"s=|[0-9]", heads[i + 1])]  # not the columns of others
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>'
                   % (" ".join("%.1f,%.1f" % end for end in joined), colour))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (*end, colour) for end in ends]
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (
            left, bottom + 34 + 15 * number, colour, html.escape(re.sub("<[^>]*>", "", html.unescape(name)))))
    return "".join(out) + "</svg></figure>"


def with_plots(page):
    def add(found):
        text = re.sub(r"(\d) (s|ms|µs|us|ns|GB|MB)\b", "\\1\u00a0\\2", found.group(0))  # a number stays with its unit
        rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", found.group(0), re.S)]
        return '<div class="wide">%s</div>%s' % (text, plot(rows[0], rows[1:]))

    return re.sub(r"<table>.*?</table>", add, page, flags=re.S)


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.update(attributes[name] for name in ("id", "name") if name in attributes)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]


def main(out):
    pages = {document: page for document, page, _ in PAGES}
    for folder in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        if os.path.exists(os.path.join(ROOT, "examples", folder, "README.md")):
            PAGES.append(("examples/%s/README.md" % folder, "example-%s.html" % folder, ""))
            pages[PAGES[-1][0]] = PAGES[-1][1]
    seen, bad = {}, []
    for document, page, _ in PAGES:
        path = os.path.join(out if document.startswith("api") else ROOT, document)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if document == "python/README.md":
            more, missing = reference(os.path.join(ROOT, "python", "mmm"))
            text += more
            bad += ["mmm.%s has no docstring" % name for name in missing]
        text = re.sub(r"^( *)```(\w+)[^\n]*$", r"\1```\2", text, flags=re.M)  # words of document.awk
        text = re.sub(r"\n\n```\n", "\n```\n", text) if document == "python/README.md" else text  # what ends an example of doctest
        title = re.search(r"^# (.*)", text, re.M).group(1).replace("`", "")
        body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": lambda value, _: identifier(value)}})

        def link(found, document=document):
            address = found.group(2)
            if re.match(r"[a-z]+:|#", address):
                return found.group(0)
            target, _, anchor = address.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(document), target))
            whole = os.path.join(ROOT, target)
            if target in pages:
                target = pages[target]
            elif os.path.isfile(whole):
                shutil.copy(whole, os.path.join(out, os.path.basename(whole)))
                target = os.path.basename(whole)
            else:
                bad.append("%s: %s is no file" % (document, address))
            return '%s="%s%s"' % (found.group(1), target, "#" + anchor if anchor else "")

        body = with_plots(re.sub(r'(href|src)="([^"]*)"', link, body))
        menu = "".join('<a href="%s"%s>%s</a>' % (p, ' aria-current="page"' if p == page else "", name)
                       for _, p, name in PAGES if name)
        whole = ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
                 'content="width=device-width, initial-scale=1"><title>%s</title><link rel="stylesheet" href="style.css">'
                 "</head>\n<body><nav>%s</nav>\n<main>%s</main></body></html>\n" % (html.escape(title), menu, body))
        with open(os.path.join(out, page), "w", encoding="utf-8") as file:
            file.write(whole)
        seen[page] = Links()
        seen[page].feed(whole)
    with open(os.path.join(out, "style.css"), "w", encoding="utf-8") as file:
        file.write(STYLE)
    count = 0
    for page, parsed in seen.items():
        for address in parsed.links:
            target, _, anchor = address.partition("#")
            if re.match(r"[a-z]+:", address):
                continue
            count += 1
            target = target or page
            if not os.path.exists(os.path.join(out, target)):
                bad.append("%s: %s leads nowhere" % (page, address))
            elif anchor and target in seen and anchor not in seen[target].anchors:
                bad.append("%s: %s has no place '%s'" % (page, target, anchor))
    print("\n".join(bad) if bad else "site: %d pages, %d links, none dead: %s" % (len(seen), count, os.path.join(out, "index.html")))
    return 1 if bad else 0


sys.exit(main(sys.argv[1]))
