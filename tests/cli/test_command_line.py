"""The command line: the commands of its documentation, and wrong arguments."""

import dataclasses
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sizes import QUICK_FLAGS

import tensorrvea as tr
from tensorrvea import algorithms, operators, problems
from tensorrvea.cli.main import COMMANDS, execute, parse
from tensorrvea.cli.part_settings import make_algorithm, make_default, parse_settings, read_table
from tensorrvea.cli.run import Run
from tensorrvea.cli.session import Session
from tensorrvea.neuroevolution import TASKS
from tensorrvea.neuroevolution.backends import _make_physics
from tensorrvea.runs import read_manifest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = "\n".join((DOCS / name).read_text() for name in ("command_line.md", "comparing.md"))


def commands_of(page: str) -> list[list[str]]:
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("tensorrvea ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A working directory with the files of the documentation."""
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
        Path(name).write_text(text)
    return tmp_path


def test_the_commands_of_the_documentation_work(workspace, capsys):
    commands = commands_of(PAGE)
    assert {words[0] for words in commands} == set(COMMANDS)
    # A separate process can use flags for faster compilation.
    command = [sys.executable, Path(__file__).parent / "run_commands.py"]
    flags = os.environ | {"XLA_FLAGS": QUICK_FLAGS}
    done = subprocess.run(command, input=json.dumps(commands), capture_output=True, text=True, check=False, env=flags)
    assert done.returncode == 0, done.stderr[-2000:]
    assert tr.load("runs/DTLZ2-TensorRVEA-0").generations == 30
    bridge = tr.load("runs/bridge")
    assert (bridge.seed, bridge.generations, bridge.algorithm.alpha) == (3, 10, 1.5)
    assert bridge.algorithm.variation.crossover.eta == 15
    assert bridge.problem.objective_names == ("mass", "sag")
    volume = tr.metrics.hypervolume(bridge.population.F, [2.0, 10.0])
    assert bridge.history.metrics["hypervolume"][-1] == pytest.approx(volume, rel=1e-5)
    assert "MetricReached" in tr.load("runs/short").stopped
    assert [result.seed for result in tr.load("runs/zdt")] == [0, 1]
    studies = ("studies/study/table.tex", "studies/study/report.html", "studies/longer/igd_convergence.svg")
    for name in ("front.html", "front.svg", "igd.pdf", "attained.png", "results/smoke.md", *studies):
        assert Path(name).stat().st_size > 1000
    # The provenance in the report is that of the manifest, not of this process.
    manifest = read_manifest(Path("runs/DTLZ2-TensorRVEA-0"))[0]
    assert manifest["sessions"][0]["started"] in Path("front.html").read_text()
    # No progress bar, since stderr is not a terminal here.
    assert execute([*commands[0][:2], "--generations", "30"]) == 0
    assert "gen/s" not in capsys.readouterr().err


def test_a_config_file_takes_session_options_and_flags_override_it(workspace):
    Path("shared.toml").write_text('problem = "ZDT1"\ncheckpoint-seconds = 5.0\ndevices = "cores"\nevery = 3\n')
    run = parse(["run", "--config", "shared.toml", "--index", "1", "--checkpoint-seconds", "6"])
    assert run == Run(
        problem="ZDT1",
        config=Path("shared.toml"),
        every=3,
        session=Session(checkpoint_seconds=6.0, devices="cores", index=1),
    )
    assert parse(["resume", "runs/a", "--devices", "2", "--double"]).session == Session(devices=2, double=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("runn DTLZ2", "did you mean 'run'"),
        ("run DTLS2", "did you mean 'DTLZ2'"),
        ("run MoHoper-m2", "did you mean 'MoHopper-m2'"),
        ("run DTLZ2 --algorithm TensorRVA", "did you mean 'TensorRVEA'"),
        ("run DTLZ2 --variation CS0", "did you mean 'CSO'"),
        ("run DTLZ2 --metrics hypervolum", "did you mean 'hypervolume'"),
        ("run DTLZ2 --algorithm TensorRVEA --set algorithm.alpah=2", "did you mean 'alpha'"),
        ("run DTLZ2 --set algoritm.alpha=2", "did you mean 'algorithm'"),
        ("run DTLZ2 --set variation.crossover.etta=2", "did you mean 'eta'"),
        ("run DTLZ2 --algorithm TensorRVEA --set algorithm.alpha.beta=2", "algorithm.alpha has no settings of its own"),
        ("run DTLZ2 --set algorithm.alpha", "set takes name=value"),
        ("run DTLZ2 --algorithm TensorRVEA --set algorithm.alpha=-1", "alpha must be a finite number"),
        ("run DTLZ2 --set problem.radius=1", "a setting of DTLZ2 must be one of"),
        ("run DTLZ2 --algorithm RandomSearch --variation DE", "variation cannot be given with RandomSearch"),
        ("run DTLZ2 --stop-metric igd=0.1", "stop_metric takes a metric and a value, like 'igd<0.06'"),
        ("run DTLZ2 --stop-metric igdd<=0.1", "metric must be one that is recorded .'igd'., got 'igdd'"),
        ("run DTLZ2 --reference 1 1", "reference must have 3 entries for this problem, got 2"),
        ("run DTLZ2 --reference 1 1 1 --metrics igd", "reference needs the metric hypervolume, got metrics igd"),
        ("run DTLZ2 --stagnant-within 0.1", "stagnant_within needs stop_when_stagnant"),
        ("run DTLZ2 --start nowhere.csv", "start takes an existing file"),
        ("run design.py", "file.py:name"),
        ("run design.py:bridg", "did you mean 'bridge'"),
        ("run design.py:weigh", "design.py:weigh is a function, not a Problem: run design.py:bridge"),
        ("run nowhere.py:bridge", "problem takes an existing file"),
        ("run design.py:bridge --objectives 3", "takes no settings on the command line"),
        ("run --config nowhere.toml", "config takes an existing file"),
        ("run --config design.py", "takes a .toml or .json file"),
        ("run --config slip.toml", "did you mean 'population'"),
        ("run --config kinds.toml", "population in kinds.toml takes a whole number, got 'five'"),
        ("run --config list.toml", "metrics in list.toml takes a list, got 'igd'"),
        ("run --config table.toml", "set in table.toml takes a table, got 3"),
        ("run DTLZ2 --checkpoint-seconds -1", "checkpoint_seconds must be a finite number"),
        ("resume kept --generations -1", "generations must be at least 1"),
        ("resume kept --checkpoint-seconds -1", "checkpoint_seconds must be a finite number"),
        ("resume kept --devices 1000", "error: devices must be 1 to"),
        ("plot", "give at least one run directory"),
        ("reproduce page --scale cpu", "run one first"),
        ("reproduce page --results nowhere", "takes directories of finished experiments, got 'nowhere'"),
        ("reproduce numerical --results nowhere", "results can only be given with page, got numerical"),
    ],
)
def test_wrong_arguments_exit_with_two_and_a_message(workspace, capsys, line, message):
    Path("slip.toml").write_text('problem = "DTLZ2"\npopulaton = 5\n')
    Path("kinds.toml").write_text('problem = "DTLZ2"\npopulation = "five"\n')
    Path("list.toml").write_text('problem = "DTLZ2"\nmetrics = "igd"\n')
    Path("table.toml").write_text('problem = "DTLZ2"\nset = 3\n')
    if " kept" in line:
        tr.optimize(tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8), generations=2, directory="kept")
    assert execute(line.split()) == 2
    assert re.search(message, capsys.readouterr().err)
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run DTLZ2 --generation 5", "did you mean '--generations'"),
        ("run DTLZ2 --history frontz", "did you mean 'fronts'"),
        ("run DTLZ2 --devices coress", "did you mean 'cores'"),
        ("run", "run needs an argument: A benchmark or robot task"),
        ("show", "show needs an argument: The run directory; see tensorrvea show --help"),
        ("reproduce numericl", "did you mean 'numerical'"),
        ("reproduce numerical --scale cpuu", "did you mean 'cpu'"),
        ("reproduce numerical --reference papr", "did you mean 'paper'"),
        ("list metric", "did you mean 'metrics'"),
        ("plot runs/a --kind attainmnt", "did you mean 'attainment'"),
    ],
)
def test_wrong_flags_exit_with_two_and_a_hint(workspace, capsys, line, message):
    assert execute(line.split()) == 2
    (printed,) = capsys.readouterr().err.splitlines()
    assert message in printed


