"""Results, on one problem with signs, decoding, constraints, failures and histories."""

import re
from dataclasses import replace
from functools import partial

import jax.numpy as jnp
import numpy as np
import oracle
import pytest

import tensorrvea as tr
from tensorrvea.metrics import device

POPULATION, GENERATIONS = 20, 15


def function(x):
    """Two objectives, the first maximised; a third of the box fails with NaN or infinity."""
    gain, loss = 10 * x[0] + x[2], (x[0] - 0.2) ** 2 + jnp.log(x[1]) ** 2 + (x[2] - 2) ** 2
    failed = jnp.where(x[0] > 0.8, jnp.nan, jnp.where((x[0] < 0.1) & (x[2] > 3), jnp.inf, 0.0))
    return jnp.stack([gain, loss]) + failed


def problem() -> tr.Problem:
    return tr.Problem(
        function, lower=[0.0, 0.01, 0.0], upper=[1.0, 100.0, 4.0], objectives=2, directions=("max", "min"),
        log=[False, True, False], integer=[False, False, True], constraints=lambda x: x[0] - 0.7,
        objective_names=["gain", "loss"], units=["€", ""], variable_names=["a", "b", "c"], constraint_names=["cap"],
    )  # fmt: skip


REFERENCE = np.array([0.0, 30.0])  # in the minimised objectives, -gain and loss


@pytest.fixture(scope="module")
def result() -> tr.Result:
    return tr.optimize(
        problem(), tr.TensorRVEA(population=POPULATION, variation=tr.PSO()), generations=GENERATIONS, seed=1,
        history="populations", archive=12,
        metrics={"volume": partial(device.hypervolume, reference=REFERENCE), "count": lambda _, alive: alive.sum()},
    )  # fmt: skip


def values(x: np.ndarray) -> np.ndarray:
    return np.stack([10 * x[:, 0] + x[:, 2], (x[:, 0] - 0.2) ** 2 + np.log(x[:, 1]) ** 2 + (x[:, 2] - 2) ** 2], axis=1)


