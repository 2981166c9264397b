# SPDX-License-Identifier: Apache-2.0
"""What the command knows, as data: its verbs with --json, in a process of their own, which Ctrl-C ends."""
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _library
from ._notebook import Comparison, Derivation, Page, Record, Records, Tuning

Value = Union[int, str, Sequence[int]]


def command(*words: str) -> Any:
    """Calls the command with these words and --json; gives its data, and raises its complaint where it fails.

    >>> command("list", "gcd")["name"]
    'gcd'
    """
    done = subprocess.run([_library.command(), *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace")
    if done.returncode == 130 or done.returncode == -2:
        raise KeyboardInterrupt
    if done.returncode == 0 or (done.returncode == 1 and done.stdout.strip()):  # 1: a check failed, which the data tells
        return json.loads(done.stdout)
    complaint = done.stderr.strip().split("\n")[-1] or "mmm %s ended with status %d" % (words[0], done.returncode)
    raise _library.InvalidError(complaint[len("mmm %s: " % words[0]):] if complaint.startswith("mmm ") else complaint)


def _settings(parameters: Dict[str, Value]) -> List[str]:
    """name=value words: a number, a list, or a text such as "1-512:10log2"."""
    return ["%s=%s" % (name, value if isinstance(value, (int, str)) else ",".join(str(_library.whole(name, v)) for v in value))
            for name, value in parameters.items()]


def _option(name: str, value: Any) -> List[str]:
    if value is None or value is False:
        return []
    return [name] if value is True else [name, str(value)]


def applications() -> Any:
    """The applications that are built in, with their parameters, inputs and outputs.

    >>> "gcd" in [app["name"] for app in applications()]
    True
    """
    return Records(command("list")["applications"])


def machines() -> Any:
    """The machines there are; `works` says whether one can be used, `description` what it is or why not.

    >>> [m["works"] for m in machines() if m["name"] == "cpu"]
    [True]
    """
    return Records(command("list")["machines"])


def analyze(app: str, *, machine: str = "abstract", P: Union[None, int, Sequence[int]] = None, batch: Optional[int] = None,
            **parameters: Value) -> Any:
    """Counts an application on the abstract machine: work, span, overhead, the DAG's measures, bounds, violations.  A dict,
    or a list of them where a parameter is a list or a range.

    >>> analyze("division", n=256, m=128, s=32)["dag"]["N"]
    10
    >>> [a["dag"]["N"] for a in analyze("division", n=256, m=128, s=[16, 32])]
    [36, 10]
    """
    sms = None if P is None else str(P) if isinstance(P, int) else ",".join(map(str, P))
    data = command("analyze", app, *_settings(parameters), "-m", machine, *_option("-P", sms), *_option("--batch", batch))
    return Records(data) if isinstance(data, list) else Record(data)


def tune(app: str, *, machine: str = "cpu", time_limit: Optional[float] = None, max_runs: Optional[int] = None,
         repeat: Optional[int] = None, exhaustive: bool = False, dry_run: bool = False, **parameters: Value) -> Any:
    """Finds the choices of an application for a machine and a size, and keeps them for later runs.  A dict; "results" are
    all configurations that were looked at, in the T4 format.

    >>> tune("division", n=512, m=256, dry_run=True)["end"]
    'dry-run'
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        data = Tuning(command("tune", app, *_settings(parameters), "-m", machine, "-o", path,
                              *_option("--time-limit", time_limit), *_option("--max-runs", max_runs),
                              *_option("--repeat", repeat), *_option("--exhaustive", exhaustive),
                              *_option("--dry-run", dry_run)))
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                data["results"] = json.load(file)["results"]
    return data


def calibrate(machine: str = "cpu", app: Optional[str] = None) -> Any:
    """Measures what predictions need of a machine, in well under a minute, and keeps it for later."""
    return Record(command("calibrate", machine, *([app] if app else [])))


def derive(app: str, *, over: Optional[str] = None, **fixed: int) -> Any:
    """Closed forms of what the abstract machine counts, as a dict; "formulas" is the text of a file of them.

    >>> derive("division", over="n,m,s")["found"]
    8
    """
    return Derivation(command("derive", app, *_settings(dict(fixed)), *_option("--over", over)))


def report(app: str, path: str = "report.html", *, machine: str = "cpu", repeat: Optional[int] = None, runs: bool = True,
           **parameters: Value) -> Page:
    """Writes the page that says which value of a parameter to take, and why; gives its path, which shows the page in a
    notebook.  `data` of it is what is behind the page.

    >>> page = report("division", os.devnull, n=512, m=256, s=[16, 32], runs=False)
    >>> page.data["chosen"]
    32
    """
    data = command("report", app, *_settings(parameters), "-m", machine, "-o", path, *_option("--repeat", repeat),
                   *_option("--no-runs", not runs))
    return Page(path, Record(data))


def compare(app: str, *, machine: Optional[str] = None, P: Optional[int] = None, repeat: Optional[int] = None,
            page: Optional[str] = None, **parameters: Value) -> Any:
    """What several models of many-core machines say of an application, counted once for each value of a parameter; with a
    `machine` beside measured times, with a `page` as a page with plots, too.

    >>> models = {model["name"]: model for model in compare("division", n=256, m=128, s=[16, 32])["models"]}
    >>> models["MMM"]["costs"], models["MMM"]["ranking"]
    ([6048, 3100], [32, 16])
    """
    data = command("compare", app, *_settings(parameters), *_option("-m", machine), *_option("-P", P),
                   *_option("--repeat", repeat), *_option("-o", page))
    return Comparison(data)
