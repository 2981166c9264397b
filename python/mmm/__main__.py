# SPDX-License-Identifier: Apache-2.0
"""python -m mmm is the command mmm."""
import os
import sys

from ._library import command


def main() -> None:
    path = command()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
