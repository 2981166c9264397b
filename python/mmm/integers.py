# SPDX-License-Identifier: Apache-2.0
"""Polynomials over the integers, by many primes, each of which is a problem over Z/p for a machine; results are proved.

A polynomial is a sequence of Python's integers of any size, the lowest coefficient first; results are lists of them, without
leading zeros.

>>> from mmm import integers
>>> integers.multiply([-1, 1], [1, 1])
[-1, 0, 1]
>>> integers.gcd([-10**40, 0, 10**40], [2, 2])
[2, 2]
"""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_long, c_void_p
from typing import Any, Iterable, List, Tuple

from ._library import lib, whole
from .machine import Machines, machine_of


class _Polynomial(ctypes.Structure):
    """fmpz_poly_struct of FLINT, whose functions are found by way of the library that needs them."""

    _fields_ = [("coefficients", c_void_p), ("room", c_long), ("length", c_long)]


_poly = POINTER(_Polynomial)
for _name, _result, _arguments in (
    ("fmpz_poly_init2", None, [_poly, c_long]),
    ("fmpz_poly_clear", None, [_poly]),
    ("_fmpz_poly_normalise", None, [_poly]),
    ("fmpz_set_str", c_int, [c_void_p, c_char_p, c_int]),
    ("fmpz_get_str", c_void_p, [c_char_p, c_int, c_void_p]),
    ("flint_free", None, [c_void_p]),
    ("mmm_integer_multiply", c_int, [c_void_p, _poly, _poly, _poly, c_void_p]),
    ("mmm_integer_gcd", c_int, [c_void_p, _poly, _poly, _poly, c_void_p]),
    ("mmm_integer_divide", c_int, [c_void_p, _poly, _poly, _poly, _poly, c_void_p]),
):
    _function = getattr(lib, _name)
    _function.argtypes, _function.restype = _arguments, _result

_SIZE = ctypes.sizeof(c_long)


class _Z:
    """A polynomial of FLINT's with its memory."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        texts = [b"%x" % whole("a coefficient", x) for x in values]  # hexadecimal: as quick as the number is long
        self.value = _Polynomial()
        lib.fmpz_poly_init2(byref(self.value), len(texts))
        self.value.length = len(texts)
        for i, text in enumerate(texts):
            lib.fmpz_set_str(self.value.coefficients + _SIZE * i, text, 16)
        lib._fmpz_poly_normalise(byref(self.value))

    def list(self) -> List[int]:
        out = []
        for i in range(self.value.length):
            address = lib.fmpz_get_str(None, 16, self.value.coefficients + _SIZE * i)
            out.append(int(ctypes.string_at(address), 16))
            lib.flint_free(address)
        return out

    def __del__(self) -> None:
        if hasattr(self, "value"):
            lib.fmpz_poly_clear(byref(self.value))


def _call(function: Any, a: Iterable[int], b: Iterable[int], results: int, machine: Machines) -> List[List[int]]:
    on = machine_of(machine)
    x, y, out = _Z(a), _Z(b), [_Z() for _ in range(results)]
    on._call(function, on._handle, *[byref(z.value) for z in out + [x, y]], None)
    return [z.list() for z in out]


def multiply(a: Iterable[int], b: Iterable[int], *, machine: Machines = "cpu") -> List[int]:
    """The product of a and b.

    >>> multiply([1, 2**70], [3])
    [3, 3541774862152233910272]
    """
    return _call(lib.mmm_integer_multiply, a, b, 1, machine)[0]


def gcd(a: Iterable[int], b: Iterable[int], *, machine: Machines = "cpu") -> List[int]:
    """The greatest common divisor, with its content and a positive leading coefficient.

    >>> gcd([-4, 0, 4], [6, 6])
    [2, 2]
    """
    return _call(lib.mmm_integer_gcd, a, b, 1, machine)[0]


def divmod(a: Iterable[int], b: Iterable[int], *, machine: Machines = "cpu") -> Tuple[List[int], List[int]]:
    """Quotient and remainder with integer coefficients, where there are such: the leading coefficient of b is 1 or -1, or b
    divides a.

    >>> divmod([3, 3, 1], [1, 1])
    ([2, 1], [1])
    """
    q, r = _call(lib.mmm_integer_divide, a, b, 2, machine)
    return q, r