def test_a_run_stops_when_a_metric_reaches_its_target(workspace, capsys):
    line = "run DTLZ2 --population 20 --generations 60 --stop-metric igd<=0.3 --every 1 --out runs/a"
    assert execute(line.split()) == 0
    assert "stopped by MetricReached" in capsys.readouterr().out
    assert tr.load("runs/a").history.metrics["igd"][-1] <= 0.3
    assert execute(["resume", "runs/a"]) == 0


def test_the_progress_bar_of_a_robot_task_shows_its_hypervolume(workspace, capsys):
    settings = "--set problem.backend=mujoco problem.steps=5 --population 8 --generations 2 --progress True"
    assert execute(["run", "MoHopper-m3", *settings.split()]) == 0
    out, err = capsys.readouterr()
    assert "MoHopper-m3 (mujoco)" in err
    assert re.search(r"gen/s?, living=\d+, hypervolume=", err)
    assert "hypervolume" in out
    assert execute(["run", "MoReacher", *settings.split()]) == 0  # not in the paper, so without a reference point


def test_failures_exit_with_one(workspace, capsys):
    assert execute(["show", "nowhere"]) == 1
    assert "nowhere does not exist" in capsys.readouterr().err
    tr.optimize(tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8), generations=2, directory="runs/a")
    line = "run ZDT1 --variables 6 --population 8 --generations 2 --metrics none --out runs/a"
    assert execute(shlex.split(line)) == 1
    assert "problem.variables: 5 in the directory, 6 here" in capsys.readouterr().err


