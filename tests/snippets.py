"""Running the code blocks of a page in order, as a reader would type them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from sizes import QUICK_FLAGS

ROOT = Path(__file__).parents[1]
READER = """
import sys
names = {"__name__": "__main__"}
for block in sys.stdin.read().split("\\0"):
    exec(block, names)
print(eval(sys.argv[1], names))
"""


def blocks_of(page: str) -> list[str]:
    """Return the Python blocks of a page, which is a path from the root of the repository."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)


def run_blocks(blocks: list[str], expression: str, directory: Path, flags: str = "") -> str:
    """Return the value of ``expression`` after the blocks, in a subprocess with fast compilation."""
    command = [sys.executable, "-W", "error::SyntaxWarning", "-c", READER, expression]
    environment = os.environ | {"XLA_FLAGS": f"{QUICK_FLAGS} {flags}"}
    done = subprocess.run(
        command, input="\0".join(blocks), capture_output=True, text=True, check=False, cwd=directory, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1]
