"""The program itself: `python -m streamfold`, and `streamfold` on the PATH."""

import sys

from . import _streamfold


def main() -> int:
    """Runs the program with the arguments of this process; returns its exit code."""
    return _streamfold.run_program(["streamfold", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