def test_results_are_decoded_and_in_the_users_signs(result):
    for found in (result, result.population, result.archive):
        assert found.X.dtype == found.F.dtype == np.float64
        assert ((problem().lower <= found.X) & (problem().upper >= found.X)).all()
        assert (found.X[:, 2] == np.round(found.X[:, 2])).all()
        np.testing.assert_allclose(found.F, values(found.X), rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(found.G, found.X[:, :1] - 0.7, atol=1e-5)
        np.testing.assert_allclose(found.violation, np.maximum(found.X[:, 0] - 0.7, 0), atol=1e-5)


def test_the_front_is_feasible_and_nondominated(result):
    for found in (result, result.archive):
        assert len(found.F) > 0
        assert (found.violation == 0).all()
        minimised = found.F * [-1, 1]
        assert not any(oracle.dominates(a, b) for a in minimised for b in minimised)
    assert len(result.archive.F) <= 12
    assert len(np.unique(np.hstack([result.F, result.X]), axis=0)) == len(result.F)


def test_failed_evaluations_are_counted_and_do_not_end_the_run(result):
    assert result.failed == result.history.failed.sum() > 0
    assert 0 < result.history.failed[0] < POPULATION
    for population in result.history.populations:
        assert np.isfinite(population.F).all()
        assert not np.isnan(population.X).any()
    assert "failed" in repr(result)
    first = result.history.populations[0]
    assert len(first) == result.history.living[0] <= POPULATION - result.history.failed[0]


def test_the_history_summary_agrees_with_the_populations(result):
    history = result.history
    assert len(history.populations) == GENERATIONS + 1
    for t, population in enumerate(history.populations):
        feasible = population.violation <= 0
        assert history.living[t] == len(population)
        assert history.feasible[t] == feasible.sum()
        counted = population.F[feasible] if feasible.any() else population.F
        best, worst = counted.max(axis=0), counted.min(axis=0)
        np.testing.assert_allclose(history.ideal[t], [best[0], worst[1]], rtol=1e-6)
        np.testing.assert_allclose(history.nadir[t], [worst[0], best[1]], rtol=1e-6)


def test_metrics_are_recorded_on_the_device(result):
    for t, population in enumerate(result.history.populations):
        feasible = population.F[population.violation <= 0]
        assert result.history.metrics["count"][t] == len(feasible)
        expected = tr.metrics.hypervolume(feasible * [-1, 1], REFERENCE) if len(feasible) else 0
        assert result.history.metrics["volume"][t] == pytest.approx(expected, rel=1e-4)


def test_solutions_can_be_chosen_tabulated_and_plotted(result):
    pandas = pytest.importorskip("pandas")
    assert 0 <= result.knee() < len(result.F)
    assert result.F[result.best_by_weights([1.0, 0.0]), 0] == result.F[:, 0].max()
    assert result.F[result.best_by_weights([0.0, 1.0]), 1] == result.F[:, 1].min()
    table = result.to_dataframe()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["a", "b", "c", "gain", "loss", "cap", "violation"]
    np.testing.assert_array_equal(table[["gain", "loss"]], result.F)


def test_a_run_whose_first_population_fails_entirely_raises():
    start = np.column_stack([np.linspace(0.85, 1, POPULATION), np.ones(POPULATION), np.ones(POPULATION)])
    with pytest.raises(RuntimeError, match=r"all 20 evaluations of the first population failed.*NaN or infinite"):
        tr.optimize(problem(), tr.TensorRVEA(population=POPULATION, variation=tr.PSO()), generations=3, x=start)


def test_a_run_without_feasible_solutions_reduces_the_violation():
    hopeless = tr.Problem(
        lambda x: jnp.stack([x[0], 1 - x[0] + x[1]]), lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2,
        constraints=lambda x: 0.5 + x[0] + x[1],
    )  # fmt: skip
    result = tr.optimize(hopeless, tr.TensorRVEA(population=POPULATION), generations=GENERATIONS, history="fronts")
    assert result.X.shape == (0, 2)
    assert result.F.shape == (0, 2)
    assert len(result.population) > 0
    assert (result.history.feasible == 0).all()
    assert np.isfinite(result.history.ideal).all()
    assert [front.shape for front in result.history.fronts] == [(0, 2)] * (GENERATIONS + 1)
    assert result.population.violation.min() < 0.55
    for ask in (result.knee, lambda: result.best_by_weights([1, 1]), result.plot):
        with pytest.raises(ValueError, match="needs a feasible solution"):
            ask()


def test_history_records_the_front_of_each_generation():
    options = {"generations": 5, "seed": 3}
    algorithm = tr.NSGA2(population=12)
    target = tr.problems.ZDT1(variables=4)
    fronts = tr.optimize(target, algorithm, history="fronts", **options).history
    whole = tr.optimize(target, algorithm, history="populations", **options).history
    assert fronts.populations is None
    assert whole.fronts is None
    for front, population in zip(fronts.fronts, whole.populations, strict=True):
        expected = np.unique(population.F[tr.nondominated(population.F)], axis=0)
        np.testing.assert_array_equal(np.unique(front, axis=0), expected)


def test_host_problems_give_the_results_of_jax_problems():
    def on_the_host(x):
        return np.array([x[0], 1 - x[0] + np.sum(x[1:] ** 2)])

    def in_jax(x):
        return jnp.stack([x[0], 1 - x[0] + jnp.sum(x[1:] ** 2)])

    box = {"lower": [0.0] * 4, "upper": [1.0] * 4, "objectives": 2}
    options = {"generations": 4, "seed": 2, "history": "populations"}
    algorithm = tr.NSGA2(population=12)
    here = tr.optimize(tr.HostProblem(on_the_host, **box), algorithm, **options).history.populations
    there = tr.optimize(tr.Problem(in_jax, **box), algorithm, **options).history.populations
    for t in (0, 1, 2):
        np.testing.assert_allclose(here[t].X, there[t].X, atol=1e-5)
        np.testing.assert_allclose(here[t].F, there[t].F, atol=1e-5)


def test_replicates_of_stochastic_host_problems_equal_single_runs():
    def noisy(generator, x):
        return np.array([x[0], 1 - x[0]]) + generator.normal(size=2)

    target = tr.HostProblem(noisy, lower=[0.0], upper=[1.0], objectives=2, stochastic=True)
    algorithm = tr.RandomSearch(population=6)
    options = {"generations": 2, "history": "populations"}
    for result in tr.replicate(target, algorithm, seeds=[4, 5], **options):
        alone = tr.optimize(target, algorithm, seed=result.seed, **options)
        np.testing.assert_allclose(result.population.F, alone.population.F, rtol=1e-5)


def test_objectives_beyond_float32_fail_only_their_own_individual():
    def huge(x):
        return np.array([x[0], 1e300 if x[0] > 0.5 else 1 - x[0]])

    target = tr.HostProblem(huge, lower=[0.0], upper=[1.0], objectives=2)
    result = tr.optimize(target, tr.RandomSearch(population=6), generations=2)
    assert result.failed > 0
    assert np.isfinite(result.F).all()


def test_the_history_is_a_table(result):
    table = result.history.to_dataframe()
    assert len(table) == GENERATIONS + 1
    np.testing.assert_array_equal(table["ideal_f1"], result.history.ideal[:, 0])
    np.testing.assert_array_equal(table["volume"], result.history.metrics["volume"])


def test_a_notebook_shows_a_picture_and_a_table(result):
    page = result._repr_html_()
    assert page.startswith("<div")
    assert "data:image/png;base64," in page
    assert "<th>gain</th>" in page
    assert page.count("<tr>") == 1 + min(8, len(result.F))
    # Rows go along the front, and are numbered as in the arrays.
    rows = [int(row) for row in re.findall(r"<tr><th>(\d+)</th>", page)]
    assert rows[0] == result.F[:, 0].argmax()  # the first objective is maximised
    assert f"<tr><th>{rows[-1]}</th><td>{result.F[rows[-1], 0]:.4g}</td>" in page
    assert result.plot()._repr_png_().startswith(b"\x89PNG")
    hostile = replace(result, problem=tr.Problem(
        function, lower=[0.0, 0.01, 0.0], upper=[1.0, 100.0, 4.0], objectives=2, objective_names=["<script>", "b"]
    ))  # fmt: skip
    assert "<script>" not in hostile._repr_html_()


def test_a_result_without_a_feasible_solution_says_by_how_much():
    infeasible = tr.Problem(
        lambda x: jnp.stack([x[0], 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2, constraints=lambda x: x[0] + 1
    )
    result = tr.optimize(infeasible, tr.RandomSearch(population=8), generations=2, seed=1)
    least = result.population.violation.min()
    expected = f"no feasible solution among {len(result.population)} survivors, of which the nearest violates by"
    assert f"{expected} {least:.3g}" in repr(result)
    assert expected in result._repr_html_()
    assert "<img" not in result._repr_html_()
    for method in (result.plot, result.knee):
        with pytest.raises(ValueError, match=expected):
            method()
    merged = tr.merge([result, result])
    assert len(merged.population) == 2 * len(result.population)
    assert expected.partition(" among")[0] in repr(merged)


def test_merged_runs_have_the_front_of_all(result):
    other = tr.optimize(problem(), tr.RandomSearch(population=POPULATION), generations=GENERATIONS, seed=2)
    merged = tr.merge([result, other])
    union = np.concatenate([result.F, result.archive.F, other.F])
    better = (union[:, None] * [-1, 1] <= union * [-1, 1]).all(-1) & (union[:, None] != union).any(-1)
    expected = np.unique(union[~better.any(axis=0)], axis=0)
    np.testing.assert_array_equal(np.unique(merged.F, axis=0), expected)
    assert merged.evaluations == result.evaluations + other.evaluations
    assert merged.failed == result.failed + other.failed
    assert merged.stopped == "merged from 2 runs"
    assert tr.merge(r for r in [other]).stopped == "merged from 1 run"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [([], ValueError, "at least one Result"), ([1], TypeError, "several Results"), (3, TypeError, "several Results")],
)
def test_merge_takes_results(given, error, message):
    with pytest.raises(error, match=message):
        tr.merge(given)


def test_merge_refuses_different_problems(result):
    other = tr.optimize(tr.problems.ZDT1(variables=3), tr.RandomSearch(population=8), generations=1)
    with pytest.raises(ValueError, match="results must be of one problem, got name 'function' and 'ZDT1'"):
        tr.merge([result, other])
