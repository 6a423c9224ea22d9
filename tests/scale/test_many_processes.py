"""Runs over two processes on this machine: the same bits, output by the primary only, and lost processes."""

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

LONG = 400  # more generations than a run completes before it is ended


# With checkpoints as often as requested, however long they take.
COMMAND_LINE = "from tensorrvea.runs import keep; keep.SHARE = 1e9; from tensorrvea.cli import main; main()"


def script(index: int, port: str, case: str, *rest: str) -> list[str]:
    return [child.__file__, case, str(index), "2", port, *rest]


def with_coordinator(index: int, port: str, *words: str) -> list[str]:
    others = ["--coordinator", f"127.0.0.1:{port}", "--processes", "2", "--index", str(index)]
    return ["-c", COMMAND_LINE, *words, *others]


def with_slurm(index: int, port: str, *words: str) -> list[str]:
    return ["-c", COMMAND_LINE, *words, "--distributed"]


class Pair:
    """Two processes of one run, each in its own directory, where the run would be saved to ``run``.

    Slurm's variables describe them, for commands without a coordinator.
    """

    def __init__(
        self,
        where: Path,
        *words: str,
        start: Callable[..., list[str]] = script,
        variables: dict[str, str] | None = None,
    ):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        self.places = [where / str(index) for index in range(2)]
        self.children = []
        loopback = {"JAX_COORDINATOR_BIND_ADDRESS": f"127.0.0.1:{port}", "JAX_COORDINATOR_PORT": port}
        slurm = {"SLURM_JOB_ID": "1", "SLURM_STEP_NODELIST": "127.0.0.1", "SLURM_NTASKS": "2"} | (variables or {})
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
        """Wait until there is a checkpoint of a generation."""
        deadline, run = time.monotonic() + 240, self.places[0] / "run"
        while not run.exists() or max(checkpoint.saved_generations(run), default=-1) < generation:
            assert all(process.poll() is None for process in self.children), self.output(0, "err")[-2000:]
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def output(self, index: int, stream: str = "out") -> str:
        lines = (self.places[index] / stream).read_text().splitlines()
        return "\n".join(line for line in lines if not line.startswith("[Gloo]"))  # messages of the transport


@pytest.fixture(autouse=True, scope="module")
def save_often() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tensorrvea.runs.keep.SHARE", 1e9)
        yield


def digest_of_one(case: str = "plain", **options) -> str:
    return child.digest(child.run(case, **options))


@pytest.fixture(scope="module")
def lost_peer(tmp_path_factory) -> Pair:
    """Start a run with one process, and resume it with two, of which the second is killed."""

    def interrupt(result: tr.Result) -> None:
        if result.generations == 6:
            raise MemoryError

    where = tmp_path_factory.mktemp("lost")
    (where / "0").mkdir()
    options = {"generations": LONG, "directory": where / "0" / "run", "checkpoint_seconds": 0.0, "every": 1}
    with pytest.raises(MemoryError):
        child.run("plain", callbacks=interrupt, **options)
    assert load(where / "0" / "run").generations == 5
    with Pair(where, "slow", "run", str(LONG)) as pair:
        pair.wait_for(8)
        pair.children[1].kill()
        pair.wait(0, 60)
    return pair


def test_killing_one_process_ends_the_other(lost_peer):
    assert lost_peer.wait(0) == 1
    assert "LostProcessError: process 0 of 2 has lost another one" in lost_peer.output(0, "err")


def test_only_the_primary_process_prints_and_writes(lost_peer):
    assert "gen/s" in lost_peer.output(0, "err")
    assert lost_peer.output(1, "err") == ""
    assert not (lost_peer.places[1] / "run").exists()


def test_a_run_resumed_with_two_processes_and_then_one_gives_the_bits_of_one(lost_peer):
    assert 8 <= load(lost_peer.places[0] / "run").generations < LONG
    assert child.digest([resume(lost_peer.places[0] / "run")]) == digest_of_one(generations=LONG)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plain", "constrained", "host", "seeds"])
def test_two_processes_give_the_bits_of_one(tmp_path, case):
    with Pair(tmp_path, case) as pair:
        codes = [pair.wait(index) for index in range(2)]
        assert codes == [0, 0], pair.output(0, "err")[-2000:] + pair.output(1, "err")[-2000:]
    bits = digest_of_one(case)
    assert [pair.output(0), pair.output(1)] == [f"first 2 {bits}", f"other 2 {bits}"]


@pytest.mark.slow
def test_a_warm_compilation_cache_of_jax_does_not_mix_up_what_processes_exchange(tmp_path):
    cache = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path / "cache"), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    for name in ("cold", "warm"):
        (tmp_path / name).mkdir()
        with Pair(tmp_path / name, "plain", "run", variables=cache) as pair:
            assert [pair.wait(index) for index in range(2)] == [0, 0], pair.output(0, "err")[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize(("victim", "number"), [(0, signal.SIGKILL), (1, signal.SIGSTOP)])
def test_a_killed_primary_or_a_hanging_second_process_ends_the_other(tmp_path, victim, number):
    with Pair(tmp_path, "slow", "run", str(LONG)) as pair:
        pair.wait_for(3)
        pair.children[victim].send_signal(number)
        # Either we or JAX's runtime may notice first; the latter aborts.
        assert pair.wait(1 - victim, 60) in (1, -signal.SIGABRT)
        output = pair.output(1 - victim, "err")
    assert "has lost another one" in output or "another task died" in output


@pytest.mark.slow
def test_the_command_line_ends_when_a_process_is_lost_and_resumes_with_two_or_one(tmp_path):
    # A criterion that is never met, checked every 5 generations, keeps chunks short.
    options = "--generations 100 --metrics none --stop-when-stagnant 100 --every 5"
    run = shlex.split(f"run DTLZ2 --variables 8 --population 14 {options}")
    with Pair(tmp_path, *run, "--checkpoint-seconds", "0", "--out", "run", start=with_coordinator) as pair:
        pair.wait_for(5)
        pair.children[1].kill()
        assert pair.wait(0, 60) == 1
    assert "error: process 0 of 2 has lost another one" in pair.output(0, "err")
    assert "Traceback" not in pair.output(0, "err")
    two, one, never_stopped = pair.places[0] / "run", tmp_path / "one", tmp_path / "never_stopped"
    assert 5 <= load(two).generations < 100
    shutil.copytree(two, one)
    with Pair(tmp_path, "resume", "run", start=with_slurm) as pair:
        assert [pair.wait(index) for index in range(2)] == [0, 0], pair.output(0, "err")[-2000:]
    assert pair.output(0).splitlines()[-1] == "run"
    assert pair.output(1) == ""
    assert execute(["resume", str(one)]) == 0
    assert execute([*run, "--out", str(never_stopped)]) == 0
    assert len({child.digest([load(directory)]) for directory in (two, one, never_stopped)}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
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
def test_invalid_process_arguments_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        tr.distributed(**options)
