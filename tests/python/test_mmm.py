# SPDX-License-Identifier: Apache-2.0
"""The Python package against python-flint, where it is installed, NumPy, and Python's own integers."""
import array
import html.parser
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

import numpy as np
import pytest

import mmm

P = 2013265921
LARGE = 2**60 - 93
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
CPU = mmm.Machine("cpu")


def draw(generator, n, p=P):
    a = generator.integers(0, p, n, dtype=np.uint64)
    a[-1] = a[-1] or 1
    return a


def product(a, b, p):
    """By one product of large integers, a coefficient each 160 bits."""
    if not len(a) or not len(b):
        return []
    pack = lambda c: int.from_bytes(b"".join(int(x).to_bytes(20, "little") for x in c), "little")
    whole = (pack(a) * pack(b)).to_bytes(20 * (len(a) + len(b)), "little")
    c = [int.from_bytes(whole[20 * i : 20 * i + 20], "little") % p for i in range(len(a) + len(b) - 1)]
    while c and c[-1] == 0:
        c.pop()
    return c


@pytest.fixture(params=range(8))
def generator(request):
    return np.random.default_rng(request.param)


@pytest.mark.parametrize("p", [P, LARGE, 2, 101])
def test_products_and_divisions(generator, p):
    n, m = (int(x) for x in generator.integers(1, 400, 2))
    a, b = draw(generator, n, p), draw(generator, m, p)
    assert list(mmm.multiply(a, b, p)) == product(a, b, p)
    q, r = mmm.divmod(a, b, p)
    assert len(r) < m
    back = np.zeros(n, object)
    for part in (product(q, b, p), list(r)):
        back[: len(part)] += np.array([int(x) for x in part], object)
    assert list(back % p) == list(a)


@pytest.mark.parametrize("p", [P, LARGE])
def test_gcds(generator, p):
    n, m, k = (int(x) for x in generator.integers(2, 200, 3))
    g = draw(generator, k, p)
    a, b = product(draw(generator, n, p), g, p), product(draw(generator, m, p), g, p)
    d = mmm.gcd(a, b, p)
    assert len(d) >= k and d[-1] == 1
    for x in (a, b):
        assert len(mmm.divmod(x, d, p)[1]) == 0
    assert len(mmm.divmod(d, g, p)[1]) == 0


def test_against_flint(generator):
    flint = pytest.importorskip("flint")
    for p in (P, LARGE):
        n, m = (int(x) for x in generator.integers(1, 3000, 2))
        a, b = draw(generator, n, p), draw(generator, m, p)
        x, y = (flint.nmod_poly([int(c) for c in v], p) for v in (a, b))
        same = lambda v, w: [int(c) for c in v] == [int(c) for c in w.coeffs()]
        assert same(mmm.multiply(a, b, p), x * y)
        (q, r), (s, t) = mmm.divmod(a, b, p), divmod(x, y)
        assert same(q, s) and same(r, t)
        assert same(mmm.gcd(mmm.multiply(a, a, p), mmm.multiply(a, b, p), p), (x * x).gcd(x * y))


def test_batches_are_the_problems_one_by_one(generator):
    batch, n, m = 5, 60, 40
    a, b = (generator.integers(1, P, (batch, k), dtype=np.uint64) for k in (n, m))
    f, (q, r), g = mmm.multiply(a, b, P), mmm.divmod(a, b, P), mmm.gcd(a, b, P)
    for i in range(batch):
        assert list(f[i]) == list(mmm.multiply(a[i], b[i], P))
        one_q, one_r = mmm.divmod(a[i], b[i], P)
        assert list(q[i]) == list(one_q) and list(r[i][: len(one_r)]) == list(one_r) and not r[i][len(one_r) :].any()
        one = mmm.gcd(a[i], b[i], P)
        assert list(g[i][: len(one)]) == list(one) and not g[i][len(one) :].any()


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_sorts(generator, dtype):
    keys = generator.integers(0, np.iinfo(dtype).max, int(generator.integers(0, 5000)), dtype=dtype)
    few = keys % np.array(7, dtype)
    order = np.arange(len(keys), dtype=dtype)
    before = keys.copy()
    assert (mmm.sort(keys) == np.sort(keys)).all() and (keys == before).all()
    k, v = mmm.sort(few, order)
    assert (k == np.sort(few)).all() and (v == np.argsort(few, kind="stable")).all()
    assert mmm.sort(keys, in_place=True) is keys and (keys == np.sort(before)).all()
    rows = generator.integers(0, 1000, (6, 300), dtype=np.uint64).astype(dtype)
    assert (mmm.sort(rows) == np.sort(rows, axis=1)).all()


