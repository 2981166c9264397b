# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package as Markdown, from its signatures and docstrings, whose examples make test runs; nothing is
imported.  What is public and has no docstring is an error."""
import ast
import os
import re
from typing import Dict, Iterator, List, Tuple


def _signature(node: ast.FunctionDef, name: str) -> str:
    arguments = ast.unparse(node.args)
    returns = " -> " + ast.unparse(node.returns) if node.returns else ""
    for word in ("npt.", "np.", "ctypes."):
        arguments, returns = arguments.replace(word, ""), returns.replace(word, "")
    return "%s(%s)%s" % (name, re.sub(r"^self(, )?|^cls(, )?", "", arguments), returns)


def _text(docstring: str) -> str:
    """A docstring with its examples as blocks."""
    out: List[str] = []
    inside = False
    for line in docstring.split("\n"):
        if line.startswith(">>>") and not inside:
            out += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            out.append("```")
            inside = False
        out.append(line)
    return "\n".join(out + ["```"] * inside)


def _public(folder: str) -> Iterator[Tuple[str, ast.AST, str]]:
    """Functions and classes that the package gives, in the order of its modules: name, node, module."""
    with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
        names = next(ast.literal_eval(node.value) for node in ast.parse(file.read()).body
                     if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
    for module in ("functions", "arrays", "integers", "jobs", "machine", "verbs", "_library"):
        with open(os.path.join(folder, module + ".py"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        typed: Dict[str, ast.FunctionDef] = {}
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                if any(ast.unparse(d) == "overload" for d in node.decorator_list):
                    typed[node.name] = node
                    continue
                if node.name in typed and isinstance(node, ast.FunctionDef):  # the last one says more than Any
                    node.args, node.returns = typed[node.name].args, typed[node.name].returns
                if module == "integers":
                    yield "integers." + node.name, node, module
                elif node.name in names:
                    yield node.name, node, module


def reference(folder: str) -> Tuple[str, List[str]]:
    """The Markdown, and names without a docstring."""
    lines, bad = ["\n## Reference\n"], []  # type: List[str], List[str]
    for name, node, _ in _public(folder):
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        docstring = ast.get_docstring(node)
        if not docstring:
            bad.append(name)
        parts = [(name, node)]
        if isinstance(node, ast.ClassDef):
            parts += [("%s.%s" % (name, part.name), part) for part in node.body if isinstance(part, ast.FunctionDef)
                      and not part.name.startswith("_") and ast.get_docstring(part)]
        for title, part in parts:
            kind = "class " if isinstance(part, ast.ClassDef) else ""
            shown = title
            start = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
            if isinstance(part, ast.FunctionDef):
                is_property = any(ast.unparse(d) == "property" for d in part.decorator_list)
                shown = title if is_property else _signature(part, title)
            elif start and title != "Plan":
                shown = _signature(start, title).replace(" -> None", "")
            lines.append("### `mmm.%s`\n\n```python\n%s%s\n```\n\n%s\n" % (title, kind, "mmm." + shown, _text(ast.get_docstring(part) or "")))
    return "\n".join(lines), bad
