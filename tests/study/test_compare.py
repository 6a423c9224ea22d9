"""``compare`` and ``Study``: runs, references, tables, figures, and resuming from a directory."""

import warnings

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import tensorrvea as tr
from tensorrvea.runs import standard_metrics
from tensorrvea.study import INDICATORS, make_reference
from tensorrvea.study.series import Executor, as_seeds

ALGORITHMS = {"GA": tr.NSGA2(population=20), "random": tr.RandomSearch(population=20)}
SEEDS = 6


def plane(x):
    return jnp.stack([x[0], (1 + x[1]) / x[0]])


def gains(x):
    return jnp.stack([x[0] + 0.1 * x[1], 1000 * (1 - x[0] ** 2) - x[1]])


def own_problems():
    return {
        "plane": tr.Problem(plane, lower=[0.1, 0.0], upper=[1.0, 5.0], objectives=2),
        "gains": tr.Problem(gains, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, directions="max"),
    }


def compare(**options):
    settings = {"seeds": SEEDS, "generations": 8, "progress": False}
    return tr.compare(own_problems(), ALGORITHMS, **(settings | options))


@pytest.fixture(scope="module")
def study():
    return compare()


def test_runs_are_those_of_replicate(study):
    results = tr.replicate(own_problems()["gains"], ALGORITHMS["GA"], seeds=range(SEEDS), generations=8)
    for front, result in zip(study.fronts("gains", "GA"), results, strict=True):
        np.testing.assert_array_equal(front, result.F)


def test_without_a_true_front_the_reference_is_what_all_runs_found(study):
    every = np.concatenate([f for name in ALGORITHMS for f in study.fronts("gains", name)])
    # Independent: a point is kept if no other is at least as large in both objectives, and larger in one.
    best = [p for p in every if not ((every >= p).all(axis=1) & (every > p).any(axis=1)).any()]
    reference = study.reference_of("gains")
    assert {tuple(p) for p in reference.front} == {tuple(p) for p in best}
    low, high = np.min(best, axis=0), np.max(best, axis=0)
    np.testing.assert_allclose(reference.point, low - 0.1 * (high - low))
    table = study.table()
    assert f"gains: reference set: the {len(reference.front)} best points of all runs" in table.note
    assert "their nadir point and a margin of 10%" in table.note
    # Distances are in units of the range, so that the second objective, which is a thousand times larger, counts alike.
    scaled = [tr.metrics.igd(f / (high - low), np.array(best) / (high - low)) for f in study.fronts("gains", "GA")]
    np.testing.assert_allclose(study.values("igd")["gains"]["GA"], scaled, rtol=1e-6)


def test_a_known_front_and_a_given_reference_point_are_used():
    problem = tr.problems.ZDT1(variables=5)
    fronts = [np.array([[0.5, 0.5]]), np.empty((0, 2))]
    known = make_reference(problem, fronts)
    assert INDICATORS["igd"](fronts[0], known) == tr.metrics.igd(fronts[0], problem.front())
    assert INDICATORS["hypervolume"](fronts[0], known) == pytest.approx(0.25)
    given = make_reference(problem, fronts, [2.0, 1.5])
    assert INDICATORS["hypervolume"](fronts[0], given) == pytest.approx(1.5)
    assert (INDICATORS["igd"](fronts[1], known), INDICATORS["hypervolume"](fronts[1], known)) == (np.inf, 0.0)
    assert "(2, 1.5), given" in given.note


@pytest.mark.parametrize("name", ["CRE22", "RE25"])  # with units, and with one that has no name
def test_distances_between_objectives_of_different_units_are_in_parts_of_their_ranges(name):
    problem = getattr(tr.problems, name)()
    front = problem.front(1000)
    spread = np.max(front, axis=0) - np.min(front, axis=0)
    assert spread.max() > 1000 * spread.min()
    found = front[::50] + 0.1 * spread
    expected = tr.metrics.igd(found / spread, front / spread)
    reference = make_reference(problem, [found])
    assert INDICATORS["igd"](found, reference) == pytest.approx(expected, rel=1e-9)
    recorded = standard_metrics(("igd",), problem)["igd"](jnp.asarray(found, jnp.float32), jnp.ones(len(found), bool))
    assert float(recorded) == pytest.approx(expected, rel=1e-4)


def test_a_run_records_distances_between_objectives_of_different_units_in_parts_of_their_ranges():
    problem = tr.problems.CRE22()
    result = tr.optimize(problem, tr.NSGA2(population=20), generations=5, seed=1, metrics=["igd", "igd_plus", "gd"])
    front = problem.front(1000)
    spread = np.ptp(front, axis=0)
    for name in ("igd", "igd_plus", "gd"):
        expected = getattr(tr.metrics, name)(result.F / spread, front / spread)
        assert result.history.metrics[name][-1] == pytest.approx(expected, rel=1e-3)


