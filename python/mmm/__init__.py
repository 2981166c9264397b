# SPDX-License-Identifier: Apache-2.0
"""mmm: the many-core machine model as software, from Python.

Polynomials over Z/p and keys are NumPy arrays, which the library uses where they lie:

>>> import mmm
>>> mmm.multiply([1, 1], [2, 1], 101)
array([2, 3, 1], dtype=uint64)
>>> mmm.gcd([2, 3, 1], [5, 6, 1], 101, machine="cpu")
array([1, 1], dtype=uint64)

`Array` keeps polynomials in the memory of a machine, `Plan` makes once what is run many times, `run` takes any application
and any folder with one.  `integers` has products, divisions and gcds over Z, of Python's integers.  `analyze`, `compare`, `tune`, `derive` and `report` are the verbs of the command as data, which
show themselves in a notebook.  Failures are exceptions with the library's message; other threads run while C does, and
Ctrl-C stops long runs.
"""
from . import integers
from ._library import (DeviceError, Error, FileError, InvalidError, NoMemoryError, TooLargeError, WrongError, lib as _lib)
from .arrays import Array, Plan
from .functions import divmod, gcd, multiply, sort
from .jobs import Run, run
from .machine import Machine
from .verbs import analyze, applications, calibrate, command, compare, derive, machines, report, tune

__version__: str = _lib.mmm_version().decode()
__all__ = ["Array", "DeviceError", "Error", "FileError", "InvalidError", "Machine", "NoMemoryError", "Plan", "Run",
           "TooLargeError", "WrongError", "analyze", "applications", "calibrate", "command", "compare", "derive", "divmod",
           "gcd", "integers", "machines", "multiply", "report", "run", "sort", "tune"]
