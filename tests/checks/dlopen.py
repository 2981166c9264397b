"""The shared library opened by a program that was not linked with it: gcds on two machines, failures in two threads, and
what is left when it is closed.
Use: dlopen.py LIBRARY"""
import ctypes
import ctypes.util
import sys
import threading

P = 2013265921
mmm = ctypes.CDLL(sys.argv[1])
mmm.mmm_message.restype = ctypes.c_char_p


def times(a, b):
    c = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            c[i + j] = (c[i + j] + x * y) % P
    return c


def product(roots):
    """The monic polynomial with these roots, the lowest coefficient first."""
    f = [1]
    for r in roots:
        f = times(f, [-r % P, 1])
    return f


def words(a):
    return (ctypes.c_uint64 * len(a))(*a)


def must(status):
    if status:
        sys.exit("dlopen: " + mmm.mmm_message().decode())


def check_gcd(name):
    wanted = product(range(1, 40))
    a, b = times(wanted, product(range(100, 150))), times(wanted, product(range(200, 230)))
    machine, terms, g = ctypes.c_void_p(), ctypes.c_int64(), words([0] * max(len(a), len(b)))
    must(mmm.mmm_machine_open(name, ctypes.byref(machine)))
    must(mmm.mmm_gcd(machine, ctypes.c_uint64(P), words(a), ctypes.c_int64(len(a)), words(b), ctypes.c_int64(len(b)),
                     g, ctypes.byref(terms)))
    mmm.mmm_machine_free(machine)
    if list(g[:terms.value]) != wanted:
        sys.exit("dlopen: a wrong gcd on " + name.decode())


def fail(name, out):
    machine = ctypes.c_void_p()
    out.append((mmm.mmm_machine_open(name, ctypes.byref(machine)), mmm.mmm_message()))


def in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()


for name in b"cpu", b"abstract":
    check_gcd(name)
    in_thread(check_gcd, name)
failures = []
fail(b"here", failures)
in_thread(fail, b"there", failures)
if [status for status, _ in failures] != [1, 1] or b"'there'" not in failures[1][1] or b"'here'" not in mmm.mmm_message():
    sys.exit("dlopen: threads share their messages")

# Libraries that it reads files and computes with are others' too, and go on when it is closed.
jansson = ctypes.CDLL(ctypes.util.find_library("jansson"))
jansson.json_object.restype = ctypes.c_void_p
if ctypes.CDLL(None).dlclose(ctypes.c_void_p(mmm._handle)) != 0 or not jansson.json_object():
    sys.exit("dlopen: JSON of others fails when it is closed")
