# SPDX-License-Identifier: Apache-2.0
"""Machines: the CPU, CUDA and OpenCL devices, and the abstract machine, which counts."""
import threading
from collections import deque
from ctypes import byref, c_int64
from typing import Any, Callable, Deque, Dict, Optional, Set, Tuple, Union

from . import _library
from ._library import lib

Machines = Union[str, "Machine"]


class Machine:
    """A machine by its name: "cpu", "cuda:0", "opencl:0" or "abstract".

    It runs one call at a time; calls from other threads wait.  Functions that take a name share the machine of that name
    with other calls of the same thread.

    >>> with Machine("cpu") as machine:
    ...     machine.name
    'cpu'
    """

    def __init__(self, name: str) -> None:
        self._handle = 0
        self._lock = threading.Lock()
        self._owner: Optional[int] = None
        self._dropped: Deque[Tuple[Callable[[int], None], int]] = deque()
        self._live: Set[int] = set()  # its arrays and plans, which it must outlive
        self._closed = False
        self.name = name
        self._handle = _library.new(lib.mmm_machine_open, name.encode())
        lib.mmm_machine_on_progress(self._handle, _library.interrupted, None)

    @property
    def description(self) -> str:
        """One line about it: what it is, cores, instruction set."""
        text: bytes = lib.mmm_machine_description(self._handle)
        return text.decode()

    @property
    def transferred(self) -> Tuple[int, int]:
        """Bytes that went into its memory and out of it since it was opened."""
        into, out = c_int64(), c_int64()
        lib.mmm_machine_transferred(self._handle, byref(into), byref(out))
        return into.value, out.value

    def limit(self, seconds: float) -> None:
        """Gives up runs that take longer; 0: never.  For GPUs."""
        lib.mmm_machine_set_time_limit(self._handle, seconds)

    def fastest(self, operation: str, p: int, n: int, m: int) -> str:
        """The application that multiply, divmod or gcd takes: `operation` is "multiplication", "division" or "gcd".

        >>> Machine("cpu").fastest("multiplication", 101, 4, 4)
        'multiplication-tile'
        """
        name: Optional[bytes] = lib.mmm_fastest(self._handle, operation.encode(), _library.modulus(p), n, m)
        if name is None:
            raise _library.InvalidError(_library.message())
        return name.decode()

    def _call(self, function: Any, *arguments: Any) -> None:
        """Calls a function that may run long, alone on this machine."""
        if self._owner == threading.get_ident():
            raise RuntimeError("machine %s is busy: a signal handler cannot use it" % self.name)
        with self._lock:
            self._owner = threading.get_ident()
            try:
                if self._closed:
                    raise ValueError("machine %s is closed" % self.name)
                self._sweep()
                _library.check(function(*arguments))
            finally:
                self._owner = None

    def _sweep(self) -> None:
        while self._dropped:
            free, handle = self._dropped.popleft()
            free(handle)
            self._live.discard(handle)
        if self._closed and self._handle and not self._live:
            lib.mmm_machine_free(self._handle)
            self._handle = 0

    def _drop(self, free: Callable[[int], None], handle: int) -> None:
        """Frees what belongs to the machine: now, or when the machine has time, for a finalizer may run at any place."""
        self._dropped.append((free, handle))
        if self._lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                self._lock.release()

    def close(self) -> None:
        """Nothing runs on it any more; its memory goes back with the last of its arrays and plans."""
        with self._lock:
            self._closed = True
            self._sweep()

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if self._handle:
            self.close()

    def __repr__(self) -> str:
        return "Machine(%r)" % self.name


_open = threading.local()


def machine_of(machine: Machines) -> Machine:
    """The machine itself, or this thread's machine of that name."""
    if isinstance(machine, Machine):
        return machine
    machines: Dict[str, Machine] = _open.__dict__
    if machine not in machines:
        machines[machine] = Machine(machine)
    return machines[machine]
