"""The data of a page: lossless, within its size limits, and safely escaped."""

import base64
import csv
import io
import json
import shlex
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from example_runs import make_run, walking

import tensorrvea as tr
from tensorrvea import load
from tensorrvea.api import optimize
from tensorrvea.cli.main import execute
from tensorrvea.cli.report_sources import runs_from_directories
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.report import History, Part, Replay, report
from tensorrvea.report.from_result import algorithm_name, run_from_result
from tensorrvea.report.indicators import add_indicators
from tensorrvea.report.packing import pack, pack_16_bit, safe_json, to_json_value
from tensorrvea.report.page import make_page, page_data
from tensorrvea.report.progress_charts import progress_charts
from tensorrvea.report.solutions_csv import write_csv
from tensorrvea.report.write import collect_runs


def unpack(packed):
    kinds = {"f32": "<f4", "f64": "<f8", "u16": "<u2", "u32": "<u4"}
    return np.frombuffer(base64.b64decode(packed["data"]), kinds[packed["type"]]).reshape(packed["shape"])


@pytest.mark.parametrize("values", [np.float32([[0.1, 2e30]]), np.array([[0.1, 1e300, -0.0]]), np.zeros((0, 3))])
def test_packed_arrays_are_lossless(values):
    assert (unpack(pack(values)) == values).all()
    assert unpack(pack(values)).shape == values.shape


def test_16_bit_arrays_are_within_half_a_step():
    values = np.random.default_rng(0).normal(size=(50, 3, 3)) * [1, 100, 1e-6]
    packed = pack_16_bit(values)
    low, high = np.array(packed["low"]), np.array(packed["high"])
    assert np.abs(low + unpack(packed) / 65535 * (high - low) - values).max(axis=(0, 1)) == pytest.approx(
        (high - low) / 65535 / 2, rel=0.2
    )


def test_json_cannot_close_its_html_element():
    hostile = "</script><!-- & \u2028 \u2029 \ud83d\ude00 \x00"
    text = safe_json({"name": hostile})
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text)["name"] == hostile.encode("utf-16", "surrogatepass").decode("utf-16")


def test_any_provenance_becomes_json():
    given = {"a": np.float32(0.5), "b": np.arange(2), "c": float("nan"), 3: {1}, "d": (None, True), "e": object}
    assert to_json_value(given) == {
        "a": 0.5,
        "b": [0, 1],
        "c": "nan",
        "3": [1],
        "d": [None, True],
        "e": "<class 'object'>",
    }


def test_bands_are_confidence_intervals_over_the_runs_of_an_algorithm():
    def run(label, values, generations):
        history = History(generations=np.array(generations), metrics={"hv": np.array(values)})
        return make_run(label, history=history)

    runs = [run("A, 1", [0.0, 1.0, 2.0], [0, 2, 4]), run("A, 2", [2.0, 3.0], [0, 4]), run("B, 1", [5.0], [4])]
    (chart,) = progress_charts(runs, ["A", "B"])
    first, second = chart["curves"]
    assert first["generations"] == [0, 2, 4]
    assert first["middle"] == [1.0, 1.75, 2.5]  # the second run is interpolated to 2.5 at generation 2
    # Two values 2 apart: standard error 1, Student's t with one degree of freedom 12.7062.
    assert first["high"][0] == pytest.approx(1 + 12.7062, rel=1e-4)
    assert first["seconds"] is None
    assert (second["middle"], second["low"]) == ([5.0], None)


def test_speed_is_evaluations_over_elapsed_time():
    history = History(generations=np.arange(5), seconds=0.5 * np.arange(5), evaluations=10 * np.arange(1, 6))
    (chart,) = progress_charts([make_run("A", history=history)], ["A"])
    assert chart["name"] == "evaluations per second"
    assert chart["curves"][0]["middle"] == [20.0] * 4


def test_nan_indicator_values_are_left_out():
    history = History(generations=np.arange(3), metrics={"hv": np.array([np.nan, 1.0, 2.0])})
    (chart,) = progress_charts([make_run("A", history=history)], ["A"])
    assert chart["curves"][0]["generations"] == [1, 2]


def run_with_fronts(label, fronts, **changes):
    history = History(generations=np.arange(5), fronts=fronts)
    return make_run(label, m=2, units=["", ""], history=history, **changes)


