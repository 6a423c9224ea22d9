"""What goes into a page: nothing is lost, nothing is too large, nothing can break out."""

import base64
import csv
import io
import json
import shlex
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report_pages import make_run, walking

import tensorrvea as tr
from tensorrvea.cli.main import execute
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.api import optimize
from tensorrvea.report import History, Part, Replay, report
from tensorrvea.report.bands import progress_charts
from tensorrvea.report.beside import write_csv
from tensorrvea.report.from_result import algorithm_name, run_from_result
from tensorrvea.report.indicators import with_indicators
from tensorrvea.report.packing import pack, pack_for_drawing, plain, safe_json
from tensorrvea.report.page import make_page, page_data
from tensorrvea.report.write import gather_runs
from tensorrvea.runs import load


def unpack(packed):
    kinds = {"f32": "<f4", "f64": "<f8", "u16": "<u2", "u32": "<u4"}
    return np.frombuffer(base64.b64decode(packed["data"]), kinds[packed["type"]]).reshape(packed["shape"])


@pytest.mark.parametrize("values", [np.float32([[0.1, 2e30]]), np.array([[0.1, 1e300, -0.0]]), np.zeros((0, 3))])
def test_packed_arrays_come_back_exactly(values):
    assert (unpack(pack(values)) == values).all()
    assert unpack(pack(values)).shape == values.shape


def test_arrays_for_drawing_are_within_a_step_of_their_range():
    values = np.random.default_rng(0).normal(size=(50, 3, 3)) * [1, 100, 1e-6]
    packed = pack_for_drawing(values)
    low, high = np.array(packed["low"]), np.array(packed["high"])
    assert np.abs(low + unpack(packed) / 65535 * (high - low) - values).max(axis=(0, 1)) == pytest.approx(
        (high - low) / 65535 / 2, rel=0.2
    )


def test_json_cannot_break_out_of_its_element():
    hostile = "</script><!-- & \u2028 \u2029 \ud83d\ude00 \x00"
    text = safe_json({"name": hostile})
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text)["name"] == hostile.encode("utf-16", "surrogatepass").decode("utf-16")


def test_provenance_of_any_kind_becomes_plain():
    given = {"a": np.float32(0.5), "b": np.arange(2), "c": float("nan"), 3: {1}, "d": (None, True), "e": object}
    assert plain(given) == {"a": 0.5, "b": [0, 1], "c": "nan", "3": [1], "d": [None, True], "e": "<class 'object'>"}


def test_bands_are_means_with_confidence_over_the_runs_of_an_algorithm():
    def run(label, values, generations):
        history = History(generations=np.array(generations), metrics={"hv": np.array(values)})
        return make_run(label, history=history)

    runs = [run("A, 1", [0.0, 1.0, 2.0], [0, 2, 4]), run("A, 2", [2.0, 3.0], [0, 4]), run("B, 1", [5.0], [4])]
    (chart,) = progress_charts(runs, ["A", "B"])
    first, second = chart["curves"]
    assert first["generations"] == [0, 2, 4]
    assert first["middle"] == [1.0, 1.75, 2.5]  # the second run's 2.5 at generation 2 is between its neighbours
    # Two values 2 apart: standard error 1, Student's t with one degree 12.7062.
    assert first["high"][0] == pytest.approx(1 + 12.7062, rel=1e-4)
    assert first["seconds"] is None
    assert (second["middle"], second["low"]) == ([5.0], None)


def test_speed_is_evaluations_by_elapsed_time():
    history = History(generations=np.arange(5), seconds=0.5 * np.arange(5), evaluations=10 * np.arange(1, 6))
    (chart,) = progress_charts([make_run("A", history=history)], ["A"])
    assert chart["name"] == "evaluations a second"
    assert chart["curves"][0]["middle"] == [20.0] * 4


def test_an_indicator_that_does_not_exist_yet_is_left_out():
    history = History(generations=np.arange(3), metrics={"hv": np.array([np.nan, 1.0, 2.0])})
    (chart,) = progress_charts([make_run("A", history=history)], ["A"])
    assert chart["curves"][0]["generations"] == [1, 2]


def fronts_alone(label, fronts, **changes):
    history = History(generations=np.arange(5), fronts=fronts)
    return make_run(label, m=2, units=["", ""], history=history, **changes)


