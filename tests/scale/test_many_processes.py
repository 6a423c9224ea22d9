"""Two processes on this machine as one run: the same bits, one who prints and writes, and one who is lost."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import many_processes as child
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.cli.main import execute
from tensorrvea.runs import checkpoint

LONG = 400  # generations, more than a run gets to before it is ended


# With checkpoints as often as they are asked for, however long they take.
COMMAND_LINE = "from tensorrvea.runs import keep; keep.SHARE = 1e9; from tensorrvea.cli import main; main()"


def script(index: int, port: str, case: str, *rest: str) -> list[str]:
    return [child.__file__, case, str(index), "2", port, *rest]


def told(index: int, port: str, *words: str) -> list[str]:
    others = ["--coordinator", f"127.0.0.1:{port}", "--processes", "2", "--index", str(index)]
    return ["-c", COMMAND_LINE, *words, *others]


def launched(index: int, port: str, *words: str) -> list[str]:
    return ["-c", COMMAND_LINE, *words, "--distributed"]


class Pair:
    """Two processes that do the same together, each in a directory of its own, where its run would be ``run``.

    Slurm's variables say who they are, to those who ask.
    """

    def __init__(self, where: Path, *words: str, start: Callable[..., list[str]] = script):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.places = [where / str(index) for index in range(2)]
        self.children = []
        loopback = {"JAX_COORDINATOR_BIND_ADDRESS": f"127.0.0.1:{port}", "JAX_COORDINATOR_PORT": port}
        slurm = {"SLURM_JOB_ID": "1", "SLURM_STEP_NODELIST": "127.0.0.1", "SLURM_NTASKS": "2"}
        for index, place in enumerate(self.places):
            place.mkdir(exist_ok=True)
            command = [sys.executable, *start(index, port, *words)]
            environment = os.environ | loopback | slurm | dict.fromkeys(("SLURM_PROCID", "SLURM_LOCALID"), str(index))
            with (place / "out").open("w") as out, (place / "err").open("w") as err:
                self.children.append(subprocess.Popen(command, cwd=place, env=environment, stdout=out, stderr=err))

    def __enter__(self) -> "Pair":
        return self

    def __exit__(self, *_) -> None:
        for process in self.children:
            process.kill()
            process.wait()

    def wait(self, index: int, seconds: float = 240) -> int:
        return self.children[index].wait(seconds)

    def wait_for(self, generation: int) -> None:
        """Until there is a checkpoint of it."""
        deadline, run = time.monotonic() + 240, self.places[0] / "run"
        while not run.exists() or max(checkpoint.saved_generations(run), default=-1) < generation:
            assert all(process.poll() is None for process in self.children), self.said(0, "err")[-2000:]
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def said(self, index: int, stream: str = "out") -> str:
        lines = (self.places[index] / stream).read_text().splitlines()
        return "\n".join(line for line in lines if not line.startswith("[Gloo]"))  # the transport's own


@pytest.fixture(autouse=True, scope="module")
def eager() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tensorrvea.runs.keep.SHARE", 1e9)
        yield


def bits_of_one(case: str = "plain", **options) -> str:
    return child.digest(child.run(case, **options))


@pytest.fixture(scope="module")
def bereft(tmp_path_factory) -> Pair:
    """A run that one process has begun, and two went on with until the second was killed."""

    def leave(result: tr.Result) -> None:
        if result.generations == 6:
            raise MemoryError

    where = tmp_path_factory.mktemp("bereft")
    (where / "0").mkdir()
    options = {"generations": LONG, "directory": where / "0" / "run", "checkpoint_seconds": 0.0, "every": 1}
    with pytest.raises(MemoryError):
        child.run("plain", callbacks=leave, **options)
    assert load(where / "0" / "run").generations == 5
    with Pair(where, "slow", "run", str(LONG)) as pair:
        pair.wait_for(8)
        pair.children[1].kill()
        pair.wait(0, 60)
    return pair


def test_a_process_that_is_killed_ends_the_other(bereft):
    assert bereft.wait(0) == 1
    assert "LostProcessError: process 0 of 2 has lost another one" in bereft.said(0, "err")


def test_only_the_first_prints_and_writes(bereft):
    assert "gen/s" in bereft.said(0, "err")
    assert bereft.said(1, "err") == ""
    assert not (bereft.places[1] / "run").exists()


def test_one_process_two_and_one_again_give_the_bits_of_one(bereft):
    assert 8 <= load(bereft.places[0] / "run").generations < LONG
    assert child.digest([resume(bereft.places[0] / "run")]) == bits_of_one(generations=LONG)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain", "constrained", "host", "seeds"])
def test_two_processes_give_the_bits_of_one(tmp_path, case):
    with Pair(tmp_path, case) as pair:
        codes = [pair.wait(index) for index in range(2)]
        assert codes == [0, 0], pair.said(0, "err")[-2000:] + pair.said(1, "err")[-2000:]
    bits = bits_of_one(case)
    assert [pair.said(0), pair.said(1)] == [f"first 2 {bits}", f"other 2 {bits}"]


@pytest.mark.slow
@pytest.mark.parametrize(("victim", "number"), [(0, signal.SIGKILL), (1, signal.SIGSTOP)])
def test_a_first_that_is_killed_and_a_second_that_hangs_end_the_other(tmp_path, victim, number):
    with Pair(tmp_path, "slow", "run", str(LONG)) as pair:
        pair.wait_for(3)
        pair.children[victim].send_signal(number)
        # Who notices first, we or JAX's runtime, is not decided; the latter aborts.
        assert pair.wait(1 - victim, 60) in (1, -signal.SIGABRT)
        said = pair.said(1 - victim, "err")
    assert "has lost another one" in said or "another task died" in said


@pytest.mark.slow
def test_the_command_line_ends_when_one_is_lost_and_goes_on_with_two_or_one(tmp_path):
    # What could end the run, and does not, is looked at every 5 generations: no chunk is longer.
    options = "--generations 100 --metrics none --stop-when-stagnant 100 --every 5"
    run = shlex.split(f"run DTLZ2 --variables 8 --population 14 {options}")
    with Pair(tmp_path, *run, "--checkpoint-seconds", "0", "--out", "run", start=told) as pair:
        pair.wait_for(5)
        pair.children[1].kill()
        assert pair.wait(0, 60) == 1
    assert "error: process 0 of 2 has lost another one" in pair.said(0, "err")
    assert "Traceback" not in pair.said(0, "err")
    two, one, never_stopped = pair.places[0] / "run", tmp_path / "one", tmp_path / "never_stopped"
    assert 5 <= load(two).generations < 100
    shutil.copytree(two, one)
    with Pair(tmp_path, "resume", "run", start=launched) as pair:
        assert [pair.wait(index) for index in range(2)] == [0, 0], pair.said(0, "err")[-2000:]
    assert pair.said(0).splitlines()[-1] == "run"
    assert pair.said(1) == ""
    assert execute(["resume", str(one)]) == 0
    assert execute([*run, "--out", str(never_stopped)]) == 0
    assert len({child.digest([load(directory)]) for directory in (two, one, never_stopped)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_signal_to_any_process_saves_and_ends_all(tmp_path, number, code):
    with Pair(tmp_path, "slow", "run", str(LONG)) as pair:
        pair.wait_for(3)
        pair.children[1].send_signal(number)
        assert [pair.wait(index) for index in range(2)] == [code, code]
    assert load(pair.places[0] / "run").stopped == "not finished"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coordinator": "somewhere"}, "coordinator must be host:port, got 'somewhere'"),
        ({"processes": 0}, "processes must be at least 1, got 0"),
        ({"processes": 2, "index": 2}, "index must be below 2, the number of processes, got 2"),
    ],
)
def test_processes_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        tr.distributed(**options)
