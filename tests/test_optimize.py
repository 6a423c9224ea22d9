"""Runs: budgets, reproducibility, compilation, replicates, warm starts and callbacks."""

import os
import subprocess
import sys
import time
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import sizes
from compilations import Compilations
from sizes import GENERATIONS, POPULATION

import tensorrvea as tr
from tensorrvea import compiled
from tensorrvea.driver import evaluators, schedule


def run(seed: int = 0, **options) -> tr.Result:
    options = {"generations": GENERATIONS} | options
    return tr.optimize(sizes.problem(), sizes.algorithm(), seed=seed, **options)


def same_bits(one: tr.Result, other: tr.Result) -> bool:
    pairs = [(one.population.X, other.population.X), (one.population.F, other.population.F)]
    pairs += [(one.history.ideal, other.history.ideal), (one.history.nadir, other.history.nadir)]
    return all(a.shape == b.shape and (a == b).all() for a, b in pairs)


@pytest.fixture(scope="module")
def base() -> tr.Result:
    return run()


# Budgets


def test_the_first_population_is_generation_zero(base):
    assert base.generations == GENERATIONS
    assert base.evaluations == POPULATION * (GENERATIONS + 1)
    history = base.history
    assert len(history) == GENERATIONS + 1
    assert history.generation.tolist() == list(range(GENERATIONS + 1))
    assert history.evaluations.tolist() == [POPULATION * (t + 1) for t in range(GENERATIONS + 1)]
    np.testing.assert_allclose(history.progress, np.arange(GENERATIONS + 1) / GENERATIONS)
    assert (np.diff(history.seconds) > 0).all()
    assert base.stopped == "budget spent"
    assert base.capacity == POPULATION


@pytest.mark.parametrize(("evaluations", "generations"), [(588, 20), (589, 20), (615, 20), (616, 21), (56, 1)])
def test_evaluations_are_counted_with_the_first_population(evaluations, generations, base):
    result = run(generations=None, evaluations=evaluations)
    assert result.generations == generations
    assert result.evaluations <= evaluations
    assert result.history.progress[-1] == 1
    if generations == GENERATIONS:
        assert same_bits(result, base)


def test_a_budget_of_seconds_excludes_compilation_and_ends_in_time():
    result = run(generations=None, seconds=0.2)
    progress = result.history.progress
    assert result.seconds >= 0.2
    assert progress[0] == 0
    assert (progress[1:] > 0).all()
    assert (progress <= 1).all()
    assert (np.diff(progress) >= 0).all()
    assert len(result.history) == result.generations + 1


def test_progress_never_decreases_with_a_budget_of_seconds():
    """A chunk that was faster than expected must not reduce the penalty, nor adapt the vectors twice."""
    budget = schedule.Budget(population=POPULATION, seconds=1.0)
    planned = schedule.Schedule(budget, progress=[0.9], seconds=[0.5], pace=0.001)
    assert planned.next_progress(10) == [0.9] * 10


@pytest.mark.parametrize(
    ("budget", "spent", "last"),
    [
        ({"generations": 12, "seconds": 1e6}, "generations", 12),
        ({"generations": 12, "evaluations": 10 * POPULATION}, "evaluations", 9),
        ({"generations": 12, "evaluations": 100 * POPULATION, "seconds": 1e6}, "generations", 12),
    ],
)
def test_of_several_budgets_the_first_ends_the_run(budget, spent, last):
    result = run(**{"generations": None} | budget)
    assert result.stopped == f"budget spent ({spent})"
    assert result.generations == last
    assert same_bits(result, run(generations=last))  # the other budgets are behind, and change nothing


def test_seconds_can_end_a_run_before_its_generations():
    result = run(generations=10**6, seconds=0.2)
    assert result.stopped == "budget spent (seconds)"
    assert result.seconds >= 0.2
    assert result.history.progress[-1] > result.generations / 10**6


def test_progress_is_that_of_the_budget_that_is_ahead():
    budget = schedule.Budget(population=POPULATION, generations=100, seconds=10.0)
    fast = schedule.Schedule(budget, progress=[0.0], seconds=[0.0], pace=0.01)
    assert fast.next_progress(2) == [1 / 100, 2 / 100]
    slow = schedule.Schedule(budget, progress=[0.0], seconds=[0.0], pace=1.0)
    assert slow.next_progress(2) == [1 / 10, 2 / 10]
    assert str(slow) == "generation 0 of 100, 0 of 10 s"
    slow.pace = 0.001
    slow.add([0.1], 0.001)
    assert slow.next_count(200) <= 99


# Reproducibility


@pytest.mark.parametrize("seconds", [0.0, 1e-3, 1e9])
def test_the_same_seed_gives_the_same_bits_with_any_chunk_length(seconds, base, monkeypatch):
    monkeypatch.setattr(schedule, "CHUNK_SECONDS", seconds)
    assert same_bits(run(), base)


