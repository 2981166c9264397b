#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A derived file of formulas against the counts, with an evaluation and a choice of jobs that are nobody else's:
exact fractions, and jobs drawn from nothing but the conditions that the file states.

Use: derived.py MMM APP FILE [JOBS [SEED]]     at JOBS random jobs (default 100) for each quantity; exits with 1 where
a form is not what mmm analyze counts, or where fewer jobs than a fifth of that were found.  A form has so many seconds of a
processor for its jobs that all of a file have about SECONDS, ten times that where it has fewer than a fifth of them."""
import json
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

COUNTS = {"W": ("measures", "work"), "S": ("measures", "span"), "O": ("measures", "overhead"), "N": ("dag", "N"),
          "L": ("dag", "L"), "K": ("dag", "K"), "C": ("dag", "C"), "local": ("local_words",)}
LARGEST, AREAS, CHOICE = 20000, (10**4, 10**5, 10**5, 10**6, 4 * 10**6), 2048
LOCAL, LONGEST = 10**6, 10  # words of local memory; seconds for a job
SECONDS, MOST = 60, 10  # for the jobs of a file, about; so many times that where there are few


def log2(x):
    """Exact for powers of two; else it can only vanish beside another one, as in log2(m) - log2(s)."""
    low = x.numerator.bit_length() - x.denominator.bit_length()
    for exact in (low, low + 1):
        if x == Fraction(2) ** exact:
            return Fraction(exact)
    return math.log2(x)


def rounded(up):
    """Of a fraction; of a number that is none, one that is as good as whole is whole."""
    return lambda x: Fraction(round(x) if isinstance(x, float) and abs(x - round(x)) < 1e-9 else up(x))


EXACT = {"log2": log2, "ceil": rounded(math.ceil), "floor": rounded(math.floor)}
QUICK = {"log2": math.log2, "ceil": lambda x: math.ceil(x - 1e-9), "floor": lambda x: math.floor(x + 1e-9)}


class Expression:
    def __init__(self, text):
        self.quick = text.replace("^", "**")
        self.names = set(re.findall(r"[A-Za-z_]\w*", text)) - set(EXACT)
        self.exact = compile(re.sub(r"(?<![\w.])\d+(\.\d+)?", lambda d: f"F('{d.group()}')", self.quick), text, "eval")

    def __call__(self, at):
        return eval(self.exact, dict(EXACT, F=Fraction), {name: Fraction(x) for name, x in at.items()})


class Condition:
    """"A is whole" or "A >= B": exact, and in floating point, as text, for a first look at many values."""

    def __init__(self, text):
        whole = re.fullmatch(r"(.*) is whole", text)
        self.relation = None if whole else re.search(r"[<>]=?", text).group()
        self.sides = [Expression(s.strip()) for s in ([whole.group(1)] if whole else text.split(self.relation))]
        self.names = set().union(*(side.names for side in self.sides))
        left, right = self.sides[0].quick, self.sides[-1].quick
        self.quick = (f"abs(({left} + 0.5) % 1 - 0.5) < 1e-6" if whole else
                      f"({left}) - ({right}) {self.relation[0]}= {'-' if self.relation[0] == '>' else ''}1e-6")

    def holds(self, at):
        values = [side(at) for side in self.sides]
        if self.relation is None:
            return values[0] == int(values[0])
        by = values[0] - values[1] if self.relation[0] == ">" else values[1] - values[0]
        return by > 0 if len(self.relation) == 1 else by >= 0


class File:
    """Parameters, and quantities with all conditions that are stated for them."""

    def __init__(self, path):
        self.sizes, self.choices, self.quantities, self.common = [], [], {}, []
        entry = None
        for line in open(path):
            line = line.split("#")[0].rstrip()
            words = line.split()
            if not words:
                continue
            rest = line.strip()[len(words[0]):].strip()
            if words[0] == "size":
                self.sizes.append(words[1])
            elif words[0] == "parameter":
                self.choices.append(words[1])
            elif words[0] in ("where", "given"):
                (entry if line[0] == " " else self.common).extend(Condition(x.strip()) for x in rest.split(","))
            elif line[0] != " " and "=" in words:
                entry = []
                left, right = line.removeprefix("let ").split("=", 1)
                self.quantities[left.strip()] = (Expression(right.strip()), entry)


def values_of(name, least, most, at, conditions):
    """All values of one parameter with which the conditions hold that speak of it and of what has a value."""
    speak = [c.quick for c in conditions if name in c.names and c.names <= at.keys() | {name}]
    return eval(f"[{name} for {name} in range({least}, {int(most) + 1}) if {' and '.join(speak) or 'True'}]",
                dict(QUICK, **at))


def draw_choice(least, most):
    kind = random.randrange(4)
    x = 2 ** random.randrange(11) if kind == 0 else random.randint(1, 10) if kind == 1 else int(
        2 ** random.uniform(0, 11)) if kind == 2 else least + random.randrange(3)
    return min(max(x, least), most)


def draw(file, conditions, bounds):
    """A job that satisfies the conditions, or None: choices at random, or of all values one that does, then of all
    values of a size one that does."""
    at = {"U": random.choice([2, 7, 20, 100, 1000, 4096]), "Z": LOCAL}
    for name in random.sample(file.choices, len(file.choices)):
        x = draw_choice(*bounds[name])
        if not values_of(name, x, x, at, conditions):
            values = values_of(name, *bounds[name], at, conditions) if not random.randrange(8) else []
            if not values:
                return None
            x = random.choice(values)
        at[name] = x
    area = random.choice(AREAS) if len(file.sizes) > 1 else LARGEST
    for name in random.sample(file.sizes, len(file.sizes)):
        most = min(random.choice([500, 2000, LARGEST]), area, bounds[name][1])
        values = values_of(name, bounds[name][0], most, at, conditions)
        if not values:
            return None
        at[name] = random.choice(values[:3] if random.randrange(3) == 0 else values)
        area //= at[name]
    return at if all(c.holds(at) for c in conditions) else None


def spent():
    """Seconds of a processor, those of what was counted among them."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