def test_arrays_are_used_where_they_lie():
    a = np.array([1, 2, 3], np.uint64)
    assert np.shares_memory(mmm.functions.words(a), a)
    assert np.shares_memory(mmm.functions.words(a.view(np.int64)), a)
    out = np.empty(5, np.uint64)
    assert mmm.multiply(a, a, P, out=out).base is out
    assert list(mmm.multiply(memoryview(a), [1], P)) == [1, 2, 3]
    assert list(mmm.multiply(a[::2], a[::-1][:1], P)) == [3, 9]
    assert len(mmm.multiply([], [1, 2], P)) == 0
    with pytest.raises(TypeError):
        mmm.multiply([1.5], [1], P)
    with pytest.raises(ValueError):
        mmm.multiply(a, a, P, out=np.empty(4, np.uint64))
    with pytest.raises(TypeError):
        mmm.sort(np.array([1.0]))


def test_buffers():
    """Whatever has a buffer is taken, without a copy where its words lie in one piece."""
    plain = array.array("Q", [1, 2, 3])
    assert list(mmm.multiply(plain, plain, P)) == [1, 4, 10, 12, 9]
    view = mmm.functions.words(memoryview(plain))
    plain[0] = 7
    assert view[0] == 7  # the same memory
    assert list(mmm.multiply(array.array("B", [1, 255]), bytearray([2]), P)) == [2, 510]
    fixed = np.array([1, 2, 3], np.uint64)
    fixed.flags.writeable = False
    assert list(mmm.multiply(fixed, [2], P)) == [2, 4, 6] and np.shares_memory(mmm.functions.words(fixed), fixed)
    assert list(mmm.multiply(np.array([1, 2], ">u8"), [3], P)) == [3, 6]
    rows = np.arange(24, dtype=np.uint64).reshape(4, 6)[:, ::2]  # not in one piece
    assert (mmm.multiply(rows, np.ones((4, 1), np.uint64), P) == rows).all()
    room = np.zeros(3, np.uint64)
    room.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        mmm.multiply(fixed, [2], P, out=room)
    with pytest.raises(ValueError, match="writeable"):
        mmm.sort(fixed, in_place=True)
    with pytest.raises(ValueError, match="one piece"):
        mmm.sort(np.zeros(6, np.uint64)[::2], in_place=True)


def test_what_is_no_argument():
    for call, word in (
        (lambda: mmm.multiply([2**64], [1], 101), "2^64"),
        (lambda: mmm.multiply([True], [1], 101), "bool"),
        (lambda: mmm.multiply("12", [1], 101), "<U2"),
        (lambda: mmm.multiply([1], [1], 1.5), "p is a whole number"),
        (lambda: mmm.Array([1], "7"), "p is a whole number"),
        (lambda: mmm.run("gcd", s=1.5), "s is a whole number"),
        (lambda: mmm.analyze("gcd", n=[1.5]), "n is a whole number"),
        (lambda: mmm.integers.multiply([1.5], [1]), "a whole number, not 1.5"),
        (lambda: mmm.run(os.path.join(EXAMPLES, "histogram"), [0.5]), "float64"),
    ):
        with pytest.raises(TypeError) as failure:
            call()
        assert word in str(failure.value)
    for p in (-5, 2**70, 1, 2**63):
        with pytest.raises(mmm.InvalidError, match="p=%d: the prime modulus must be from 2 to" % p):
            mmm.multiply([1], [1], p)
    with pytest.raises(ValueError, match="does not fit uint8"):
        mmm.run(os.path.join(EXAMPLES, "histogram"), [1, 256])