def test_the_error_of_a_missing_package_says_how_to_install_it(workspace, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setitem(sys.modules, "mujoco.rollout", None)
    _make_physics.cache_clear()
    assert execute(["run", "MoHopper-m2", "--generations", "1"]) == 1
    assert 'pip install "tensorrvea[neuroevolution]"' in capsys.readouterr().err


def test_ctrl_c_exits_with_130(workspace, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tensorrvea.cli.run.keep_run", interrupted)
    assert execute(["run", "DTLZ2"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_the_chosen_physics_engine_is_printed_and_recorded(workspace, capsys):
    tiny = "run MoHopper-m2 --algorithm RandomSearch --population 4 --generations 1 --set problem.steps=3"
    assert execute([*shlex.split(tiny), "--out", "auto"]) == 0
    chosen = read_manifest(Path("auto"))[0]["spec"]["problem"]["settings"]["backend"]
    assert f"note: backend {chosen} for MoHopper-m2 on " in capsys.readouterr().err
    # Nothing is printed if the engine is given.
    assert execute([*shlex.split(tiny), f"problem.backend={chosen}", "--out", "named"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as exit_info:
        execute([command, "--help"])
    assert exit_info.value.code == 0
    assert f"\n  tensorrvea {command} " in capsys.readouterr().out


def test_the_overview_has_one_line_per_command(capsys):
    with pytest.raises(SystemExit):
        execute(["--help"])
    out = capsys.readouterr().out
    assert all(f"• {command} " in out for command in COMMANDS)
    assert "Example" not in out


def test_list_shows_everything_that_is_registered(capsys):
    assert execute(["list"]) == 0
    words = set(re.findall(r"[\w-]+", capsys.readouterr().out))
    registered = (*algorithms.ALL, *operators.VARIATIONS, *problems.NAMED.values())
    assert words >= {cls.__name__ for cls in registered} | set(TASKS)


@pytest.mark.parametrize("name", [cls.__name__ for cls in algorithms.ALL])
def test_an_algorithm_has_the_same_settings_on_the_command_line_as_in_python(name):
    settings = parse_settings({})
    assert make_algorithm(name, None, 24, settings) == getattr(tr, name)(population=24)


@pytest.mark.parametrize("problem", [tr.problems.ZDT1(), tr.problems.DTLZ2(objectives=6), tr.problems.C2DTLZ2()])
def test_the_default_is_the_same_on_the_command_line_as_in_python(problem):
    assert make_default(problem, None, None, parse_settings({})) == tr.default_algorithm(problem)
    chosen = make_default(problem, "DE", 24, parse_settings({"variation.scale": 0.4}))
    assert chosen == dataclasses.replace(tr.default_algorithm(problem), population=24, variation=tr.DE(scale=0.4))


def test_help_of_run_names_every_algorithm_and_variation(capsys):
    with pytest.raises(SystemExit):
        execute(["run", "--help"])
    words = set(re.findall(r"\w+", capsys.readouterr().out))
    assert words >= {cls.__name__ for cls in (*algorithms.ALL, *operators.VARIATIONS)}


def test_initial_individuals_are_read_from_csv_with_or_without_a_header(workspace):
    Path("a.csv").write_text("x1,x2\n0.5,1e-3\n1,0\n")
    assert read_table(Path("a.csv"), "start").tolist() == [[0.5, 1e-3], [1.0, 0.0]]
    Path("b.csv").write_text("0.5,1e-3\n")
    assert read_table(Path("b.csv"), "start").tolist() == [[0.5, 1e-3]]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_export_writes_tables_that_read_back_exactly(workspace, suffix):
    import pandas

    problem = tr.problems.ZDT1(variables=3)
    runs = tr.replicate(problem, tr.RandomSearch(population=8), generations=2, seeds=[4, 7], directory="runs")
    readers = {
        ".csv": lambda path: pandas.read_csv(path, dtype=str),  # pandas 2 does not read all floats exactly
        ".json": lambda path: pandas.DataFrame(json.loads(Path(path).read_text())),
    }
    read = readers.get(suffix, pandas.read_parquet)
    assert execute(["export", "runs", "--out", f"front{suffix}"]) == 0
    table = read(f"front{suffix}")
    assert list(table.columns) == ["run", "seed", "f1", "f2", "violation", "x1", "x2", "x3"]
    np.testing.assert_array_equal(table[["f1", "f2"]].astype(float), np.concatenate([run.F for run in runs]))
    np.testing.assert_array_equal(table["seed"].astype(int), np.repeat([4, 7], [len(run.F) for run in runs]))
    runs[0].save("one.npz")
    assert execute(["export", "one.npz", "--what", "history", "-o", f"history{suffix}"]) == 0
    nadir = read(f"history{suffix}")["nadir_f1"].astype(float)
    np.testing.assert_array_equal(nadir, runs[0].history.nadir[:, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "front.xls"], "out must end in .csv, .json, .parquet, got 'front.xls'"),
        (["--what", "archive"], "what must be front, population or history for a run without an archive"),
    ],
)
def test_export_refuses_what_it_cannot_write(workspace, capsys, options, message):
    tr.optimize(tr.problems.ZDT1(variables=3), tr.RandomSearch(population=8), generations=2).save("one.npz")
    assert execute(["export", "one.npz", *options]) == 2
    assert message in capsys.readouterr().err


def test_seeds_and_names_are_read_as_people_write_them(workspace):
    line = "run zdt-1 --algorithm nsga2 --population 8 --generations 2 --seeds 0-2 5,7 --metrics HV --stop-metric hv>9"
    assert execute(line.split()) == 0
    results = tr.load("runs/ZDT1-NSGA2-0to7")
    assert [result.seed for result in results] == [0, 1, 2, 5, 7]
    assert list(results[0].history.metrics) == ["hypervolume"]


def test_flags_win_over_the_file(workspace):
    Path("seeds.toml").write_text('problem = "ZDT1"\nseeds = ["0-3"]\nseconds = 3\n')
    run = parse(["run", "--config", "seeds.toml", "--seed", "2", "--generations", "5"])
    assert (run.all_seeds(), run.generations, run.seconds) == ([2], 5, None)
    assert parse(["run", "--config", "seeds.toml"]).all_seeds() == [0, 1, 2, 3]


def test_the_package_can_be_run_as_a_module(workspace):
    done = subprocess.run([sys.executable, "-m", "tensorrvea", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"tensorrvea {tr.__version__}\n"


def test_an_own_problem_is_asked_for_by_the_name_it_was_run_with(workspace, capsys):
    assert execute(["run", "design.py:bridge", "--population", "8", "--generations", "2", "--out", "runs/own"]) == 0
    assert execute(["resume", "runs/own", "--generations", "3"]) == 2
    assert capsys.readouterr().err.endswith("loaded from a run directory: add --problem design.py:bridge\n")
    assert execute(["resume", "runs/own", "--problem", "design.py:bridge", "--generations", "3"]) == 0


def test_a_larger_budget_and_changed_code_name_the_command(workspace, capsys):
    line = "run design.py:bridge --population 8 --out runs/own --generations "
    assert execute([*line.split(), "2"]) == 0
    assert execute([*line.split(), "4"]) == 1
    command = "tensorrvea resume runs/own --problem design.py:bridge --generations 4"
    assert capsys.readouterr().err.endswith(f"To continue it: {command}\n")
    assert execute(shlex.split(command)[1:]) == 0
    Path("design.py").write_text(Path("design.py").read_text().replace("1 / x[0]", "2 / x[0]"))
    assert execute([*line.split(), "4"]) == 1
    assert capsys.readouterr().err.endswith("runs/own --problem design.py:bridge --accept-changes\n")


def test_an_experiment_of_scale_smoke_claims_nothing(workspace, capsys, monkeypatch):
    class Findings:
        claims = ("not shown",)
        store = type("Store", (), {"directory": "results/x"})

    module = importlib.import_module("tensorrvea.experiments.reproduce")  # its package has a function of that name
    monkeypatch.setattr(module, "prepare", lambda *_, **__: Findings)
    assert execute(["reproduce", "numerical", "--scale", "smoke"]) == 0
    expected = ["scale smoke shows that the experiment runs; the paper's claims need --scale cpu or paper", "results/x"]
    assert capsys.readouterr().out.splitlines() == expected
