# SPDX-License-Identifier: Apache-2.0
"""The C library by ctypes: where it is, what its functions take, and its failures as exceptions."""
import ctypes
import operator
import os
import shutil
import signal
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from typing import Any, Dict, Type

SONAME = "libmmm.so.0.1"


def _find() -> str:
    """What MMM_LIBRARY names; or the library beside this file, in a wheel; or the system's."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", SONAME)
    return os.environ.get("MMM_LIBRARY") or (inside if os.path.exists(inside) else SONAME)


path = _find()
lib = ctypes.CDLL(path)  # a CDLL gives the interpreter's lock away while C runs


def command() -> str:
    """The path of the command: beside the library, or the system's."""
    beside = os.path.join(os.path.dirname(path), "mmm")
    found = beside if os.access(beside, os.X_OK) else shutil.which("mmm")
    if not found:
        raise FileNotFoundError("the command mmm is neither beside %s nor on the PATH" % path)
    return found


class Error(Exception):
    """A failure of the library, with its message."""


class InvalidError(Error, ValueError):
    """An argument, file or program is not what it should be."""


class TooLargeError(Error, MemoryError):
    """What was asked for does not fit the machine; nothing was allocated."""


class NoMemoryError(Error, MemoryError):
    """The system refused memory."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class DeviceError(Error, RuntimeError):
    """A device or its driver failed."""


class WrongError(Error, AssertionError):
    """A result failed its check."""


_errors: Dict[int, Type[Error]] = {1: InvalidError, 2: TooLargeError, 3: NoMemoryError, 4: FileError, 5: DeviceError,
                                   6: WrongError}
_STOPPED = 7


def message() -> str:
    text: bytes = lib.mmm_message()
    return text.decode("utf-8", "replace")


def check(status: int) -> None:
    """Raises what a status other than 0 means.  A run that was stopped was interrupted by the user."""
    if status == 0:
        return
    text = message()
    if status == _STOPPED:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, None)
        raise KeyboardInterrupt(text)
    raise _errors.get(status, Error)(text)


# Long runs ask this now and then.  It is C on both sides: a Python function here could be interrupted before its first line.
Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)
interrupted = Progress(ctypes.PYFUNCTYPE(c_int, c_void_p, c_double)(("PyOS_InterruptOccurred", ctypes.pythonapi)))

_machine = _job = _plan = _array = _elements = c_void_p
_out = POINTER(c_void_p)
_terms = POINTER(c_int64)
_pair = [_machine, c_uint64, _elements, c_int64, _elements, c_int64]
_many = [_machine, c_uint64, c_int64, _elements, c_int64, _elements, c_int64]
_shape = [_machine, c_uint64, c_int64, c_int64, c_int64, _out]
_sort = [_machine, _elements, _elements, c_int64]
_sort_many = [_machine, c_int64, _elements, _elements, c_int64]
_pointers = POINTER(c_void_p)

# Those that return a status.
for _name, _arguments in {
    "machine_open": [c_char_p, _out],
    "multiply": _pair + [_elements, _terms],
    "divide": _pair + [_elements, _terms, _elements, _terms],
    "gcd": _pair + [_elements, _terms],
    "multiply_many": _many + [_elements, _elements],
    "divide_many": _many + [_elements, _elements, _elements, _elements],
    "gcd_many": _many + [_elements, _elements],
    "sort_u32": _sort,
    "sort_u64": _sort,
    "sort_many_u32": _sort_many,
    "sort_many_u64": _sort_many,
    "array_new": [_machine, c_uint64, _elements, c_int64, _out],
    "array_read": [_array, _elements],
    "array_multiply": [_array, _array, _out],
    "array_divide": [_array, _array, _out, _out],
    "array_gcd": [_array, _array, _out],
    "plan_multiply": _shape,
    "plan_divide": _shape,
    "plan_gcd": _shape,
    "plan_sort": [_machine, c_int64, c_int, c_int, c_int64, _out],
    "plan_run": [_plan, _pointers, _pointers, _pointers],
    "job_new": [c_char_p, _out],
    "job_set": [_job, c_char_p, c_int64],
    "job_polynomial": [_job, c_int, c_uint64, _elements, c_int64],
    "job_give": [_job, c_int, _elements, POINTER(c_int64), c_int],
    "tune_choose": [_job, _machine, c_void_p],
    "job_run": [_job, _machine, POINTER(c_double)],
    "job_check": [_job],
}.items():
    _function = getattr(lib, "mmm_" + _name)
    _function.argtypes, _function.restype = _arguments, c_int

# The others.
for _name, (_result, _arguments) in {
    "version": (c_char_p, []),
    "message": (c_char_p, []),
    "machine_free": (None, [_machine]),
    "machine_description": (c_char_p, [_machine]),
    "machine_on_progress": (None, [_machine, Progress, c_void_p]),
    "machine_set_time_limit": (None, [_machine, c_double]),
    "machine_transferred": (None, [_machine, POINTER(c_int64), POINTER(c_int64)]),
    "fastest": (c_char_p, [_machine, c_char_p, c_uint64, c_int64, c_int64]),
    "array_free": (None, [_array]),
    "array_terms": (c_int64, [_array]),
    "plan_free": (None, [_plan]),
    "plan_room": (c_int64, [_plan, c_int]),
    "plan_seconds": (c_double, [_plan]),
    "job_free": (None, [_job]),
    "job_app": (c_void_p, [_job]),
    "job_get": (c_int64, [_job, c_char_p]),
    "job_result": (c_void_p, [_job, c_int, POINTER(c_int64)]),
    "type_name": (c_char_p, [c_int]),
}.items():
    _function = getattr(lib, "mmm_" + _name)
    _function.argtypes, _function.restype = _arguments, _result


class Parameter(ctypes.Structure):
    """mmm_parameter of mmm/app.h"""
    _fields_ = [("name", c_char_p), ("meaning", c_char_p), ("role", c_int), ("least", c_int64), ("most", c_int64),
                ("standard", c_int64), ("trials", c_char_p), ("same", c_char_p)]


class Data(ctypes.Structure):
    """mmm_data of mmm/app.h"""
    _fields_ = [("name", c_char_p), ("type", c_int), ("shape", c_char_p), ("when", c_char_p), ("monic", c_int),
                ("leads", c_int)]


class App(ctypes.Structure):
    """The first fields of mmm_app of mmm/app.h"""
    _fields_ = [("name", c_char_p), ("summary", c_char_p), ("section", c_char_p), ("oracle", c_char_p),
                ("formula", c_char_p), ("naive", c_int), ("parameters", Parameter * 16), ("constraints", c_char_p),
                ("word", c_char_p), ("inputs", Data * 4), ("outputs", Data * 4)]


def new(function: Any, *arguments: Any) -> int:
    """Calls a function that makes something, which its last parameter is for."""
    out = c_void_p()
    check(function(*arguments, byref(out)))
    return out.value or 0


def whole(name: str, value: Any) -> int:
    """A whole number, not one that is rounded to it."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError("%s is a whole number, not %r" % (name, value)) from None


def modulus(p: Any) -> int:
    """What fits the argument that is for a modulus; whether it is a prime the library says."""
    number = whole("p", p)
    if not 0 <= number < 1 << 63:
        raise InvalidError("p=%d: the prime modulus must be from 2 to %d" % (number, (1 << 63) - 1))
    return number
