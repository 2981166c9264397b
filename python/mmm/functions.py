# SPDX-License-Identifier: Apache-2.0
"""Products, divisions and gcds of polynomials over Z/p, and sorting.

A polynomial is an array of coefficients below the prime p, the lowest first.  Anything with a buffer or a sequence will do;
arrays of 64-bit integers in one piece are used where they lie, without a copy.  Rows of a two-dimensional array are
problems of their own, all of which are one call of the library.
"""
from ctypes import byref, c_int64
from typing import Any, Optional, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from ._library import lib, modulus
from .arrays import Array
from .machine import Machines, machine_of

Words = npt.NDArray[np.uint64]


def words(values: npt.ArrayLike) -> Words:
    """Coefficients as the library takes them: a view where it can be one."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError("coefficients are whole numbers below 2^64, not %s" % array.dtype)
    if array.dtype == np.int64:
        array = array.view(np.uint64)  # a negative one is not below p then, and the library says so
    elif array.dtype != np.uint64:
        array = array.astype(np.int64).view(np.uint64)
    return np.ascontiguousarray(array)


def _operands(a: npt.ArrayLike, b: npt.ArrayLike) -> Tuple[Words, Words, int]:
    """Both as arrays, and the number of problems; 0: one, of one dimension."""
    x, y = words(a), words(b)
    if x.ndim != y.ndim or x.ndim not in (1, 2) or (x.ndim == 2 and len(x) != len(y)):
        raise ValueError("shapes %s and %s: two polynomials, or as many rows of both, are needed" % (x.shape, y.shape))
    return x, y, len(x) if x.ndim == 2 else 0


def _room(out: Optional[Words], shape: Tuple[int, ...]) -> Words:
    if out is None:
        return np.empty(shape, np.uint64)
    if out.dtype != np.uint64 or out.shape != shape or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out must be a writeable array of uint64 of the shape %s, in one piece" % (shape,))
    return out


@overload
def multiply(a: Array, b: Array) -> Array: ...
@overload
def multiply(a: npt.ArrayLike, b: npt.ArrayLike, p: int, *, machine: Machines = "cpu",
             out: Optional[Words] = None) -> Words: ...
def multiply(a: Any, b: Any, p: int = 0, *, machine: Machines = "cpu", out: Optional[Words] = None) -> Any:
    """The product of a and b modulo p; `out` has room for len(a) + len(b) - 1 coefficients.

    >>> multiply([1, 1], [2, 1], 101)
    array([2, 3, 1], dtype=uint64)
    >>> multiply([[1, 1], [3, 1]], [[2, 1], [3, 1]], 101)
    array([[2, 3, 1],
           [9, 6, 1]], dtype=uint64)
    """
    if isinstance(a, Array):
        return a * b
    x, y, batch = _operands(a, b)
    p = modulus(p)
    n, m = x.shape[-1], y.shape[-1]
    shape = x.shape[:-1] + (n + m - 1 if n and m else 0,)
    f = _room(out, shape)
    on = machine_of(machine)
    if batch:
        terms = np.empty(batch, np.int64)
        on._call(lib.mmm_multiply_many, on._handle, p, batch, x.ctypes.data, n, y.ctypes.data, m, f.ctypes.data,
                 terms.ctypes.data)
        return f
    count = c_int64()
    on._call(lib.mmm_multiply, on._handle, p, x.ctypes.data, n, y.ctypes.data, m, f.ctypes.data, byref(count))
    return f[: count.value]


@overload
def divmod(a: Array, b: Array) -> Tuple[Array, Array]: ...
@overload
def divmod(a: npt.ArrayLike, b: npt.ArrayLike, p: int, *, machine: Machines = "cpu") -> Tuple[Words, Words]: ...
def divmod(a: Any, b: Any, p: int = 0, *, machine: Machines = "cpu") -> Any:
    """Quotient and remainder of a by b modulo p: a = q b + r with deg r < deg b.

    >>> divmod([2, 3, 1], [1, 1], 101)
    (array([2, 1], dtype=uint64), array([], dtype=uint64))
    """
    if isinstance(a, Array):
        return a.__divmod__(b)
    x, y, batch = _operands(a, b)
    p = modulus(p)
    n, m = x.shape[-1], y.shape[-1]
    on = machine_of(machine)
    if batch:
        q = np.empty((batch, max(n - m + 1, 0)), np.uint64)
        r = np.empty((batch, max(m - 1, 0)), np.uint64)
        terms = np.empty((2, batch), np.int64)
        on._call(lib.mmm_divide_many, on._handle, p, batch, x.ctypes.data, n, y.ctypes.data, m, q.ctypes.data,
                 terms[0].ctypes.data, r.ctypes.data, terms[1].ctypes.data)
        return q, r
    q, r = np.empty(n, np.uint64), np.empty(n, np.uint64)
    q_terms, r_terms = c_int64(), c_int64()
    on._call(lib.mmm_divide, on._handle, p, x.ctypes.data, n, y.ctypes.data, m, q.ctypes.data, byref(q_terms),
             r.ctypes.data, byref(r_terms))
    return q[: q_terms.value], r[: r_terms.value]


@overload
def gcd(a: Array, b: Array) -> Array: ...
@overload
def gcd(a: npt.ArrayLike, b: npt.ArrayLike, p: int, *, machine: Machines = "cpu") -> Words: ...
def gcd(a: Any, b: Any, p: int = 0, *, machine: Machines = "cpu") -> Any:
    """The monic greatest common divisor of a and b modulo p; of rows, each with zeros behind it.

    >>> gcd([2, 3, 1], [5, 6, 1], 101)
    array([1, 1], dtype=uint64)
    """
    if isinstance(a, Array):
        return a.gcd(b)
    x, y, batch = _operands(a, b)
    p = modulus(p)
    n, m = x.shape[-1], y.shape[-1]
    on = machine_of(machine)
    if batch:
        g, terms = np.zeros((batch, max(n, m)), np.uint64), np.empty(batch, np.int64)
        on._call(lib.mmm_gcd_many, on._handle, p, batch, x.ctypes.data, n, y.ctypes.data, m, g.ctypes.data,
                 terms.ctypes.data)
        return g
    g, count = np.empty(max(n, m), np.uint64), c_int64()
    on._call(lib.mmm_gcd, on._handle, p, x.ctypes.data, n, y.ctypes.data, m, g.ctypes.data, byref(count))
    return g[: count.value]


Keys = Union[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]


def _keys(values: npt.ArrayLike, like: Optional[Any], in_place: bool, what: str) -> Any:
    array = np.asarray(values)
    if array.dtype not in (np.uint32, np.uint64) or array.ndim not in (1, 2):
        raise TypeError("%s are an array of uint32 or uint64 of one or two dimensions, not of %s" % (what, array.dtype))
    if like is not None and (array.dtype != like.dtype or array.shape != like.shape):
        raise ValueError("values are as many as keys, and of their type")
    if not in_place:
        return array.copy()
    if array is not values or not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError("in_place: %s must be a writeable array in one piece" % what)
    return array


def sort(keys: npt.ArrayLike, values: Optional[npt.ArrayLike] = None, *, in_place: bool = False,
         machine: Machines = "cpu") -> Any:
    """The keys in order, or (keys, values) where values go along with them; equal keys keep their order.  Rows are sorted
    each for itself.  With `in_place` the arrays themselves are sorted, without a copy.

    >>> sort(np.array([3, 1, 2], np.uint32))
    array([1, 2, 3], dtype=uint32)
    >>> sort(np.array([3, 1, 2], np.uint64), np.array([0, 1, 2], np.uint64))
    (array([1, 2, 3], dtype=uint64), array([1, 2, 0], dtype=uint64))
    """
    k = _keys(keys, None, in_place, "keys")
    v = None if values is None else _keys(values, k, in_place, "values")
    if v is not None and np.shares_memory(k, v):
        raise ValueError("keys and values share memory")
    on = machine_of(machine)
    bits = "u32" if k.dtype == np.uint32 else "u64"
    arrays = k.ctypes.data, None if v is None else v.ctypes.data, k.shape[-1]
    if k.ndim == 2:
        on._call(getattr(lib, "mmm_sort_many_" + bits), on._handle, len(k), *arrays)
    else:
        on._call(getattr(lib, "mmm_sort_" + bits), on._handle, *arrays)
    return k if v is None else (k, v)
