"""Compiled programs on disk: what is stored, what is loaded, and everything that may be wrong with the place."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import platformdirs
import pytest
from jax.experimental.compilation_cache import compilation_cache

import tensorrvea as tr
from tensorrvea import loop, program_store
from tensorrvea.compiled import Compiled, Setting
from tensorrvea.program_store import SUFFIX, compile_stored, delete_old, is_private, store_directory

DEVICE = jax.devices()[0]


@pytest.fixture
def directory(tmp_path, monkeypatch) -> Path:
    """An empty store, used although JAX's own cache is set for the tests."""
    cache_of_tests = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    compilation_cache.reset_cache()
    monkeypatch.setenv(program_store.VARIABLE, str(tmp_path / "store"))
    program_store.prepare_directory.cache_clear()
    yield tmp_path / "store"
    program_store.prepare_directory.cache_clear()
    jax.config.update("jax_compilation_cache_dir", cache_of_tests)
    compilation_cache.reset_cache()


class Lowered:
    """Lowers x + ``number``, and counts."""

    def __init__(self, number: float = 1.0, function: Callable | None = None):
        self.count = 0
        self.jitted = jax.jit(function or (lambda x: x + number))

    def __call__(self) -> Any:
        self.count += 1
        return self.jitted.lower(jax.ShapeDtypeStruct((3,), jnp.float32))


def value(compiled: Any) -> list[float]:
    return compiled(jnp.zeros(3)).tolist()


def stored(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"*{SUFFIX}"))


def test_a_described_program_is_not_even_lowered_the_second_time(directory):
    first, second = Lowered(), Lowered()
    assert value(compile_stored(first, DEVICE, "", "adds one")) == [1, 1, 1]
    assert value(compile_stored(second, DEVICE, "", "adds one")) == [1, 1, 1]
    assert (first.count, second.count) == (1, 0)
    assert len(stored(directory)) == 1


def test_a_program_without_description_is_found_by_its_text(directory):
    assert value(compile_stored(Lowered(1.0), DEVICE, "", None)) == [1, 1, 1]
    assert value(compile_stored(Lowered(2.0), DEVICE, "", None)) == [2, 2, 2]
    assert value(compile_stored(Lowered(1.0), DEVICE, "", None)) == [1, 1, 1]
    assert len(stored(directory)) == 2


def test_programs_of_one_shape_that_use_other_arguments_are_told_apart(directory):
    def first(program, setting, a, b):
        return a + 1

    def second(program, setting, a, b):
        return b + 1

    program = loop.Program(tr.problems.ZDT1(), tr.NSGA2(population=4), {}, "summary", 0)
    for function, expected in ((first, 1), (second, 3)):
        function.__name__ = "add"
        assert Compiled(function, "problem")(program, Setting(), jnp.array(0), jnp.array(2)) == expected
    assert len(stored(directory)) == 2


def test_programs_of_one_text_and_another_structure_are_told_apart(directory):
    pair = jax.ShapeDtypeStruct((3,), jnp.float32)
    one, other = jax.jit(lambda a: a["x"] + 1), jax.jit(lambda a: a[0] + 1)
    assert compile_stored(lambda: one.lower({"x": pair}), DEVICE, "", None)({"x": jnp.zeros(3)}).tolist() == [1, 1, 1]
    assert compile_stored(lambda: other.lower((pair,)), DEVICE, "", None)((jnp.zeros(3),)).tolist() == [1, 1, 1]


def test_programs_compiled_with_other_options_are_told_apart(directory):
    for options in ("draft", "standard"):
        compile_stored(Lowered(), DEVICE, options, None)
        compile_stored(Lowered(), DEVICE, options, "adds one")
    assert len(stored(directory)) == 4


def test_another_version_setting_or_machine_has_programs_of_its_own(directory, monkeypatch):
    compile_stored(Lowered(), DEVICE, "", "adds one")
    monkeypatch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", "") + " ")
    compile_stored(Lowered(), DEVICE, "", "adds one")
    monkeypatch.setattr(program_store, "environment", lambda: "another processor")
    compile_stored(Lowered(), DEVICE, "", "adds one")
    assert len(stored(directory)) == 3