def test_p_values_and_effects_are_those_of_scipy(study):
    rows = {(r["metric"], r["problem"], r["algorithm"]): r for r in study.statistics()}
    assert len(rows) == 2 * 2 * 2
    for metric in ("igd", "hypervolume"):
        values = study.values(metric)
        p = {}
        for problem in values:
            found = rows[metric, problem, "random"]
            test = stats.mannwhitneyu(values[problem]["random"], values[problem]["GA"], alternative="two-sided")
            assert found["p"] == test.pvalue
            larger = test.statistic / SEEDS**2
            assert found["effect"] == pytest.approx(larger if metric == "hypervolume" else 1 - larger)
            p[problem] = test.pvalue
        smaller, greater = sorted(p.values())
        corrected = {rows[metric, problem, "random"]["p_holm"] for problem in p}
        assert corrected == {min(1, 2 * smaller), min(1, max(2 * smaller, greater))}
    assert "p" not in rows["igd", "plane", "GA"]


def test_the_table_has_all_metrics_and_all_formats(study):
    table = study.table()
    text = table.markdown()
    assert text.startswith("**igd (smaller is better), hypervolume (larger is better)**")
    assert [line.split(" | ")[0:2] for line in text.splitlines()[2:5:2]] == [
        ["| metric", "problem"],
        ["| igd", "plane"],
    ]
    median = np.median(study.values("igd")["plane"]["GA"])
    assert f"**{median:.4g} (" in text
    marks = [row["mark"] for row in study.statistics("igd") if "mark" in row]
    assert f"| {'/'.join(str(marks.count(mark)) for mark in '+-≈')} |" in text
    assert str(table) == text
    frame = table.dataframe()
    assert list(frame.columns)[:4] == ["metric", "problem", "GA", "GA: mark"]
    assert frame["metric"].tolist() == ["igd"] * 4 + ["hypervolume"] * 4
    assert table.html().count("<tr") == 9
    assert "<b>" in study._repr_html_()
    latex = table.latex()
    assert latex.count(r"\\") == 9
    assert latex.count(r"\midrule") == 2
    single = study.table("hypervolume", against="random")
    assert list(single.head) == ["", "GA", "random"]
    assert "from random" in single.note
    with pytest.raises(ValueError, match="against must be one of 'GA', 'random', got 'ga'"):
        study.table(against="ga")


def test_figures_and_the_page_are_made(study, tmp_path):
    for kind, panels in (("convergence", 2), ("boxes", 2), ("ranks", 1)):
        figure = study.plot(kind, "hypervolume")
        assert sum(axes.has_data() for axes in figure.axes) == panels
    line = study.plot(axis="evaluations").axes[0].get_lines()[0]
    curve = study.curves("plane")["GA"]
    np.testing.assert_allclose(line.get_ydata(), np.median([run["igd"] for run in curve], axis=0))
    assert line.get_xdata()[-1] == 20 * 9
    page = study.report(tmp_path / "page.html").read_text()
    assert page.count("<svg") == 6
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", "").replace("https://matplotlib.org", "")  # fmt: skip
    with pytest.raises(ValueError, match="must end in"):
        study.report(tmp_path / "page.pdf")


def test_fronts_from_elsewhere_are_tabled_beside_ours(study):
    mixed = tr.Study(metrics=("hypervolume",), reference={"plane": [2.0, 20.0]})
    for seed, front in enumerate(study.fronts("plane", "GA")):
        mixed.add(own_problems()["plane"], "ours", seed, front, name="plane")
        mixed.add("plane", "theirs", seed, np.concatenate([front + 0.1, front + 0.2]))
    assert len(mixed.fronts("plane", "theirs")[0]) == len(study.fronts("plane", "GA")[0])  # dominated rows are dropped
    mixed.add("other", "theirs", 0, [[1.0, 2.0]], directions=("min", "max"))
    table = mixed.table()
    assert [cell.text for cell in table.rows[1]][:2] == ["other", "–"]
    assert mixed.problems["other"].directions == ("min", "max")
    fronts = {"p": {"a": [[[0.0, 1.0]], [[0.5, 1.0]]], "b": [[[1.0, 0.0]], [[1.0, 1.0]]]}}
    made = tr.study_from_fronts(fronts, metrics="hypervolume", reference=[2.0, 2.0])
    assert {name: v.tolist() for name, v in made.values()["p"].items()} == {"a": [2.0, 1.5], "b": [2.0, 1.0]}
    with pytest.raises(ValueError, match="F must have 2 columns on p, got 3"):
        made.add("p", "a", 0, [[1.0, 2.0, 3.0]])


