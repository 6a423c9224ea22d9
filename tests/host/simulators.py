"""Functions that a worker process can import, like a user's simulator."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np


def schaffer(x):
    return x[0] ** 2, (x[0] - 2) ** 2


def batched_schaffer(x):
    return np.stack([x[:, 0] ** 2, (x[:, 0] - 2) ** 2], axis=1)


def limit(x):
    return x[0] - 1


def slower_for_larger(x):
    time.sleep(0.02 * (x[0] + 3))
    return schaffer(x)


def process_id(x):
    time.sleep(0.05)
    return os.getpid(), x[0]


def noisy(generator, x):
    return x[0], generator.normal()


def batched_noisy(generators, x):
    return np.stack([x[:, 0], [generator.normal() for generator in generators]], axis=1)


class SolverError(Exception):
    """Cannot be unpickled, like many exceptions: __init__ takes more than it passes on."""

    def __init__(self, code, text):
        super().__init__(f"{text} (code {code})")


def fails_above_two(x):
    if (np.asarray(x) > 2).any():
        raise SolverError(7, "no convergence")
    return schaffer(x)


def batched_fails_above_two(x):
    if (x > 2).any():
        raise SolverError(7, "no convergence")
    return batched_schaffer(x)


def hangs_above_two(x):
    if x[0] > 2:
        time.sleep(1000)
    return schaffer(x)


def exits_above_two(x):
    """Exits with success, as some C and Fortran libraries do when they are stuck."""
    if x[0] > 2:
        os._exit(0)
    return schaffer(x)


def killed_above_two(x):
    if x[0] > 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return schaffer(x)


class KilledOnce:
    """Is killed where x > 2, but only the first time, which a file records."""

    def __init__(self, mark):
        self.mark = Path(mark)

    def __call__(self, x):
        if x[0] > 2 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return schaffer(x)


class FailsOnce:
    def __init__(self, mark, error=True):
        self.mark = Path(mark)
        self.error = error

    def __call__(self, x):
        if x[0] > 2 and not self.mark.exists():
            self.mark.touch()
            if self.error:
                raise RuntimeError("licence server is busy")
            return np.nan, 0.0
        return schaffer(x)


class StartsProgram:
    """Starts a long-running program and writes its process id to a file."""

    def __init__(self, note):
        self.note = Path(note)

    def __call__(self, x):
        program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        self.note.write_text(str(program.pid))
        program.wait()
        return schaffer(x)


def environment(x):
    return float("jax" in sys.modules), float(os.environ["JAX_PLATFORMS"] == "cpu")


def leaves_thread(x):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return schaffer(x)


def leaves_fork(x):
    if os.fork() == 0:
        time.sleep(1000)
        os._exit(0)
    return schaffer(x)


class WithoutMessageError(Exception):
    def __str__(self):
        raise RuntimeError("no message")


def raises_without_message(x):
    raise WithoutMessageError


def huge(x):
    return 10**400, x[0]


def waits(x):
    time.sleep(1000)
    return schaffer(x)


def use_workers_in_a_process():
    """The target of a multiprocessing.Process, which must end although it does not close its workers."""
    from tensorrvea.host import HostProblem

    problem = HostProblem(schaffer, lower=[-3.0], upper=[3.0], objectives=2, workers=1)
    problem.evaluate_host(None, np.zeros((1, 1)))
