# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517): the package, the command, the library and all it needs, which lies beside it.

`make wheel-files` puts the binaries into build/wheel.  The libraries get names of their own, so that no other package of
the same process takes them for the system's; the tag says which glibc all of them ask for.  Nothing in the archive depends
on the time or the place of the build."""
import base64
import gzip
import hashlib
import io
import os
import re
import subprocess
import sysconfig
import tarfile
import zipfile
from typing import Any, Dict, List, Optional, Set, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILES = os.path.join(ROOT, "build", "wheel")
DATE = (1980, 1, 1, 0, 0, 0)

METADATA = """Metadata-Version: 2.1
Name: mmm
Version: %s
Summary: The many-core machine model: count, bound, tune and run DAGs of kernels; polynomials over Z/p and sorting
License: Apache-2.0; the libraries beside it have licences of their own, in the folder licenses
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

%s"""


def read(*path: str) -> str:
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def version() -> str:
    found = re.search(r'MMM_VERSION "(.*)"', read("include", "mmm.h"))
    assert found, "include/mmm.h has no MMM_VERSION"
    return found.group(1)


def rename() -> None:
    """Gives libraries that are not ours a name with a digest of theirs, and lets all files find them beside themselves."""
    names = {}
    for path in read("build", "wheel", "libraries.txt").split():
        name = os.path.basename(path)
        with open(os.path.join(FILES, name), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:8]
        names[name] = name.replace(".so", "-%s.so" % digest, 1)
    replace = [word for old, new in names.items() for word in ("--replace-needed", old, new)]
    for name in os.listdir(FILES):
        path = os.path.join(FILES, name)
        if name.endswith(".txt"):
            continue
        own = ["--set-soname", names[name]] if name in names else []
        for change in (own, replace, ["--force-rpath", "--set-rpath", "$ORIGIN"]):  # one by one: patchelf mixes them up
            if change:
                subprocess.check_call(["patchelf", *change, path])
        os.rename(path, os.path.join(FILES, names.get(name, name)))


def platform() -> str:
    """manylinux, with the newest glibc that a symbol of these files is of, or that came with their libstdc++."""
    versions: Set[Tuple[int, int]] = {(2, 17)}
    for name in sorted(os.listdir(FILES)):
        if not name.endswith(".txt"):
            text = subprocess.check_output(["readelf", "-W", "-V", os.path.join(FILES, name)], text=True)
            versions.update((int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", text))
            versions.update((2, int(n) + 5) for n in re.findall(r"GLIBCXX_3\.4\.(\d+)", text) if int(n) >= 30)
    machine = sysconfig.get_platform().split("-", 1)[1].replace("-", "_").replace(".", "_")
    return "manylinux_%d_%d_%s" % (*max(versions), machine)


def licences() -> Dict[str, str]:
    """Of the libraries beside ours, as Debian's packages have them."""
    out = {"mmm.txt": os.path.join(ROOT, "LICENSE")}
    for line in read("build", "wheel", "libraries.txt").split():
        for path in (line, os.path.realpath(line), os.path.realpath(line).replace("/usr/lib", "/lib", 1)):
            found = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            package = found.stdout.split(":")[0]
            note = "/usr/share/doc/%s/copyright" % package
            if found.returncode == 0 and os.path.exists(note):
                out[package + ".txt"] = note
                break
        else:
            raise SystemExit("no licence is known of %s: dpkg does not know whose it is" % line)
    return out


def dist_info() -> Dict[str, str]:
    return {"METADATA": METADATA % (version(), read("python", "README.md")),
            "entry_points.txt": "[console_scripts]\nmmm = mmm.__main__:main\n"}


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """What pip wants to know before anything is built."""
    info = "mmm-%s.dist-info" % version()
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in dist_info().items():
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    subprocess.check_call(["make", "-C", ROOT, "-j%d" % (os.cpu_count() or 1), "wheel-files"], env=environment)
    rename()
    info, tag = "mmm-%s.dist-info" % version(), "py3-none-" + platform()
    contents: List[Tuple[str, bytes, int]] = []

    def add_file(name: str, path: str) -> None:
        with open(path, "rb") as file:
            contents.append((name, file.read(), os.stat(path).st_mode & 0o100 and 0o755 or 0o644))

    def add_text(name: str, text: str) -> None:
        contents.append((name, text.encode(), 0o644))

    package = os.path.join(ROOT, "python", "mmm")
    for name in sorted(os.listdir(package)):
        if name.endswith(".py") or name == "py.typed":
            add_file("mmm/" + name, os.path.join(package, name))
    for name in sorted(os.listdir(FILES)):
        if not name.endswith(".txt"):
            add_file("mmm/lib/" + name, os.path.join(FILES, name))
    for name, path in sorted(licences().items()):
        add_file("%s/licenses/%s" % (info, name), path)
    for name, text in dist_info().items():
        add_text("%s/%s" % (info, name), text)
    add_text(info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: mmm\nRoot-Is-Purelib: false\nTag: %s\n" % tag)
    lines = []
    for name, data, _ in contents:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (name, digest, len(data)))
    add_text(info + "/RECORD", "".join(lines) + info + "/RECORD,,\n")
    wheel = "mmm-%s-%s.whl" % (version(), tag)
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in contents:
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The archive of make dist, and beside its files what pip wants to know of it."""
    subprocess.check_call(["make", "-s", "-C", ROOT, "dist"], stdout=subprocess.DEVNULL)
    name = "mmm-%s" % version()
    sources = os.path.join(ROOT, "build", "dist", name + ".tar.gz")
    path = os.path.join(sdist_directory, name + ".tar.gz")
    with tarfile.open(sources) as old, open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as new:
            members = old.getmembers()
            for member in members:
                new.addfile(member, old.extractfile(member))
            text = dist_info()["METADATA"].encode()
            info = tarfile.TarInfo(name + "/PKG-INFO")
            info.size, info.mtime, info.mode = len(text), members[0].mtime, 0o644
            new.addfile(info, io.BytesIO(text))
    return os.path.basename(path)
