# SPDX-License-Identifier: Apache-2.0
"""Any application on any machine, by its name or its folder, with arrays as inputs."""
import ctypes
from ctypes import byref, c_double, c_int64
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import App, Data, lib
from .functions import words
from .machine import Machines, machine_of

_types = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
          "i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


class Run(NamedTuple):
    """What a run gave: its results by their names, the parameters it ran with, and the time of its kernels."""

    results: Dict[str, npt.NDArray[Any]]
    parameters: Dict[str, int]
    seconds: float

    def __getitem__(self, which: Any) -> Any:
        return self.results[which] if isinstance(which, str) else tuple.__getitem__(self, which)


def _type(data: Data) -> Any:
    """The type of elements on this side: words are uint64."""
    return _types.get(lib.mmm_type_name(data.type).decode(), np.uint64)


def _listed(data: Any) -> List[Data]:
    return [d for d in data if d.name]


def _give(job: int, number: int, data: Data, value: npt.ArrayLike, p: Optional[int]) -> None:
    if lib.mmm_type_name(data.type) == b"polynomial":
        array = words(value)
        if p is None:
            raise TypeError("input %s is a polynomial: p=, its modulus, is needed" % data.name.decode())
        _library.check(lib.mmm_job_polynomial(job, number, _library.modulus(p), array.ctypes.data, array.size))
        return
    wanted, given = np.dtype(_type(data)), np.asarray(value)
    if given.dtype.kind not in ("iuf" if wanted.kind == "f" else "iu"):
        raise TypeError("input %s has elements of %s, not of %s" % (data.name.decode(), wanted, given.dtype))
    elements = np.ascontiguousarray(given, wanted)
    if wanted.kind != "f" and given.dtype != wanted and not (elements == given).all():
        raise ValueError("input %s: a number does not fit %s" % (data.name.decode(), wanted))
    lengths = (c_int64 * max(elements.ndim, 1))(*elements.shape)
    _library.check(lib.mmm_job_give(job, number, elements.ctypes.data, lengths, elements.ndim))


def _result(job: int, number: int, data: Data, parameters: Dict[str, int]) -> npt.NDArray[Any]:
    count = c_int64()
    address = lib.mmm_job_result(job, number, byref(count))
    if not address:
        raise _library.InvalidError(_library.message())
    dtype = np.dtype(_type(data))
    out = np.empty(count.value, dtype)
    ctypes.memmove(out.ctypes.data, address, count.value * dtype.itemsize)
    shape = [parameters.get(length.strip()) for length in data.shape.decode().split(",")]
    if len(shape) > 1 and all(shape) and np.prod([int(n or 0) for n in shape]) == count.value:
        out = out.reshape([int(n or 0) for n in shape])
    return out


def run(app: str, *inputs: npt.ArrayLike, machine: Machines = "cpu", check: bool = False, **parameters: int) -> Run:
    """Runs an application: one of the library by its name, or one of your own by the path of its folder, "./stencil",
    which is compiled when that was not done before.  Inputs that are not given are drawn at random; parameters that are
    not given have the values that suit the machine.  With `check` the result is compared with the application's oracle.

    >>> run("gcd", [2, 3, 1], [5, 6, 1], p=101, s=4)["g"]
    array([1, 1], dtype=uint64)
    >>> run("radix-sort", n=1000, check=True).results["keys"].shape
    (1000,)
    """
    on = machine_of(machine)
    job = _library.new(lib.mmm_job_new, app.encode())
    try:
        record = App.from_address(lib.mmm_job_app(job))
        wanted = _listed(record.inputs)
        if len(inputs) > len(wanted):
            raise TypeError("%s has %d inputs, not %d" % (app, len(wanted), len(inputs)))
        for name, value in parameters.items():
            _library.check(lib.mmm_job_set(job, name.encode(), _library.whole(name, value)))
        for number, value_of in enumerate(inputs):
            _give(job, number, wanted[number], value_of, parameters.get("p"))
        seconds = c_double()
        if on.name != "abstract":
            on._call(lib.mmm_tune_choose, job, on._handle, None)
        on._call(lib.mmm_job_run, job, on._handle, byref(seconds))
        if check:
            on._call(lib.mmm_job_check, job)
        used = {p.name.decode(): int(lib.mmm_job_get(job, p.name)) for p in record.parameters if p.name}
        results = {}
        for number, data in enumerate(_listed(record.outputs)):
            if lib.mmm_job_result(job, number, None):
                results[data.name.decode()] = _result(job, number, data, used)
        return Run(results, used, seconds.value)
    finally:
        lib.mmm_job_free(job)