slow = []  # jobs that took too long to count: none as large is counted again


def count(mmm, app, at):
    words = [f"{name}={x}" for name, x in at.items() if name not in "UZ"]
    seed = [] if any(w.startswith("seed=") for w in words) else [f"seed={random.randint(1, 10**6)}"]
    if any(all(at[name] >= x for name, x in other.items()) for other in slow):
        return None
    try:
        run = subprocess.run([mmm, "analyze", app, *words, *seed, "--json", "-P", "1", "-m", f"U={at['U']},Z={LOCAL}"],
                             capture_output=True, text=True, check=False, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        slow.append({name: at[name] for name in at if name not in "UZ"})
        return None
    return json.loads(run.stdout) if run.returncode != 2 else None


def bounds_of(said, file, conditions):
    """What is said of an application, and of a form; choices stay small where they may."""
    bounds = {}
    for name in file.sizes + file.choices:
        least, most = said.get(name, (1, LARGEST))
        for c in conditions:
            if c.names == {name} and c.relation and c.sides[0].quick == name:
                number = c.sides[1]({})
                least = max(least, math.ceil(number)) if c.relation == ">=" else least
                most = min(most, math.floor(number)) if c.relation == "<=" else most
        bounds[name] = (least, max(least, min(most, LARGEST if name in file.sizes else CHOICE)))
    return bounds


def main():
    mmm, app, path = sys.argv[1:4]
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    random.seed(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    file = File(path)
    listed = json.loads(subprocess.run([mmm, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    said = {p["name"]: (p["least"], p["most"]) for a in listed["applications"] if a["name"] == app
            for p in a["parameters"]}
    bad = 0
    jobs = []  # that were counted for other forms: half of those of a form may be such ones
    for name, (form, own) in file.quantities.items():
        compared = wrong = tries = 0
        conditions = own + file.common
        bounds = bounds_of(said, file, conditions)
        known = [job for job in jobs if all(c.holds(job[0]) for c in conditions)]
        known = random.sample(known, min(len(known), wanted // 2))
        begun, seconds = spent(), SECONDS / len(file.quantities)
        while compared < wanted and tries < 400 * wanted:
            if spent() > begun + seconds * (1 if compared >= wanted / 5 else MOST):
                break
            tries += 1
            at, place = known.pop() if known else (draw(file, conditions, bounds), None)
            if at and not place:
                place = count(mmm, app, at)
                jobs += [(at, place)] if place else []
            if not at or not place:
                continue
            for key in COUNTS[name.removesuffix("_all")]:
                place = place[key]
            value = form(at)
            compared += 1
            if value != Fraction(place) and not (isinstance(value, float) and math.isclose(value, place, rel_tol=1e-12)):
                wrong += 1
                if wrong <= 3:
                    print(f"{app} {name} at {at}: {value}, counted {place}")
        if wrong or compared < wanted / 5:
            bad += 1
            print(f"{app} {name}: wrong at {wrong} of {compared} jobs")
    print(f"{app}: {len(file.quantities)} forms, {bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