def count_batches(monkeypatch):
    batches, run_batch = [], Executor.run_batch

    def counted(self, series, seeds):
        batches.append((series.label, seeds))
        return run_batch(self, series, seeds)

    monkeypatch.setattr(Executor, "run_batch", counted)
    return batches


def test_metrics_without_fronts_are_tabled_beside_fronts(study, tmp_path):
    mixed = tr.Study(metrics=("igd", "hypervolume"))
    for seed, run in study.runs["plane"]["GA"].items():
        mixed.add_runs(study.problems["plane"], "GA", {seed: run}, name="plane")
        mixed.add_values("plane", "published", seed, {"hypervolume": 0.25 + seed, "igd": np.inf})
    assert mixed.values("hypervolume")["plane"]["published"].tolist() == [0.25 + seed for seed in range(SEEDS)]
    fronts = tr.Study(metrics="igd")
    fronts.add_runs(study.problems["plane"], "GA", study.runs["plane"]["GA"], name="plane")
    np.testing.assert_array_equal(mixed.values("igd")["plane"]["GA"], fronts.values()["plane"]["GA"])
    published = [row for row in mixed.records() if row["algorithm"] == "published"]
    assert published[2] == {"problem": "plane", "algorithm": "published", "seed": 2, "igd": np.inf, "hypervolume": 2.25}
    assert "published" in mixed.table().markdown()
    assert "2.25" in (mixed.write(tmp_path / "written") / "runs.csv").read_text()

    own = tr.Study(metrics="igd")
    own.add_values(study.problems["plane"], "published", 0, {"igd": 0.5})
    assert own.notes() == ["plane: no front is known."]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"igd": 0.5}, ValueError, "values must have each metric of the study, but hypervolume is missing"),
        ({"igd": 0.5, "hypervolume": 0.1, "igd+": 0.5}, ValueError, "values must be one of 'igd', 'hypervolume'"),
        ({"igd": float("nan"), "hypervolume": 0.1}, ValueError, "igd must be a number, got nan"),
        ({"igd": "0.5", "hypervolume": 0.1}, TypeError, "igd takes a number, got '0.5'"),
    ],
)
def test_wrong_metrics_without_fronts_are_refused(values, error, message):
    study = tr.Study(metrics=("igd", "hypervolume"))
    with pytest.raises(error, match=message):
        study.add_values(own_problems()["plane"], "published", 0, values)
    with pytest.raises(ValueError, match="problem must be one of"):
        study.add_values("plane", "published", 0, {"igd": 0.5, "hypervolume": 0.1})
    with pytest.raises(TypeError, match="algorithm takes a string, got 3"):
        study.add_values(own_problems()["plane"], 3, 0, {"igd": 0.5, "hypervolume": 0.1})
    assert study.runs == {}


def test_only_missing_runs_are_made(study, tmp_path, monkeypatch):
    batches = count_batches(monkeypatch)
    first = compare(directory=tmp_path)
    assert len(batches) == 4
    assert first.table().markdown() == study.table().markdown()
    assert compare(directory=tmp_path).table().markdown() == study.table().markdown()
    assert len(batches) == 4
    # More seeds, and a changed setting of one of the algorithms.
    more = compare(directory=tmp_path, seeds=SEEDS + 2)
    assert batches[4:] == [(f"{p}, {a}", [SEEDS, SEEDS + 1]) for p in ("plane", "gains") for a in ("GA", "random")]
    for seed in range(SEEDS):
        np.testing.assert_array_equal(more.runs["plane"]["GA"][seed]["F"], study.runs["plane"]["GA"][seed]["F"])
    del batches[:]
    changed = tr.NSGA2(population=20, variation=tr.DE())
    tr.compare(own_problems(), ALGORITHMS | {"GA": changed}, seeds=SEEDS, generations=8, directory=tmp_path)
    assert [label for label, _ in batches] == ["plane, GA", "gains, GA"]
    # A damaged file.
    del batches[:]
    damaged = next((tmp_path / "raw").glob("plane-random-*"))
    damaged.write_bytes(damaged.read_bytes()[:-10])
    with pytest.warns(UserWarning, match="running it again"):
        compare(directory=tmp_path, seeds=SEEDS + 2)
    assert [label for label, _ in batches] == ["plane, random"]


