"""Runs the commands that it is given as JSON, one after another; each has to succeed and to print something."""

import io
import json
import sys
from contextlib import redirect_stdout

from tensorrvea.cli.main import execute


def main() -> None:
    for words in json.load(sys.stdin):
        with redirect_stdout(io.StringIO()) as out:
            code = execute(words)
        if code or not out.getvalue():
            sys.exit(f"{words} ended with {code} and printed {out.getvalue()!r}")


if __name__ == "__main__":
    main()