def test_the_same_seed_gives_the_same_bits_with_another_capacity(base, monkeypatch):
    monkeypatch.setattr(evaluators, "CHUNK_GENERATIONS", 3)
    assert same_bits(run(), base)


def test_callbacks_do_not_change_the_result(base):
    seen = []
    result = run(callbacks=lambda so_far: seen.append(so_far.generations), every=7)
    assert same_bits(result, base)
    assert seen == [7, 14, 20]


def test_another_seed_gives_another_result(base):
    assert not same_bits(run(seed=1), base)


def run_in_new_process(code: str, **environment: str) -> str:
    here = Path(__file__).parent
    # Without the compilation cache, from which it would load the programs of this process.
    alone = {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(here), "JAX_ENABLE_COMPILATION_CACHE": "false"}
    given = os.environ | alone | environment
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True, env=given, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_seed_gives_the_same_bits_run_in_new_process(base):
    code = """
import sizes, tensorrvea as tr
result = tr.optimize(sizes.problem(), sizes.algorithm(), generations=20, seed=0)
print(result.population.X.tobytes().hex(), result.population.F.tobytes().hex())
"""
    x, f = (bytes.fromhex(word) for word in run_in_new_process(code).split())
    assert x == base.population.X.tobytes()
    assert f == base.population.F.tobytes()


def test_double_precision_is_used_throughout(base):
    code = """
import jax.numpy as jnp, numpy as np, tensorrvea as tr
seen = []
def spy(f, alive):
    seen.append(f.dtype)
    return f[:, 0].min()
problem = tr.Problem(lambda x: jnp.stack([x[0], 1 - x[0] + x[1:].sum()]), lower=[0.0] * 4, upper=[1.0] * 4,
                     objectives=2, integer=[False, False, False, True], constraints=lambda x: 0.2 - x[0])
result = tr.optimize(problem, tr.TensorRVEA(population=12, variation=tr.PSO()), generations=12, metrics={"spy": spy})
assert set(seen) == {np.dtype("float64")}, seen
state = result.population
assert ((state.X >= 0) & (state.X <= 1)).all() and len(result.F) and not np.isnan(result.F).any()
# Computed in float32, all of these would equal their nearest float32.
assert (result.X[:, 0] != result.X[:, 0].astype(np.float32)).any()
assert (result.F[:, 0] >= 0.2).all()
print(len(result.F))
"""
    assert int(run_in_new_process(code, JAX_ENABLE_X64="1")) > 0


# Compilation


@pytest.fixture(scope="module")
def compilations() -> Compilations:
    return Compilations()


def test_other_seeds_equal_problems_and_other_numbers_do_not_recompile(base, compilations):
    before = compilations.count, num_programs()
    run(seed=5)
    run(seed=6, generations=9)
    tr.optimize(
        tr.problems.DTLZ2(objectives=3, variables=7),
        sizes.algorithm(alpha=1.5, variation=tr.GA(crossover=tr.SBX(eta=12.5))),
        generations=3,
    )
    assert (compilations.count, num_programs()) == before


def num_programs() -> int:
    each = (compiled.begin, compiled.evaluate, compiled.step, compiled.chunk)
    return sum(len(program.executables) for program in each)


def test_problems_of_one_shape_share_the_search(base):
    before = len(compiled.step.executables), len(compiled.evaluate.executables)
    front = tr.optimize(tr.problems.DTLZ4(objectives=3, variables=7), sizes.algorithm(), generations=3).F
    assert (len(compiled.step.executables), len(compiled.evaluate.executables)) == (before[0], before[1] + 1)
    assert front.shape[1] == 3


def test_a_function_defined_again_with_the_same_text_and_values_is_not_compiled_again(compilations):
    def solve(shift):
        def function(x):
            return jnp.stack([x[0] + shift, 1 - x[0] + x[1]])

        problem = tr.Problem(function, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)
        return tr.optimize(problem, tr.NSGA2(population=6), generations=2).F

    first, count = solve(0.0), compilations.count
    np.testing.assert_array_equal(solve(0.0), first)
    assert compilations.count == count
    np.testing.assert_allclose(solve(10.0)[:, 0].min(), first[:, 0].min() + 10, atol=1e-5)


def test_each_function_of_a_new_problem_is_compiled_once(compilations):
    def function(x):
        return jnp.stack([x[0], 1 - x[0] + x[1]])

    before = num_programs()
    problem = tr.Problem(function, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)
    tr.optimize(problem, tr.RandomSearch(population=6), generations=2)
    count = compilations.count
    assert num_programs() == before + 3  # the first population, evaluation and search
    again = tr.Problem(function, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)
    tr.optimize(again, tr.RandomSearch(population=6), generations=40, seed=9)
    assert compilations.count == count