def test_indicators_are_computed_from_fronts():
    fronts = [(0, np.array([[2.0, 2.0]])), (4, np.array([[0.0, 1.0], [1.0, 0.0]]))]
    indicated = add_indicators([run_with_fronts("A", fronts), run_with_fronts("B", [(0, np.array([[3.0, 1.0]]))])])
    metrics = indicated.runs[0].history.metrics
    # Up to (3, 2), the worst of all: nothing at first (2 is not better than 2), then 3 · 1 + 2 · 2 - 2 · 1 = 5.
    assert metrics["hypervolume"][[0, 4]].tolist() == [0.0, 5.0]
    assert np.isnan(metrics["hypervolume"][1:4]).all()
    # The best of -w·f: -2 for every weight at first; in the end max(-w1, -w2), on average -1/4 for even weights.
    assert metrics["expected utility"][0] == pytest.approx(-2)
    assert metrics["expected utility"][4] == pytest.approx(-0.25, abs=0.01)
    assert "Hypervolume: up to the worst values of all recorded fronts, (3, 2)." in indicated.note


def test_indicators_use_the_true_front_if_known():
    fronts = [(0, np.array([[1.0, 1.0]])), (4, np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]))]
    truth = np.array([[0.0, 1.0], [1.0, 0.0]])
    indicated = add_indicators([run_with_fronts("A", fronts, true_front=truth)])
    metrics = indicated.runs[0].history.metrics
    assert list(metrics) == ["hypervolume", "IGD", "expected utility"]
    assert metrics["IGD"][[0, 4]].tolist() == [1.0, 0.0]
    assert metrics["hypervolume"][[0, 4]].tolist() == [0.0, 0.25]
    assert metrics["expected utility"][0] == pytest.approx(-1)
    assert "Hypervolume: of objectives scaled to the true front's range, up to (1, 1)." in indicated.note


def test_the_distance_to_the_true_front_is_in_the_units_of_the_run():
    fronts, truth = [(0, np.array([[1.0, 1.0]])), (4, np.array([[0.0, 0.0]]))], np.array([[0.0, 1.0], [1.0, 0.0]])
    given = run_with_fronts("A", fronts, true_front=truth, distance_units=np.array([2.0, 1.0]))
    indicated = add_indicators([given])
    assert indicated.runs[0].history.metrics["IGD"][0] == pytest.approx((0.5 + 1) / 2)
    assert "in parts of the objectives' ranges on it" in indicated.note


def test_reference_point_of_the_problem_takes_precedence():
    fronts = [(0, np.array([[1.0, 1.0]])), (4, np.array([[0.0, 1.0]]))]
    run = run_with_fronts("A", fronts, true_front=np.array([[0.0, 1.0]]), reference_point=np.array([2.0, 3.0]))
    indicated = add_indicators([run])
    assert indicated.runs[0].history.metrics["hypervolume"][[0, 4]].tolist() == [2.0, 4.0]
    assert "Hypervolume: up to the problem's reference point (2, 3)." in indicated.note


def test_expensive_hypervolumes_are_estimated_and_the_note_says_so(monkeypatch):
    fronts = [(0, np.full((1, 5), 2.0)), (4, np.ones((1, 5)))]
    run = make_run(m=5, reference_point=np.full(5, 3.0), history=History(generations=np.arange(5), fronts=fronts))
    exact = add_indicators([run])
    monkeypatch.setattr("tensorrvea.report.indicators.MAX_EXACT_WORK", 0)
    estimated = add_indicators([run])
    assert exact.runs[0].history.metrics["hypervolume"][[0, 4]].tolist() == [1.0, 32.0]
    # The estimate of a cube's volume from 10,000 directions is off by a few per cent.
    assert estimated.runs[0].history.metrics["hypervolume"][[0, 4]] == pytest.approx([1.0, 32.0], rel=0.1)
    assert "estimated" not in exact.note
    assert "(3, 3, 3, 3, 3); estimated from 10,000 samples." in estimated.note


def test_recorded_indicators_are_kept_and_missing_ones_added():
    """If only some runs recorded an indicator, all get one under another name."""
    truth = np.array([[0.0, 1.0], [1.0, 0.0]])
    fronts = [(0, np.array([[1.0, 1.0]])), (1, truth)]
    own = {"igd": np.array([9.0, 8.0]), "speed": np.array([1.0, 2.0])}
    some = make_run("A", m=2, units=["", ""], true_front=truth,
                    history=History(generations=np.arange(2), metrics=own, fronts=fronts))  # fmt: skip
    none = make_run("B", m=2, units=["", ""], history=History(generations=np.arange(2), fronts=fronts))
    alone = add_indicators([some])
    assert list(alone.runs[0].history.metrics) == ["igd", "speed", "hypervolume", "expected utility"]
    assert alone.runs[0].history.metrics["igd"].tolist() == [9.0, 8.0]
    assert alone.note.endswith("Other indicators are as the runs recorded them.")
    both = [run.history.metrics for run in add_indicators([some, none]).runs]
    assert both[0]["igd"].tolist() == [9.0, 8.0]
    assert "igd" not in both[1]
    assert both[0]["IGD (of fronts)"].tolist() == both[1]["IGD (of fronts)"].tolist() == [1.0, 0.0]
    assert both[0]["hypervolume"].tolist() == both[1]["hypervolume"].tolist()


