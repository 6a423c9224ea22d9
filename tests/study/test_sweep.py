"""``sweep``: many settings of one algorithm in one program."""

import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import compiled
from tensorrvea.driver.run import stack_settings

GRID = {"alpha": [1, 4], "variation.crossover.eta": [5.0, 30.0]}


def plane(x):
    return jnp.stack([x[0], (1 + x[1]) / x[0]])


PROBLEM = tr.Problem(plane, lower=[0.1, 0.0], upper=[1.0, 5.0], objectives=2)
ALGORITHM = tr.TensorRVEA(population=12, variation=tr.GA())


@pytest.fixture(scope="module")
def found():
    return tr.sweep(PROBLEM, ALGORITHM, GRID, seeds=3, generations=6, effort="draft", progress=False)


def variant(alpha, eta):
    return tr.TensorRVEA(population=12, alpha=alpha, variation=tr.GA(crossover=tr.SBX(eta=eta)))


def test_runs_are_those_of_single_algorithms_to_the_bit(found):
    assert found.labels[1] == "alpha=1, variation.crossover.eta=30"
    runs = found.study.runs["plane"]
    for label, alpha, eta in ((found.labels[1], 1.0, 30.0), (found.labels[2], 4.0, 5.0)):
        alone = tr.replicate(PROBLEM, variant(alpha, eta), seeds=range(3), generations=6, effort="draft")
        for result in alone:
            np.testing.assert_array_equal(runs[label][result.seed]["F"], result.F)
    assert not np.array_equal(runs[found.labels[0]][0]["F"], runs[found.labels[1]][0]["F"])


def test_one_program_for_all_numbers(found):
    before = len(compiled.step.executables)
    tr.sweep(PROBLEM, ALGORITHM, {"alpha": [2.0, 3.0], "variation.crossover.eta": [7.0, 9.0]}, seeds=3, generations=6,
             effort="draft")  # fmt: skip
    assert len(compiled.step.executables) == before


def test_the_table_and_the_heat_map_show_the_medians(found):
    values = found.values("hypervolume")
    assert values.shape == (4, 3)
    medians = np.median(values, axis=1).reshape(2, 2)
    np.testing.assert_array_equal(found.medians("hypervolume"), medians)
    best = np.unravel_index(np.argmax(medians), (2, 2))
    algorithm = found.best("hypervolume")
    assert algorithm.alpha == GRID["alpha"][best[0]]
    assert algorithm.variation.crossover.eta == GRID["variation.crossover.eta"][best[1]]
    table = found.table()
    assert list(table.head) == ["alpha", "variation.crossover.eta", "igd", "hypervolume"]
    assert [cell.text for cell in table.rows[1][:2]] == ["1", "30"]
    assert table.csv().splitlines()[0] == "alpha,variation.crossover.eta,igd,hypervolume"
    row = table.rows[int(best[0] * 2 + best[1])]
    assert row[3].best
    axes = found.plot("hypervolume").axes[0]
    np.testing.assert_array_equal(axes.images[0].get_array(), medians)
    turned = found.plot("hypervolume", rows="variation.crossover.eta").axes[0]
    np.testing.assert_array_equal(turned.images[0].get_array(), medians.T)
    assert (turned.get_ylabel(), turned.get_xlabel()) == ("variation.crossover.eta", "alpha")


def test_settings_that_decide_the_code_are_swept_too():
    both = tr.sweep(PROBLEM, ALGORITHM, {"population": [12, 20]}, seeds=2, generations=2, effort="draft")
    assert [len(both.study.runs["plane"][label]) for label in both.labels] == [2, 2]
    assert both.labels == ["population=12", "population=20"]
    with pytest.raises(ValueError, match="must differ in numbers only"):
        stack_settings([tr.TensorRVEA(population=12), tr.TensorRVEA(population=20)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": {"alhpa": [1]}}, "a setting of the algorithm must be one of .* did you mean 'alpha'"),
        ({"grid": {"variation.crosover.eta": [1]}}, "a setting of variation must be one of"),
        ({"grid": {}}, "grid takes values by name"),
        ({"grid": {"alpha": []}}, "grid takes values by name"),
        ({"grid": {"alpha": [1, 1]}}, "must have different values"),
        ({"grid": {"alpha": ["1"]}}, r"grid\['alpha'\] takes a number"),
        ({"grid": {"alpha": [-1.0]}}, "alpha"),
        ({"seeds": 0}, "seeds must be at least 1"),
    ],
)
def test_wrong_arguments_are_refused(change, message):
    arguments = {"grid": GRID, "generations": 2} | change
    with pytest.raises((TypeError, ValueError), match=message):
        tr.sweep(PROBLEM, ALGORITHM, arguments.pop("grid"), **arguments)


def test_a_problem_on_the_host_is_refused():
    host = tr.HostProblem(lambda x: (x[0], 1 - x[0]), lower=[0.0], upper=[1.0], objectives=2)
    with pytest.raises(TypeError, match="a HostProblem; use compare"):
        tr.sweep(host, ALGORITHM, GRID, generations=2)
