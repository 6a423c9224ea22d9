"""Processes that end with the process that needs them, however that one ends.

A worker may be killed together with its parent while it starts, may hold the interpreter lock for hours, and may have
started programs in sessions of their own. So it cannot be trusted to notice that its parent is gone. All processes of a
worker carry a mark in their environment, which whatever they start inherits, and a small process, the guard, kills all
that carry it once the parent's end of a pipe closes. This needs Linux, where the environment of a process can be read;
elsewhere, a worker checks itself whether its parent is alive (``remote.exit_with_parent``).
"""

import os
import signal
import subprocess
import sys
import uuid
from contextlib import suppress
from itertools import count
from pathlib import Path

PROCESSES = Path("/proc")
IS_SUPPORTED = sys.platform == "linux" and (PROCESSES / "self" / "environ").exists()

# Waits until the parent closes the pipe or ends, then kills until nothing is left to kill.
SCRIPT = """
import os, sys, time
mark = b"\\0" + sys.argv[1].encode() + b"="
os.read(0, 1)
for _ in range(50):
    found = False
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/" + name + "/environ", "rb") as stream:
                    if mark in b"\\0" + stream.read():
                        os.kill(int(name), 9)
                        found = True
            except OSError:
                pass
    if not found:
        break
    time.sleep(0.1)
"""


class Guard:
    """Marks processes, and kills what carries its mark when asked to, or when this process ends."""

    def __init__(self) -> None:
        self._name = f"TENSORRVEA_WORKERS_{uuid.uuid4().hex}"
        self._numbers = count()
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self) -> None:
        if IS_SUPPORTED and self._process is None:
            command = [sys.executable, "-I", "-S", "-c", SCRIPT, self._name]
            # In a session of its own, where no Ctrl-C reaches it.
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

    def new_mark(self) -> dict[str, str]:
        """Return an environment variable for one worker; the guard runs from now on."""
        self._start()
        return {self._name: str(next(self._numbers))}

    def close(self) -> None:
        """End the guard, which kills whatever still carries a mark."""
        if self._process is not None:
            try:
                self._process.communicate(timeout=10)
            except (OSError, subprocess.TimeoutExpired):
                self._process.kill()
                self._process.wait()
            self._process = None


def kill_marked(mark: dict[str, str]) -> None:
    """Kill all processes that carry a worker's mark."""
    if not IS_SUPPORTED:
        return
    ((name, value),) = mark.items()
    sought = f"\0{name}={value}\0".encode()
    for path in PROCESSES.iterdir():
        if path.name.isdigit():
            with suppress(OSError):  # it has ended, or is another user's
                if sought in b"\0" + (path / "environ").read_bytes():
                    os.kill(int(path.name), signal.SIGKILL)