def test_curves_are_made_from_fronts_where_none_were_recorded():
    fronts = [(0, np.array([[2.0, 2.0]])), (4, np.array([[0.0, 1.0], [1.0, 0.0]]))]
    indicated = with_indicators([fronts_alone("A", fronts), fronts_alone("B", [(0, np.array([[3.0, 1.0]]))])])
    metrics = indicated.runs[0].history.metrics
    # Up to (3, 2), the worst of all: nothing at first (2 is not better than 2), then 3 · 1 + 2 · 2 - 2 · 1 = 5.
    assert metrics["hypervolume"][[0, 4]].tolist() == [0.0, 5.0]
    assert np.isnan(metrics["hypervolume"][1:4]).all()
    # The best of -w·f: -2 for every weight at first; in the end max(-w1, -w2), on average -1/4 for even weights.
    assert metrics["expected utility"][0] == pytest.approx(-2)
    assert metrics["expected utility"][4] == pytest.approx(-0.25, abs=0.01)
    assert "Hypervolume: up to the worst values of all recorded fronts, (3, 2)." in indicated.note


def test_where_the_true_front_is_known_curves_are_of_it():
    fronts = [(0, np.array([[1.0, 1.0]])), (4, np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]))]
    truth = np.array([[0.0, 1.0], [1.0, 0.0]])
    indicated = with_indicators([fronts_alone("A", fronts, true_front=truth)])
    metrics = indicated.runs[0].history.metrics
    assert list(metrics) == ["hypervolume", "IGD", "expected utility"]
    assert metrics["IGD"][[0, 4]].tolist() == [1.0, 0.0]
    assert metrics["hypervolume"][[0, 4]].tolist() == [0.0, 0.25]
    assert metrics["expected utility"][0] == pytest.approx(-1)
    assert "Hypervolume: of objectives scaled to the true front's range, up to (1, 1)." in indicated.note


def test_the_problems_own_reference_point_comes_first():
    fronts = [(0, np.array([[1.0, 1.0]])), (4, np.array([[0.0, 1.0]]))]
    run = fronts_alone("A", fronts, true_front=np.array([[0.0, 1.0]]), reference_point=np.array([2.0, 3.0]))
    indicated = with_indicators([run])
    assert indicated.runs[0].history.metrics["hypervolume"][[0, 4]].tolist() == [2.0, 4.0]
    assert "Hypervolume: up to the problem's reference point (2, 3)." in indicated.note


def test_large_hypervolumes_are_estimated_and_the_note_says_so(monkeypatch):
    fronts = [(0, np.full((1, 5), 2.0)), (4, np.ones((1, 5)))]
    run = make_run(m=5, reference_point=np.full(5, 3.0), history=History(generations=np.arange(5), fronts=fronts))
    exact = with_indicators([run])
    monkeypatch.setattr("tensorrvea.report.indicators.MOST_WORK", 0)
    estimated = with_indicators([run])
    assert exact.runs[0].history.metrics["hypervolume"][[0, 4]].tolist() == [1.0, 32.0]
    # A cube's volume, of which each of 10,000 directions tells about as much as it differs: some per cent.
    assert estimated.runs[0].history.metrics["hypervolume"][[0, 4]] == pytest.approx([1.0, 32.0], rel=0.1)
    assert "estimated" not in exact.note
    assert "(3, 3, 3, 3, 3); estimated from 10,000 samples." in estimated.note


def test_what_the_runs_recorded_stays_and_the_rest_is_added():
    """A recorded name is never computed into; where only some have it, all get one of another name."""
    truth = np.array([[0.0, 1.0], [1.0, 0.0]])
    fronts = [(0, np.array([[1.0, 1.0]])), (1, truth)]
    own = {"igd": np.array([9.0, 8.0]), "speed": np.array([1.0, 2.0])}
    some = make_run("A", m=2, units=["", ""], true_front=truth,
                    history=History(generations=np.arange(2), metrics=own, fronts=fronts))  # fmt: skip
    none = make_run("B", m=2, units=["", ""], history=History(generations=np.arange(2), fronts=fronts))
    alone = with_indicators([some])
    assert list(alone.runs[0].history.metrics) == ["igd", "speed", "hypervolume", "expected utility"]
    assert alone.runs[0].history.metrics["igd"].tolist() == [9.0, 8.0]
    assert alone.note.endswith("Other indicators are as the runs recorded them.")
    both = [run.history.metrics for run in with_indicators([some, none]).runs]
    assert both[0]["igd"].tolist() == [9.0, 8.0]
    assert "igd" not in both[1]
    assert both[0]["IGD (of fronts)"].tolist() == both[1]["IGD (of fronts)"].tolist() == [1.0, 0.0]
    assert both[0]["hypervolume"].tolist() == both[1]["hypervolume"].tolist()


def test_without_fronts_nothing_is_added():
    run = make_run(history=History(generations=np.arange(2), metrics={"igd": np.ones(2)}))
    assert with_indicators([run]).runs == [run]
    assert with_indicators([run]).note == "Indicators are as the runs recorded them."
    assert with_indicators([make_run(history=None)]).note == ""