def test_a_program_that_calls_back_into_python_is_not_stored(directory):
    def function(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    assert value(compile_stored(Lowered(function=function), DEVICE, "", None)) == [0, 0, 0]
    assert stored(directory) == []


def test_a_program_that_calls_a_library_is_found_by_its_text_only(directory):
    """What JAX does to prepare such a call happens while it lowers: a process that skips that would crash."""

    def solve(x):
        return jnp.linalg.solve(jnp.eye(3) * 2, x + 1)

    described = Lowered(function=solve)
    assert value(compile_stored(described, DEVICE, "", "solves")) == [0.5, 0.5, 0.5]
    assert stored(directory) == []
    assert value(compile_stored(Lowered(function=solve), DEVICE, "", None)) == [0.5, 0.5, 0.5]
    assert len(stored(directory)) == 1


DAMAGE = {
    "empty": lambda content: content[:0],
    "cut": lambda content: content[: len(content) // 2],
    "one bit": lambda content: content[:500] + bytes([content[500] ^ 1]) + content[501:],
    "other format": lambda content: b"something else" + content,
    "other content": lambda content: content[:44] + b"\0" * (len(content) - 44),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_program_is_compiled_again_and_replaced(directory, damage):
    compile_stored(Lowered(), DEVICE, "", "adds one")
    (path,) = stored(directory)
    content = path.read_bytes()
    path.write_bytes(DAMAGE[damage](content))
    lowered = Lowered()
    assert value(compile_stored(lowered, DEVICE, "", "adds one")) == [1, 1, 1]
    assert lowered.count == 1
    assert path.read_bytes() != DAMAGE[damage](content)
    again = Lowered()
    assert value(compile_stored(again, DEVICE, "", "adds one")) == [1, 1, 1]
    assert again.count == 0


def test_a_full_disk_costs_only_the_compilation(directory, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(program_store, "atomic_write", full)
    assert value(compile_stored(Lowered(), DEVICE, "", "adds one")) == [1, 1, 1]
    assert stored(directory) == []


@pytest.mark.parametrize("place", ["a file", "below a file", "a dangling link", "no name"])
def test_a_place_that_is_no_directory_is_not_used(tmp_path, directory, monkeypatch, place):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "deep")
    chosen = {"a file": "file", "below a file": "file/store", "a dangling link": "link", "no name": "x" * 300}[place]
    monkeypatch.setenv(program_store.VARIABLE, str(tmp_path / chosen))
    assert store_directory() is None
    assert value(compile_stored(Lowered(), DEVICE, "", "adds one")) == [1, 1, 1]


def test_a_directory_that_others_may_write_to_is_not_used(directory):
    directory.mkdir()
    directory.chmod(0o770)
    assert store_directory() is None
    program_store.prepare_directory.cache_clear()
    directory.chmod(0o750)
    assert store_directory() == directory.resolve()


def test_a_directory_of_another_user_is_not_used(tmp_path, monkeypatch):
    assert is_private(tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert not is_private(tmp_path)


def test_a_new_directory_is_private(directory):
    assert store_directory() == directory.resolve()
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize("word", ["off", "OFF", "0"])
def test_the_store_can_be_turned_off(directory, monkeypatch, word):
    monkeypatch.setenv(program_store.VARIABLE, word)
    assert store_directory() is None


@pytest.mark.parametrize("word", [None, "", "on", "1"])
def test_programs_are_kept_in_the_users_cache_directory_by_default(tmp_path, directory, monkeypatch, word):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(program_store.VARIABLE) if word is None else monkeypatch.setenv(program_store.VARIABLE, word)
    found = store_directory()
    assert found is not None
    assert found == platformdirs.user_cache_path("tensorrvea", appauthor=False).resolve()


def test_the_users_own_cache_of_jax_wins(directory, tmp_path):
    assert store_directory() is not None
    jax.config.update("jax_compilation_cache_dir", str(tmp_path / "jax"))
    assert store_directory() is None
    compile_stored(Lowered(), DEVICE, "", "adds one")
    assert stored(directory) == []
    assert any((tmp_path / "jax").iterdir())
    # Turned off again in the same process, JAX may still load what it has stored.
    jax.config.update("jax_compilation_cache_dir", None)
    assert value(compile_stored(Lowered(), DEVICE, "", "adds one")) == [1, 1, 1]
    assert value(compile_stored(Lowered(), DEVICE, "", "adds one")) == [1, 1, 1]


def test_the_least_recently_used_programs_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(program_store, "MOST_BYTES", 250)
    for age, name in enumerate("abcd"):
        path = tmp_path / f"{name}{SUFFIX}"
        path.write_bytes(b"x" * 100)
        os.utime(path, (1000 - age, 1000 - age))
    (tmp_path / "something of somebody else").write_bytes(b"x" * 1000)
    delete_old(tmp_path)
    assert [path.stem for path in stored(tmp_path)] == ["a", "b"]
    assert (tmp_path / "something of somebody else").exists()


def test_what_a_killed_process_left_is_deleted_after_a_day(tmp_path):
    for name, age in {".old.program.1.part": 2, ".new.program.2.part": 0}.items():
        path = tmp_path / name
        path.write_bytes(b"x")
        then = path.stat().st_mtime - age * 86_400
        os.utime(path, (then, then))
    delete_old(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".new.program.2.part"]


SCRIPT = """
import hashlib, sys, tensorrvea as tr
result = tr.optimize(tr.problems.DTLZ2(objectives=3, variables=7), tr.TensorRVEA(population=21), generations=8, seed=3)
print(hashlib.sha256(result.X.tobytes() + result.F.tobytes()).hexdigest())
"""


def start(store: str) -> subprocess.Popen:
    environment = {name: text for name, text in os.environ.items() if not name.startswith("JAX_")}
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    return subprocess.Popen(
        command, env=environment | {program_store.VARIABLE: store}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_runs_are_the_same_without_a_store_with_two_processes_in_an_empty_one_and_with_a_warm_one(tmp_path):
    store = tmp_path / "store"
    together = [start(str(store)), start(str(store)), start("off")]
    outputs = [process.communicate(timeout=300) for process in together]
    assert len(stored(store)) == 3
    times = [path.stat().st_mtime_ns for path in stored(store)]
    outputs.append(start(str(store)).communicate(timeout=300))
    assert len(stored(store)) == 3
    assert times != [path.stat().st_mtime_ns for path in stored(store)]  # they were used
    assert [error for _, error in outputs] == [b""] * 4
    assert len({digest for digest, _ in outputs}) == 1