def test_decoding_is_compiled_once(compilations):
    problem = tr.Problem(
        lambda x: jnp.stack([x[0], x[1] / x[0]]), lower=[1.0, 1.0], upper=[9.0, 9.0], objectives=2,
        integer=[True, False], log=[False, True],
    )  # fmt: skip

    def living(seed: int) -> set[int]:
        # The paper's algorithm leaves places empty, so that the number of survivors differs.
        algorithm = tr.TensorRVEA.paper(population=6)
        result = tr.optimize(problem, algorithm, generations=1, seed=seed, history="populations")
        return {len(one) for one in result.history.populations}

    first, count = living(0), compilations.count
    assert set.union(*map(living, range(1, 6))) - first
    assert compilations.count == count


# Replicates


@pytest.fixture(scope="module")
def replicates() -> list[tr.Result]:
    return tr.replicate(
        sizes.problem(), sizes.algorithm(), generations=GENERATIONS, seeds=[0, 3], history="populations"
    )


def test_replicates_start_and_draw_like_single_runs(replicates):
    for result in replicates:
        single = run(seed=result.seed, history="populations").history.populations
        for t in (0, 1, 2):
            one, other = single[t], result.history.populations[t]
            np.testing.assert_allclose(one.X, other.X, atol=1e-5)
            np.testing.assert_allclose(one.F, other.F, atol=1e-4)
        assert result.generations == GENERATIONS
        assert len(result.F) > 0
    np.testing.assert_array_equal(
        replicates[0].history.populations[0].X, run(history="populations").history.populations[0].X
    )


def test_replicates_do_not_recompile_for_other_seeds(replicates, compilations):
    before = compilations.count
    others = tr.replicate(sizes.problem(), sizes.algorithm(), generations=5, seeds=[8, 9], history="populations")
    assert compilations.count == before
    assert [result.seed for result in others] == [8, 9]


def test_a_replicate_does_not_depend_on_the_other_seeds(replicates):
    swapped = tr.replicate(
        sizes.problem(), sizes.algorithm(), generations=GENERATIONS, seeds=[3, 7], history="populations"
    )
    assert same_bits(swapped[0], replicates[1])


# Warm starts and time


def test_a_warm_start_fills_the_first_rows_of_the_first_population(base):
    x = np.linspace(0.1, 0.9, 14).reshape(2, 7)
    result = run(x=x, history="populations")
    first = result.history.populations[0]
    np.testing.assert_allclose(first.X[:2], x, atol=1e-6)
    # The other rows are those of a cold start.
    np.testing.assert_array_equal(first.X[2:], run(history="populations").history.populations[0].X[2:])


def test_progress_follows_the_clock_even_if_chunks_have_a_fixed_cost(monkeypatch):
    now, prepare = [0.0], compiled.Compiled.prepare

    def prepare_timed(self, *described):
        execute = prepare(self, *described)

        def timed(*arguments):
            count = int(arguments[3]) if self is compiled.chunk else 0
            now[0] += 0.002 + 0.0001 * count
            return execute(*arguments)

        return timed

    monkeypatch.setattr(compiled.Compiled, "prepare", prepare_timed)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    history = run(generations=None, seconds=0.1).history
    assert len(history) > 500
    assert abs(history.seconds[-1] - 0.1) < 0.01
    assert np.abs(history.progress - history.seconds / 0.1).max() < 0.05
    assert (np.diff(history.progress) >= 0).all()


# Callbacks


def test_callbacks_see_the_current_result_and_can_stop_the_run():
    seen = []

    def watch(result: tr.Result) -> np.bool_:
        seen.append((result.generations, len(result.F), result.stopped))
        return result.history.generation[-1] >= 10

    result = run(callbacks=[watch], every=5)
    assert [generation for generation, _, _ in seen] == [5, 10]
    assert all(size > 0 for _, size, _ in seen)
    assert seen[0][2] == "not finished"
    assert result.generations == 10
    assert result.stopped == "stopped by watch"


def test_a_result_given_to_a_callback_does_not_change_later(base):
    kept = []
    run(callbacks=kept.append, every=10)
    assert len(kept[0].history) == 11
    copy = kept[0].population.X.copy()
    run(seed=4)
    np.testing.assert_array_equal(kept[0].population.X, copy)
    assert same_bits(kept[-1], base)


def test_the_progress_bar_works_without_warnings(capsys):
    run(progress=True, generations=3)
    assert "3/3" in capsys.readouterr().err


def test_nothing_is_printed_by_default(capsys):
    run(generations=3)
    out, err = capsys.readouterr()
    assert out == err == ""


def test_the_progress_bar_of_several_budgets_shows_the_share_of_the_one_that_is_ahead(capsys):
    run(generations=4, seconds=1e6, progress=True)
    shown = capsys.readouterr().err
    assert "100%|" in shown
    assert ": :" not in shown
    assert "gen=4" in shown