def test_ten_thousand_solutions_with_twelve_replays_stay_below_ten_megabytes():
    run = make_run(n=10_000, m=3, d=12, replays=[walking(i, frames=1000) for i in range(0, 10_000, 900)])
    page = make_page([run], title="large", stem="large")
    assert len(run.replays) == 12
    assert len(page.html.encode()) < 10e6
    assert not page.csv_beside


def test_long_episodes_keep_their_time():
    replay = walking(0, frames=2000)
    data, _ = page_data([make_run(replays=[replay])], title="", stem="")
    packed = data["runs"][0]["replays"][0]
    assert packed["ends"]["shape"][0] == 1000
    assert packed["seconds"] * packed["ends"]["shape"][0] == pytest.approx(2000 * 0.05)


def test_decision_vectors_above_the_limit_go_into_a_csv(tmp_path, monkeypatch):
    run = make_run(n=40, m=2, d=300, units=["", ""], history=None)
    assert not make_page([run], title="", stem="").csv_beside
    monkeypatch.setattr("tensorrvea.report.page.MOST_X_BYTES", 40 * 300 * 8)  # in base64 it is a third more
    path = report(run, tmp_path / "wide.html")
    assert path.stat().st_size < 150_000
    rows = list(csv.reader(io.StringIO((tmp_path / "wide.csv").read_text(), newline="")))
    assert rows[0][:5] == ["run", "solution", "goal 1", "goal 2", "violation"]
    numbers = np.array([[float(cell) for cell in row[2:]] for row in rows[1:]])
    assert (numbers[:, 3:] == run.X).all()
    assert (numbers[:, :2].astype(np.float32) == run.F).all()


def test_a_million_solutions_are_thinned_with_their_extremes_and_a_note(monkeypatch):
    monkeypatch.setattr("tensorrvea.report.page.MOST_F_BYTES", 4000)
    run = make_run(n=1000, m=2, units=["", ""], replays=[777])
    data, beside = page_data([run], title="", stem="many")
    kept = unpack(data["runs"][0]["rows"])
    assert beside
    assert len(kept) < 500
    assert {777, *run.F.argmin(axis=0), *run.F.argmax(axis=0)} <= set(kept.tolist())
    assert kept[data["runs"][0]["replays"][0]["solution"]] == 777
    assert "1,000 solutions; all are in many.csv" in data["notes"][0]
    assert (unpack(data["runs"][0]["F"]) == run.F[kept]).all()


def test_names_in_a_csv_are_no_formulas():
    stream = io.StringIO()
    write_csv([make_run("=cmd()", m=2, n=1, objective_names=["@sum", "a,b"], units=["", ""])], stream)
    rows = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert rows[0][2:4] == ["'@sum", "a,b"]
    assert rows[1][0] == "'=cmd()"


def test_the_same_runs_make_the_same_page():
    pages = [make_page([make_run(replays=[1])], title="a", stem="a").html for _ in range(2)]
    assert pages[0] == pages[1]