def test_no_indicators_are_added_without_fronts():
    run = make_run(history=History(generations=np.arange(2), metrics={"igd": np.ones(2)}))
    assert add_indicators([run]).runs == [run]
    assert add_indicators([run]).note == "Indicators are as the runs recorded them."
    assert add_indicators([make_run(history=None)]).note == ""


def test_ten_thousand_solutions_with_twelve_replays_stay_below_ten_megabytes():
    run = make_run(n=10_000, m=3, d=12, replays=[walking(i, frames=1000) for i in range(0, 10_000, 900)])
    page = make_page([run], title="large", stem="large")
    assert len(run.replays) == 12
    assert len(page.html.encode()) < 10e6
    assert not page.needs_csv


def test_thinned_episodes_keep_their_duration():
    replay = walking(0, frames=2000)
    data, _ = page_data([make_run(replays=[replay])], title="", stem="")
    packed = data["runs"][0]["replays"][0]
    assert packed["ends"]["shape"][0] == 1000
    assert packed["seconds"] * packed["ends"]["shape"][0] == pytest.approx(2000 * 0.05)


def test_decision_vectors_above_the_limit_go_into_a_csv(tmp_path, monkeypatch):
    run = make_run(n=40, m=2, d=300, units=["", ""], history=None)
    assert not make_page([run], title="", stem="").needs_csv
    monkeypatch.setattr("tensorrvea.report.page.MAX_X_BYTES", 40 * 300 * 8)  # base64 takes a third more
    path = report(run, tmp_path / "wide.html")
    assert path.stat().st_size < 150_000
    rows = list(csv.reader(io.StringIO((tmp_path / "wide.csv").read_text(), newline="")))
    assert rows[0][:5] == ["run", "solution", "goal 1", "goal 2", "violation"]
    numbers = np.array([[float(cell) for cell in row[2:]] for row in rows[1:]])
    assert (numbers[:, 3:] == run.X).all()
    assert (numbers[:, :2].astype(np.float32) == run.F).all()


def test_samples_of_many_solutions_keep_extremes_and_replays(monkeypatch):
    monkeypatch.setattr("tensorrvea.report.page.MAX_F_BYTES", 4000)
    run = make_run(n=1000, m=2, units=["", ""], replays=[777])
    data, needs_csv = page_data([run], title="", stem="many")
    kept = unpack(data["runs"][0]["rows"])
    assert needs_csv
    assert len(kept) < 500
    assert {777, *run.F.argmin(axis=0), *run.F.argmax(axis=0)} <= set(kept.tolist())
    assert kept[data["runs"][0]["replays"][0]["solution"]] == 777
    assert "1,000 solutions; all are in many.csv" in data["notes"][0]
    assert (unpack(data["runs"][0]["F"]) == run.F[kept]).all()


def test_names_in_a_csv_are_not_formulas():
    stream = io.StringIO()
    write_csv([make_run("=cmd()", m=2, n=1, objective_names=["@sum", "a,b"], units=["", ""])], stream)
    rows = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert rows[0][2:4] == ["'@sum", "a,b"]
    assert rows[1][0] == "'=cmd()"


def test_page_is_deterministic():
    pages = [make_page([make_run(replays=[1])], title="a", stem="a").html for _ in range(2)]
    assert pages[0] == pages[1]