def test_problems_on_the_host_run_seed_by_seed(tmp_path, monkeypatch):
    batches = count_batches(monkeypatch)

    def simulate(x):
        return x[0] ** 2 + x[1], (x[0] - 2) ** 2

    host = tr.HostProblem(simulate, lower=[0.0, 0.0], upper=[4.0, 1.0], objectives=2, name="host")
    study = tr.compare(host, tr.NSGA2(population=8), seeds=[4, 7], generations=3, directory=tmp_path)
    assert batches == [("host, NSGA2", [4]), ("host, NSGA2", [7])]
    assert list(study.runs["host"]["NSGA2"]) == [4, 7]
    assert "NSGA2" in study.table().markdown()


def test_ctrl_c_returns_what_is_finished(monkeypatch, capsys, tmp_path):
    run_batch = Executor.run_batch

    def interrupted(self, series, seeds):
        if series.label == "gains, GA":
            raise KeyboardInterrupt
        return run_batch(self, series, seeds)

    monkeypatch.setattr(Executor, "run_batch", interrupted)
    study = compare(directory=tmp_path)
    assert study.stopped == "interrupted"
    assert list(study.runs) == ["plane"]
    assert f"interrupted after 12 of 24 runs; call again with {str(tmp_path)!r} to resume" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problems": [plane]}, "problems takes Problem objects"),
        ({"problems": []}, "problems must hold at least one"),
        ({"problems": [own_problems()["plane"]] * 2}, "problems has more than one named 'plane'"),
        ({"algorithms": tr.NSGA2}, "algorithm takes one such as"),
        ({"algorithms": [tr.NSGA2(population=8), tr.NSGA2(population=9)]}, "more than one named 'NSGA2 GA'"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"seeds": "3"}, "seeds takes a number of runs"),
        ({"seeds": [1, 1]}, "seeds must be different"),
        ({"metrics": "idg"}, "did you mean 'igd'"),
        ({"metrics": ()}, "metrics takes names"),
        ({"against": "ga"}, "against must be one of 'GA', 'random'"),
        ({"reference": {"plne": [1.0, 1.0]}}, "reference names problems that are not compared: 'plne'"),
        ({"generations": None}, "give at least one of generations, evaluations and seconds"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(change, message, monkeypatch):
    monkeypatch.setattr(Executor, "run", lambda *_: pytest.fail("a run was made"))
    arguments = {"problems": own_problems(), "algorithms": ALGORITHMS, "generations": 8} | change
    with pytest.raises((TypeError, ValueError), match=message):
        tr.compare(arguments.pop("problems"), arguments.pop("algorithms"), **arguments)


def test_algorithms_of_one_class_are_told_apart_by_their_variation():
    names = tr.compare(
        own_problems()["plane"], [tr.NSGA2(population=8), tr.NSGA2(population=8, variation=tr.DE())], seeds=2,
        generations=2, metrics="hypervolume",
    ).algorithms  # fmt: skip
    assert names == ["NSGA2 GA", "NSGA2 DE"]
    assert as_seeds(np.arange(3)) == [0, 1, 2]


def test_a_problem_whose_source_cannot_be_compared_warns_and_uses_stored_runs(tmp_path, monkeypatch):
    state = (i for i in range(3))  # cannot be described

    def function(x):
        assert state is not None
        return jnp.stack([x[0], 1 - x[0]])

    problem = tr.Problem(function, lower=[0.0], upper=[1.0], objectives=2)
    with pytest.warns(UserWarning, match="stored runs are used as they are"):
        tr.compare(problem, tr.NSGA2(population=8), seeds=2, generations=2, directory=tmp_path)
    batches = count_batches(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tr.compare(problem, tr.NSGA2(population=8), seeds=2, generations=2, directory=tmp_path)
    assert batches == []


def test_runs_without_a_feasible_solution_count_as_the_worst():
    problem = tr.Problem(plane, lower=[0.1, 0.0], upper=[1.0, 5.0], objectives=2, constraints=lambda x: 1 + x[0])
    study = tr.compare(problem, ALGORITHMS, seeds=2, generations=2)
    assert study.values("igd")["plane"]["GA"].tolist() == [np.inf, np.inf]
    assert study.values("hypervolume")["plane"]["GA"].tolist() == [0.0, 0.0]
    assert "∞ (0)" in study.table().markdown()
    assert "GA found no feasible solution of plane in 2 of 2 runs." in study.table().note


def test_an_own_indicator_is_measured(study):
    size = tr.Indicator(name="size", function=lambda F, _: len(F), larger_is_better=True, empty=0.0)
    own = tr.study_from_fronts({"p": {"a": study.fronts("plane", "GA")}}, metrics=[size])
    assert own.values("size")["p"]["a"].tolist() == [len(f) for f in study.fronts("plane", "GA")]
    assert "size (larger is better)" in own.table().title