def test_writing_fails_whole(tmp_path):
    (tmp_path / "page.html").write_text("before")
    with pytest.raises(ValueError, match="same units"):
        report([make_run("A"), make_run("B", units=["s", "", ""])], tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "before"


@pytest.fixture(scope="module")
def result():
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    return optimize(problem, tr.RandomSearch(population=28), generations=8, seed=4, history="fronts")


def test_a_result_becomes_a_run(result):
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


def test_results_are_labelled_apart(result):
    other = replace(result, algorithm=tr.TensorRVEA(population=28, variation=tr.CSO()))
    labels = [run.label for run in gather_runs([result, other, result, result], replays=0)]
    one, two = "RandomSearch, seed 4", "TensorRVEA + CSO, seed 4"
    assert labels == [one, two, f"{one} (2)", f"{one} (3)"]
    assert algorithm_name(other.algorithm) == "TensorRVEA + CSO"


def test_run_directories_bring_their_manifest(result, tmp_path, monkeypatch):
    again = optimize(
        result.problem, result.algorithm, generations=8, seed=4, history="fronts", directory=tmp_path / "one"
    )
    (run,) = gather_runs([tmp_path / "one"], replays=0)
    assert run.label == "one"
    assert (run.F == again.F).all()
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert run.provenance["spec"] == manifest["spec"]
    assert run.provenance["started"] == manifest["sessions"][0]["started"]
    assert run.provenance["versions"] == manifest["sessions"][0]["versions"]
    # A directory of several seeds holds several results.
    monkeypatch.setattr("tensorrvea.report.from_directory.load", lambda _: [result, replace(result, seed=5)])
    both = gather_runs([str(tmp_path / "one"), make_run()], replays=0)
    assert [run.label for run in both] == ["one, seed 4", "one, seed 5", "TensorRVEA"]


OTHER = tr.TensorRVEA(population=12, variation=tr.CSO(phi=0.3), vectors="exact", alpha=1.5, adaptation=0.25)
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
def test_the_command_makes_the_run_again(problem, algorithm, tmp_path):
    result = optimize(problem, algorithm, generations=2, seed=6)
    words = shlex.split(run_from_result(result, "first").provenance["command"])
    assert words[:2] == ["tensorrvea", "run"]
    assert execute([*words[1:], "--out", str(tmp_path / "again")]) == 0
    again = load(tmp_path / "again")
    assert (again.problem, again.seed) == (problem, 6)
    assert repr(again.algorithm) == repr(algorithm)
    assert (again.X == result.X).all()
    assert (again.F == result.F).all()
    (from_directory,) = gather_runs([tmp_path / "again"], replays=0)
    assert shlex.split(from_directory.provenance["command"]) == words


def test_what_a_command_line_cannot_say_has_no_command(result, tmp_path):
    assert "command" in run_from_result(result, "named").provenance
    own = tr.Problem(lambda x: x[:3], lower=[0.0] * 7, upper=[1.0] * 7, objectives=3)
    vectors = tr.TensorRVEA(population=28, vectors=np.eye(3))
    for other in (replace(result, problem=own), replace(result, algorithm=vectors)):
        assert "command" not in run_from_result(other, "own").provenance
    x = np.full((3, 7), 0.5)
    optimize(result.problem, result.algorithm, generations=2, seed=0, x=x, directory=tmp_path / "started")
    (run,) = gather_runs([tmp_path / "started"], replays=0)
    assert "command" not in run.provenance


def test_a_search_cut_short_has_no_command_that_would_not_repeat_it(result):
    short = replace(result, history=replace(result.history, progress=result.history.progress / 2))
    assert "command" not in run_from_result(short, "short").provenance


def test_problems_that_can_play_an_episode_are_asked_for_a_spread(result):
    asked = []

    class Player(type(result.problem)):
        def replay(self, x):
            asked.append(x)
            shape = {"names": ["left leg", "torso"], "radii": np.array([0.1, 0.2]), "fixed": np.array([False, False])}
            ends = np.random.default_rng(0).random((4, 2, 4))
            return SimpleNamespace(**shape, ends=ends, seconds=0.04, ground=True, returns=np.arange(3.0))

    playing = replace(result, problem=Player(objectives=3, variables=7))
    run = run_from_result(playing, replays=5)
    assert len(run.replays) == len(asked) == 5
    for replay, x in zip(run.replays, asked, strict=True):
        assert (run.X[replay.solution] == x).all()
    assert result.knee() in [replay.solution for replay in run.replays]
    assert [replay.solution for replay in run_from_result(playing, replays=1).replays] == [result.knee()]
    assert [part.far for part in run.replays[0].parts] == [True, False]
    assert run.replays[0].returns == [0.0, 1.0, 2.0]
    assert run_from_result(playing, "none").replays == []


def test_a_report_of_results(result, tmp_path):
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
        (lambda: make_run(X=np.zeros((3, 4))), "as many rows"),
        (lambda: make_run(variable_names=["a"]), "X must have 1 columns"),
        (lambda: make_run(units=["a"]), "units must have 3 entries"),
        (lambda: make_run(directions=["min", "min", "up"]), "directions must be one of"),
        (lambda: make_run(true_front=np.zeros((2, 2))), "true_front must have 3 columns"),
        (lambda: make_run(reference_point=np.zeros(2)), "reference_point must have 3 entries"),
        (lambda: make_run(replays=[walking(50)]), "a row of F, 0 to 49, got 50"),
        (lambda: History(generations=np.arange(3), living=np.arange(2)), "living must have 3 entries"),
        (lambda: broken_replay(ends=np.zeros((2, 2, 4))), r"ends must have shape \(frames, 1, 4\)"),
        (lambda: broken_replay(parts=[Part(name="wall", radius=1, fixed=True)]), "one that is not fixed"),
        (lambda: broken_replay(seconds=0.0), "seconds must be"),
        (lambda: report([make_run()], "page.txt"), "path must end in .html"),
        (lambda: report([], "page.html"), "at least one result"),
        (lambda: page(make_run("A"), make_run("B", m=2, units=["", ""])), "same objective_names"),
        (lambda: page(make_run("A"), make_run("A")), "label of its own"),
        (lambda: page(make_run(n=0)), "at least one solution"),
    ],
)  # fmt: skip
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_no_result_is_refused(tmp_path):
    with pytest.raises(TypeError, match="results takes results, run directories or Run records, got 5"):
        report([make_run(), 5], tmp_path / "page.html")