@pytest.mark.parametrize("bits", [1, 40, 1000])
def test_over_the_integers(generator, bits):
    draw_one = random.Random(bits).getrandbits
    number = lambda: draw_one(bits + 1) - (1 << bits)
    n, m, k = (int(x) for x in generator.integers(1, 40, 3))
    a, b, c = ([number() for _ in range(count - 1)] + [1 + draw_one(bits)] for count in (n, m, k))
    times = lambda x, y: [sum(x[i] * y[d - i] for i in range(max(0, d - len(y) + 1), min(d + 1, len(x))))
                          for d in range(len(x) + len(y) - 1)]
    f = mmm.integers.multiply(a, b)
    assert f == times(a, b)
    assert mmm.integers.divmod(f, b) == (a, [])
    q, r = mmm.integers.divmod(a, b[:-1] + [1])
    back = times(q, b[:-1] + [1]) if q else []
    back += [0] * (len(a) - len(back))
    assert [x + y for x, y in zip(back, r + [0] * len(a))][: len(a)] == a and len(r) < m
    g = mmm.integers.gcd(times(a, c), times(b, c))
    assert g[-1] > 0 and len(g) >= k and mmm.integers.divmod(times(a, c), g)[1] == [] and mmm.integers.divmod(g, c)[1] == []
    flint = pytest.importorskip("flint")
    x, y = flint.fmpz_poly(times(a, c)), flint.fmpz_poly(times(b, c))
    assert g == [int(z) for z in x.gcd(y)]
    with pytest.raises(mmm.InvalidError, match="zero polynomial"):
        mmm.integers.divmod(a, [0])


