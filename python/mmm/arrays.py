# SPDX-License-Identifier: Apache-2.0
"""Polynomials that stay in the memory of a machine, and plans, which are made once and run many times."""
import ctypes
from ctypes import byref, c_void_p
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._library import lib, modulus
from .machine import Machine, Machines, machine_of


class Array:
    """A polynomial over Z/p in the memory of a machine: operations on it move nothing but a few words.

    >>> x, y = Array([2, 3, 1], 101), Array([1, 1], 101)
    >>> divmod(x * y, x)[0].numpy()
    array([1, 1], dtype=uint64)
    >>> x.gcd(y).numpy(), len(x)
    (array([1, 1], dtype=uint64), 3)
    """

    def __init__(self, coefficients: npt.ArrayLike, p: int, machine: Machines = "cpu") -> None:
        from .functions import words

        array = words(coefficients)
        if array.ndim != 1:
            raise ValueError("an Array is one polynomial, not of shape %s" % (array.shape,))
        self._handle = c_void_p()
        self.machine, self.p = machine_of(machine), modulus(p)
        self.machine._call(lib.mmm_array_new, self.machine._handle, self.p, array.ctypes.data, len(array),
                           byref(self._handle))
        self.machine._live.add(self._handle.value or 0)

    @classmethod
    def _of(cls, like: "Array", handle: c_void_p) -> "Array":
        self = cls.__new__(cls)
        self._handle, self.machine, self.p = handle, like.machine, like.p
        self.machine._live.add(handle.value or 0)
        return self

    def _with(self, function: Any, other: "Array", results: int) -> List["Array"]:
        if not isinstance(other, Array):
            raise TypeError("an Array goes with an Array, not with %s" % type(other).__name__)
        if other.machine is not self.machine:
            raise ValueError("both Arrays must be of the same machine")
        out = [c_void_p() for _ in range(results)]
        self.machine._call(function, self._handle, other._handle, *[byref(o) for o in out])
        return [Array._of(self, o) for o in out]

    def __mul__(self, other: "Array") -> "Array":
        return self._with(lib.mmm_array_multiply, other, 1)[0]

    def __divmod__(self, other: "Array") -> Tuple["Array", "Array"]:
        q, r = self._with(lib.mmm_array_divide, other, 2)
        return q, r

    def __floordiv__(self, other: "Array") -> "Array":
        return self.__divmod__(other)[0]

    def __mod__(self, other: "Array") -> "Array":
        return self.__divmod__(other)[1]

    def gcd(self, other: "Array") -> "Array":
        """The monic greatest common divisor."""
        return self._with(lib.mmm_array_gcd, other, 1)[0]

    def __len__(self) -> int:
        """The number of terms without leading zeros."""
        terms: int = lib.mmm_array_terms(self._handle)
        return terms

    def numpy(self) -> npt.NDArray[np.uint64]:
        """Its coefficients, brought to the host."""
        out = np.empty(len(self), np.uint64)
        self.machine._call(lib.mmm_array_read, self._handle, out.ctypes.data)
        return out

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __repr__(self) -> str:
        return "<Array of %d terms modulo %d on %s>" % (len(self), self.p, self.machine.name)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self.machine._drop(lib.mmm_array_free, handle.value or 0)


class Plan:
    """What is made once for a machine, sizes and p, to be run many times with other data.

    >>> plan = Plan.multiply(3, 2, p=101)
    >>> plan([2, 3, 1], [1, 1])
    array([2, 5, 4, 1], dtype=uint64)
    >>> Plan.sort(4)(np.array([4, 2, 3, 1], np.uint32))
    array([1, 2, 3, 4], dtype=uint32)

    With `batch`, inputs and results are rows.  Results have the room of the largest there can be, with zeros behind their
    terms; `counts` of the last run has the numbers of terms.
    """

    def __init__(self, machine: Machine, function: Any, arguments: Sequence[Any], batch: int, lengths: List[int],
                 outputs: int, dtype: Any = np.uint64) -> None:
        self._handle = c_void_p()
        self.machine, self.batch, self._lengths, self._dtype = machine, batch, lengths, dtype
        machine._call(function, machine._handle, *arguments, byref(self._handle))
        machine._live.add(self._handle.value or 0)
        self.rooms = [lib.mmm_plan_room(self._handle, i) for i in range(outputs)]
        self.counts = np.zeros((outputs, batch), np.int64)

    @classmethod
    def multiply(cls, n: int, m: int, p: int, batch: int = 1, machine: Machines = "cpu") -> "Plan":
        """Of products of n by m terms."""
        return cls(machine_of(machine), lib.mmm_plan_multiply, (modulus(p), n, m, batch), batch, [n, m], 1)

    @classmethod
    def divmod(cls, n: int, m: int, p: int, batch: int = 1, machine: Machines = "cpu") -> "Plan":
        """Of divisions of n by m terms, the last of which is not 0."""
        return cls(machine_of(machine), lib.mmm_plan_divide, (modulus(p), n, m, batch), batch, [n, m], 2)

    @classmethod
    def gcd(cls, n: int, m: int, p: int, batch: int = 1, machine: Machines = "cpu") -> "Plan":
        """Of gcds of n and m terms."""
        return cls(machine_of(machine), lib.mmm_plan_gcd, (modulus(p), n, m, batch), batch, [n, m], 1)

    @classmethod
    def sort(cls, count: int, bits: int = 32, values: bool = False, batch: int = 1,
             machine: Machines = "cpu") -> "Plan":
        """Of sorts of `count` keys of 32 or 64 bits, with or without values."""
        arrays = 2 if values else 1
        return cls(machine_of(machine), lib.mmm_plan_sort, (count, bits, int(values), batch), batch, [count] * arrays,
                   arrays, np.uint32 if bits == 32 else np.uint64)

    def __call__(self, *inputs: npt.ArrayLike) -> Any:
        from .functions import words

        if len(inputs) != len(self._lengths):
            raise TypeError("the plan takes %d inputs, not %d" % (len(self._lengths), len(inputs)))
        arrays = [words(x) if self._dtype == np.uint64 else np.ascontiguousarray(x, self._dtype) for x in inputs]
        for array, length in zip(arrays, self._lengths):
            if array.shape not in [(self.batch, length)] + [(length,)] * (self.batch == 1):
                raise ValueError("shape %s: %d rows of %d are needed" % (array.shape, self.batch, length))
        outputs = [np.zeros((self.batch, room), self._dtype) for room in self.rooms]
        self.machine._call(lib.mmm_plan_run, self._handle, _pointers(arrays), _pointers(outputs),
                           _pointers(list(self.counts)))
        if arrays[0].ndim == 1:
            outputs = [out[0] for out in outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    @property
    def seconds(self) -> float:
        """The time of the kernels of the last run."""
        seconds: float = lib.mmm_plan_seconds(self._handle)
        return seconds

    def __del__(self) -> None:
        handle: Optional[c_void_p] = getattr(self, "_handle", None)
        if handle:
            self.machine._drop(lib.mmm_plan_free, handle.value or 0)


def _pointers(arrays: Sequence[npt.NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
