"""Run the commands given as JSON on stdin; each must succeed and print something."""

import io
import json
import sys
from contextlib import redirect_stdout

from tensorrvea.cli.main import execute


def main() -> None:
    for command in json.load(sys.stdin):
        with redirect_stdout(io.StringIO()) as out:
            code = execute(command)
        if code or not out.getvalue():
            sys.exit(f"{command} ended with {code} and printed {out.getvalue()!r}")


if __name__ == "__main__":
    main()