def test_resident_arrays(generator):
    a, b = draw(generator, 50), draw(generator, 30)
    x, y = mmm.Array(a, P, CPU), mmm.Array(b, P, CPU)
    f = x * y
    assert list(f.numpy()) == list(mmm.multiply(a, b, P))
    q, r = divmod(f, y)
    assert (np.asarray(q) == a).all() and len(r) == 0 and len(f % y) == 0 and (np.array(f // x) == b).all()
    assert (mmm.gcd(f, y).numpy() == (y.gcd(y)).numpy()).all()
    into = CPU.transferred[0]
    f * y
    assert CPU.transferred[0] - into < 8 * len(f)
    with pytest.raises(ValueError):
        x * mmm.Array(b, LARGE, CPU)
    with pytest.raises(TypeError):
        x * 3


def test_plans(generator):
    for batch in (1, 3):
        a, b = (generator.integers(1, P, (batch, n), dtype=np.uint64) for n in (70, 50))
        plan = mmm.Plan.multiply(70, 50, p=P, batch=batch)
        for _ in range(2):
            assert (plan(a, b) == mmm.multiply(a, b, P)).all() and plan.seconds > 0
        q, r = mmm.Plan.divmod(70, 50, p=P, batch=batch)(a, b)
        assert all((x == y).all() for x, y in zip((q, r), mmm.divmod(a, b, P)))
        assert (mmm.Plan.gcd(70, 50, p=P, batch=batch)(a, b) == mmm.gcd(a, b, P)).all()
    keys = generator.integers(0, 2**64, 999, dtype=np.uint64)
    k, v = mmm.Plan.sort(999, bits=64, values=True)(keys, np.arange(999, dtype=np.uint64))
    assert (k == np.sort(keys)).all() and (keys[v] == k).all()
    with pytest.raises(ValueError):
        plan(a[:, 1:], b)
    with pytest.raises(TypeError):
        plan(a)


def test_failures_carry_the_message():
    for call, kind, word in (
        (lambda: mmm.multiply([1, 200], [1], 101), mmm.InvalidError, "101"),
        (lambda: mmm.multiply([-1], [1], 101), ValueError, "101"),
        (lambda: mmm.multiply([1], [1], 100), ValueError, "100"),
        (lambda: mmm.divmod([1], [0], 101), ValueError, "0"),
        (lambda: mmm.Machine("nosuch"), ValueError, "nosuch"),
        (lambda: mmm.run("nosuch"), ValueError, "nosuch"),
        (lambda: mmm.run("gcd", t=3), ValueError, "'t'"),
        (lambda: mmm.analyze("division", s=0), ValueError, "s"),
        (lambda: CPU.fastest("nosuch", P, 1, 1), ValueError, "nosuch"),
    ):
        with pytest.raises(kind) as failure:
            call()
        assert word in str(failure.value) and isinstance(failure.value, mmm.Error)
    assert issubclass(mmm.FileError, OSError) and issubclass(mmm.TooLargeError, MemoryError)
    closed = mmm.Machine("cpu")
    closed.close()
    with pytest.raises(ValueError):
        mmm.multiply([1], [1], P, machine=closed)


def test_a_folder_of_ones_own(tmp_path):
    folder = shutil.copytree(os.path.join(EXAMPLES, "transpose"), tmp_path / "turn")
    a = np.arange(30 * 50, dtype=np.float32).reshape(30, 50)
    done = mmm.run(str(folder), a, s=16, check=True)
    assert (next(iter(done.results.values())) == a.T).all() and done.parameters["n"] == 30 and done.seconds > 0
    with pytest.raises(TypeError):
        mmm.run(str(folder), a, a)


def test_a_folder_that_unfolds():
    u = np.random.default_rng(1).random(300, np.float32)
    folder = os.path.join(EXAMPLES, "relaxation")
    done = mmm.run(folder, u, e=6, r=8, s=4, l=32, check=True)
    longer = mmm.run(folder, u, e=9, r=8, s=4, l=32, check=True)  # more kernels than were known before the run
    assert done["u"][0] == u[0] and np.ptp(longer["u"][1:-1]) < np.ptp(done["u"][1:-1]) < np.ptp(u)


def test_applications_by_name(generator):
    keys = generator.integers(0, 2**32, 2000, dtype=np.uint64)
    assert (mmm.run("sort", keys)["keys"] == np.sort(keys)).all()
    a, b = draw(generator, 90), draw(generator, 40)
    done = mmm.run("division", a, b, p=P, s=8, check=True, machine="abstract")
    assert all((x == y).all() for x, y in zip((done["q"], done["r"]), mmm.divmod(a, b, P)))


def test_verbs_are_data(tmp_path):
    one, some = mmm.analyze("division", n=256, m=128, s=16), mmm.analyze("division", n=256, m=128, s=[16, 32])
    assert some[0] == one and isinstance(one, dict) and json.dumps(some)
    assert "<table>" in one._repr_html_() and "<svg" in some._repr_html_() and some._repr_svg_().count("polyline") == 3
    tuned = mmm.tune("division", n=512, m=256, dry_run=True)
    assert tuned["results"] and "s" in tuned["parameters"]
    page = mmm.report("division", str(tmp_path / "page.html"), n=512, m=256, s=[16, 32], runs=False)
    assert os.path.exists(page) and page.data["trials"] and "<iframe" in page._repr_html_()
    assert [m["works"] for m in mmm.machines() if m["name"] in ("cpu", "abstract")] == [True, True]


class Balanced(html.parser.HTMLParser):
    """Fails where a tag is closed that is not open, or left open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in ("br", "img", "meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def test_what_a_notebook_shows(tmp_path):
    sizes = {"n": 256, "m": 128}
    tuned = mmm.tune("division", max_runs=2, repeat=1, **sizes)
    shown = {
        "analysis": mmm.analyze("division", s=32, **sizes),
        "analyses": mmm.analyze("division", s=[16, 32, 64], **sizes),
        "compared": mmm.compare("division", s=[16, 32, 64], machine="cpu", repeat=3, **sizes),
        "tuned": tuned,
        "planned": mmm.tune("division", dry_run=True, **sizes),
        "derived": mmm.derive("division", over="n,m,s"),
        "page": mmm.report("division", str(tmp_path / "page.html"), s=[16, 32], runs=False, **sizes),
        "applications": mmm.applications(),
    }
    tags = {}
    for name, data in shown.items():
        text = data._repr_html_()
        tags[name] = Balanced(text).seen
        for picture in re.findall(r"<svg.*?</svg>", text, re.S):
            xml.etree.ElementTree.fromstring(picture)
    assert all("table" in seen for name, seen in tags.items() if name != "page") and "iframe" in tags["page"]
    assert all("svg" in tags[name] for name in ("analyses", "compared", "tuned", "planned"))
    rows = tuned.rows()
    fastest = min(row["measured"] for row in rows if row["measured"])
    assert rows[0]["measured"] == fastest and len(rows) == tags["tuned"].count("tr") - 1
    assert "NaN" not in json.dumps(shown["compared"]) and shown["derived"].forms()["L"] == "(n - m + 1)/s"


def test_one_long_call_leaves_other_threads_alone():
    over, ticks = threading.Event(), []
    thread = threading.Thread(target=lambda: (mmm.run("gcd-naive", n=8000, m=7900), over.set()))
    thread.start()
    while not over.wait(0.002):
        ticks.append(1)
    thread.join()
    assert len(ticks) > 20  # were the lock held, there would be none while C runs


def test_threads_run_while_c_does():
    a = np.random.default_rng(1).integers(0, P, 1 << 18, dtype=np.uint64)
    expected = mmm.multiply(a, a, P)
    results, ticks, over = {}, [], threading.Event()

    def work(number):
        for _ in range(4):
            results[number] = mmm.multiply(a, a, P)  # a machine of the thread's own
        shared = mmm.multiply(a, a, P, machine=CPU)
        assert (shared == expected).all()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    ticker = threading.Thread(target=lambda: [ticks.append(1) for _ in iter(lambda: over.wait(0.001), True)])
    for t in threads + [ticker]:
        t.start()
    for t in threads:
        t.join()
    over.set()
    ticker.join()
    assert len(results) == 3 and all((r == expected).all() for r in results.values()) and len(ticks) > 3


def test_interrupts_stop_a_long_run():
    # What runs in the background of a shell inherits that it ignores the signal.
    code = ("import mmm, signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nprint('ready', flush=True)\n"
            "try:\n    mmm.run('gcd-naive', n=200000, m=190000)\nexcept KeyboardInterrupt:\n    print('stopped')\n"
            "print(mmm.multiply([1], [1], 101))")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0] == "stopped\n[1]\n" and process.returncode == 0


def test_what_is_dropped_is_freed():
    machine = mmm.Machine("cpu")
    for _ in range(100):
        x = mmm.Array([random.randrange(P) for _ in range(10)], P, machine)
        x * x
        mmm.Plan.multiply(3, 3, p=101, machine=machine)
    kept, plan = x * x, mmm.Plan.multiply(2, 2, p=101, machine=machine)
    machine.close()  # what is left of it lives on, and the machine's memory as long
    assert len(kept) == 19 and machine._handle
    for call in (lambda: x * x, kept.numpy, lambda: plan([1, 1], [1, 1])):
        with pytest.raises(ValueError):
            call()
    del x, kept, plan, call
    assert not machine._live and not machine._dropped and not machine._handle
    with pytest.raises(ValueError):
        mmm.Array([1], P, mmm.Machine("cpu")) * mmm.Array([1], P, CPU)


def test_the_command():
    def call(*words):
        return subprocess.run([sys.executable, "-m", "mmm", *words], capture_output=True, text=True)

    assert call("--version").stdout.startswith("mmm " + mmm.__version__)
    assert call("run", "gcd", "n=50", "m=40", "--check").returncode == 0
    assert call("nosuch").returncode == 2


def test_compare():
    sizes = {"n": 256, "m": 128, "s": [16, 32, 64]}
    compared = mmm.compare("division", machine="cpu", **sizes)
    assert compared["values"] == [16, 32, 64] and all(seconds > 0 for seconds in compared["measured_seconds"])
    assert all(-1 <= model["tau_b"] <= 1 for model in compared["models"] if model["tau_b"] is not None)
    models = {model["name"]: model["costs"] for model in mmm.compare("division", P=3, **sizes)["models"]}
    for cost, counted in zip(models["MMM"], mmm.analyze("division", P=3, **sizes)):
        assert cost == pytest.approx(counted["bounds"]["theorem1"][0]["bound"])