def test_failed_write_leaves_the_old_page(tmp_path):
    (tmp_path / "page.html").write_text("before")
    with pytest.raises(ValueError, match="same units"):
        report([make_run("A"), make_run("B", units=["s", "", ""])], tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "before"


@pytest.fixture(scope="module")
def result():
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    return optimize(problem, tr.RandomSearch(population=28), generations=8, seed=4, history="fronts")


def test_run_from_result(result):
    run = run_from_result(result, "mine")
    assert (run.F == result.F).all()
    assert (run.X == result.X).all()
    assert run.algorithm == "RandomSearch"
    assert [generation for generation, _ in run.history.fronts] == list(range(9))
    assert run.true_front.shape[1] == 3
    assert run.provenance["seed"] == 4
    again = "tensorrvea run DTLZ2 --objectives 3 --variables 7 --population 28 --algorithm RandomSearch"
    assert run.provenance["command"] == f"{again} --generations 8 --seed 4 --history fronts"
    assert run.provenance["versions"]["jax"]


def test_equal_labels_are_numbered(result):
    other = replace(result, algorithm=tr.TensorRVEA(population=28, variation=tr.CSO()))
    labels = [run.label for run in collect_runs([result, other, result, result], replays=0)]
    one, two = "RandomSearch, seed 4", "TensorRVEA + CSO, seed 4"
    assert labels == [one, two, f"{one} (2)", f"{one} (3)"]
    assert algorithm_name(other.algorithm) == "TensorRVEA + CSO"


def test_run_directories_use_the_provenance_of_their_manifest(result, tmp_path, monkeypatch):
    again = optimize(
        result.problem, result.algorithm, generations=8, seed=4, history="fronts", directory=tmp_path / "one"
    )
    (run,) = runs_from_directories([tmp_path / "one"])
    assert run.label == "one"
    assert (run.F == again.F).all()
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert run.provenance["spec"] == manifest["spec"]
    assert run.provenance["started"] == manifest["sessions"][0]["started"]
    assert run.provenance["versions"] == manifest["sessions"][0]["versions"]
    # A directory of several seeds gives several runs.
    monkeypatch.setattr("tensorrvea.cli.report_sources.load", lambda _: [result, replace(result, seed=5)])
    both = collect_runs([*runs_from_directories([tmp_path / "one"]), make_run()], replays=0)
    assert [run.label for run in both] == ["one, seed 4", "one, seed 5", "TensorRVEA"]


OTHER = tr.TensorRVEA(population=12, variation=tr.CSO(phi=0.3), vectors="exact", alpha=1.5, normalize=False)
ETA = tr.NSGA2(population=12, variation=tr.GA(crossover=tr.SBX(eta=15.0)))


@pytest.mark.parametrize(
    ("problem", "algorithm"),
    [
        pytest.param(
            tr.problems.DTLZ2(objectives=3, variables=7), tr.TensorRVEA(population=12), marks=pytest.mark.slow
        ),
        pytest.param(tr.problems.LSMOP1(objectives=2, variables=24, subcomponents=3), OTHER, marks=pytest.mark.slow),
        pytest.param(tr.problems.ZDT1(), ETA, marks=pytest.mark.slow),
        (RobotProblem(task="MoHopper-m2", backend="mujoco"), tr.TensorRVEA(population=4)),
        (RobotProblem(task="MoSwimmer", backend="mujoco", hidden=(3, 3), steps=7, episodes=2, starts="new"), OTHER),
    ],
    ids=lambda part: type(part).__name__,
)
def test_command_repeats_the_run(problem, algorithm, tmp_path):
    result = optimize(problem, algorithm, generations=2, seed=6)
    words = shlex.split(run_from_result(result, "first").provenance["command"])
    assert words[:2] == ["tensorrvea", "run"]
    assert execute([*words[1:], "--out", str(tmp_path / "again")]) == 0
    again = load(tmp_path / "again")
    assert (again.problem, again.seed) == (problem, 6)
    assert repr(again.algorithm) == repr(algorithm)
    assert (again.X == result.X).all()
    assert (again.F == result.F).all()
    (from_directory,) = runs_from_directories([tmp_path / "again"])
    assert shlex.split(from_directory.provenance["command"]) == words


def test_user_defined_parts_have_no_command(result, tmp_path):
    assert "command" in run_from_result(result, "named").provenance
    own = tr.Problem(lambda x: x[:3], lower=[0.0] * 7, upper=[1.0] * 7, objectives=3)
    vectors = tr.TensorRVEA(population=28, vectors=np.eye(3))
    for other in (replace(result, problem=own), replace(result, algorithm=vectors)):
        assert "command" not in run_from_result(other, "own").provenance
    x = np.full((3, 7), 0.5)
    optimize(result.problem, result.algorithm, generations=2, seed=0, x=x, directory=tmp_path / "started")
    (run,) = runs_from_directories([tmp_path / "started"])
    assert "command" not in run.provenance


def test_search_that_ended_early_has_no_command(result):
    short = replace(result, history=replace(result.history, progress=result.history.progress / 2))
    assert "command" not in run_from_result(short, "short").provenance


def test_replays_cover_the_front_and_the_knee(result):
    replayed = []

    class Player(type(result.problem)):
        can_replay = True

        def replay(self, x):
            replayed.append(x)
            shape = {"names": ["left leg", "torso"], "radii": np.array([0.1, 0.2]), "fixed": np.array([False, False])}
            ends = np.random.default_rng(0).random((4, 2, 4))
            return SimpleNamespace(
                kinds=(), sizes=None, poses=None, **shape, ends=ends, seconds=0.04, ground=True, returns=np.arange(3.0)
            )

    playing = replace(result, problem=Player(objectives=3, variables=7))
    run = run_from_result(playing, replays=5)
    assert len(run.replays) == len(replayed) == 5
    for replay, x in zip(run.replays, replayed, strict=True):
        assert (run.X[replay.solution] == x).all()
    assert result.knee() in [replay.solution for replay in run.replays]
    assert [replay.solution for replay in run_from_result(playing, replays=1).replays] == [result.knee()]
    assert [part.far for part in run.replays[0].parts] == [True, False]
    assert run.replays[0].returns == [0.0, 1.0, 2.0]
    assert run_from_result(playing, "none").replays == []


def test_report_of_a_result(result, tmp_path):
    path = result.report(tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert '"title":"DTLZ2"' in path.read_text()


def broken_replay(**changes):
    known = {"solution": 0, "seconds": 0.1, "parts": [Part(name="a", radius=1)], "ends": np.zeros((2, 1, 4))}
    return Replay(**(known | changes))


def page(*runs):
    return make_page(runs, title="", stem="")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_run(F=np.zeros((50, 1)), objective_names=["a"], units=[""], directions=["min"]), "at least 2"),
        (lambda: make_run(F=np.full((50, 3), np.nan)), "F must be finite"),
        (lambda: make_run(X=np.zeros((3, 4))), "same number of rows"),
        (lambda: make_run(variable_names=["a"]), "X must have 1 columns"),
        (lambda: make_run(units=["a"]), "units must have 3 entries"),
        (lambda: make_run(directions=["min", "min", "up"]), "directions must be one of"),
        (lambda: make_run(true_front=np.zeros((2, 2))), "true_front must have 3 columns"),
        (lambda: make_run(reference_point=np.zeros(2)), "reference_point must have 3 entries"),
        (lambda: make_run(replays=[walking(50)]), "a row of F, 0 to 49, got 50"),
        (lambda: History(generations=np.arange(3), living=np.arange(2)), "living must have 3 entries"),
        (lambda: broken_replay(ends=np.zeros((2, 2, 4))), r"ends must have shape \(frames, 1, 4\)"),
        (lambda: broken_replay(parts=[Part(name="wall", radius=1, fixed=True)]), "one part that is not fixed"),
        (lambda: broken_replay(seconds=0.0), "seconds must be"),
        (lambda: report([make_run()], "page.txt"), "path must end in .html"),
        (lambda: report([], "page.html"), "at least one result"),
        (lambda: page(make_run("A"), make_run("B", m=2, units=["", ""])), "same objective_names"),
        (lambda: page(make_run("A"), make_run("A")), "unique label"),
        (lambda: page(make_run(n=0)), "at least one solution"),
    ],
)  # fmt: skip
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_other_sources_are_rejected(tmp_path):
    with pytest.raises(TypeError, match="results takes results or Run records, got 5"):
        report([make_run(), 5], tmp_path / "page.html")
    with pytest.raises(TypeError, match=r"got 'runs/monday'; load a run directory with tensorrvea\.load"):
        report("runs/monday", tmp_path / "page.html")


def test_constraints_are_in_the_data_with_the_slack_up_to_which_they_bind():
    run = make_run("one")
    g = -np.linspace(0, 2, 2 * len(run.F)).reshape(-1, 2)
    limited = replace(run, constraint_names=("stress", "height"), G=g, constraint_scale=np.array([1e3, 0.1]))
    data, _ = page_data([limited], title="t", stem="t")
    assert [one["name"] for one in data["constraints"]] == ["stress", "height"]
    # 1 % of the usual size, or of the largest slack shown, 2.
    assert [one["binds"] for one in data["constraints"]] == pytest.approx([10.0, 0.02])
    np.testing.assert_allclose(unpack(data["runs"][0]["G"]), g, rtol=1e-6)
