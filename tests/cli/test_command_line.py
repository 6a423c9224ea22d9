"""The command line, as its documentation shows it, and with everything that can be wrong."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sizes import QUICK_FLAGS

import tensorrvea as tr
from tensorrvea.cli.main import COMMANDS, execute, parse
from tensorrvea.cli.run import Run
from tensorrvea.cli.session import Session
from tensorrvea.neuroevolution.backends import _make_physics
from tensorrvea.runs import load, read_manifest

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()


def commands(page: str) -> list[list[str]]:
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("tensorrvea ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory to work in, with the files of the documentation."""
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
        Path(name).write_text(text)
    return tmp_path


def test_every_command_of_the_documentation_works(place, capsys):
    every = commands(PAGE)
    assert {words[0] for words in every} == {"run", "resume", "reproduce", "list", "show", "report", "plot"}
    # In a process of their own, which compiles in less time.
    command = [sys.executable, Path(__file__).parent / "every_command.py"]
    flags = os.environ | {"XLA_FLAGS": QUICK_FLAGS}
    done = subprocess.run(command, input=json.dumps(every), capture_output=True, text=True, check=False, env=flags)
    assert done.returncode == 0, done.stderr[-2000:]
    assert load("runs/DTLZ2-TensorRVEA-0").generations == 30
    bridge = load("runs/bridge")
    assert (bridge.seed, bridge.generations, bridge.algorithm.alpha) == (3, 10, 1.5)
    assert bridge.algorithm.variation.crossover.eta == 15
    assert bridge.problem.objective_names == ("mass", "sag")
    volume = tr.metrics.hypervolume(bridge.population.F, [2.0, 10.0])
    assert bridge.history.metrics["hypervolume"][-1] == pytest.approx(volume, rel=1e-5)
    assert "MetricReached" in load("runs/short").stopped
    assert [result.seed for result in load("runs/zdt")] == [0, 1]
    for name in ("front.html", "front.svg", "igd.pdf", "attained.png", "results/smoke.md"):
        assert Path(name).stat().st_size > 1000
    # The page says where the run comes from: what its manifest says, not this process.
    manifest = read_manifest(Path("runs/DTLZ2-TensorRVEA-0"))[0]
    assert manifest["sessions"][0]["started"] in Path("front.html").read_text()
    # Quiet in pipes: stderr is not a terminal here.
    assert execute([*every[0][:2], "--generations", "30"]) == 0
    assert "gen/s" not in capsys.readouterr().err


def test_a_file_holds_what_run_and_resume_share_and_flags_go_before_it(place):
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
        ("run DTLZ2 --set algorithm.alpah=2", "did you mean 'alpha'"),
        ("run DTLZ2 --set algoritm.alpha=2", "did you mean 'algorithm'"),
        ("run DTLZ2 --set variation.crossover.etta=2", "did you mean 'eta'"),
        ("run DTLZ2 --set algorithm.alpha.beta=2", "algorithm.alpha has no settings of its own"),
        ("run DTLZ2 --set algorithm.alpha", "set takes name=value"),
        ("run DTLZ2 --set algorithm.alpha=-1", "alpha must be a finite number"),
        ("run DTLZ2 --set problem.radius=1", "a setting of DTLZ2 must be one of"),
        ("run DTLZ2 --generations 5 --seconds 5", "give one of generations, evaluations and seconds"),
        ("run DTLZ2 --algorithm RandomSearch --variation DE", "which breeds nothing"),
        ("run DTLZ2 --stop-metric igd=0.1", "stop_metric takes a metric and a value, like 'igd<=0.06'"),
        ("run DTLZ2 --stop-metric igdd<=0.1", "metric must be one that is recorded .'igd'., got 'igdd'"),
        ("run DTLZ2 --reference 1 1", "reference must have 3 entries for this problem, got 2"),
        ("run DTLZ2 --reference 1 1 1 --metrics igd", "reference goes with the metric hypervolume, got metrics igd"),
        ("run DTLZ2 --stagnant-within 0.1", "stagnant_within goes with stop_when_stagnant"),
        ("run DTLZ2 --start nowhere.csv", "start takes a file that is there"),
        ("run design.py", "file.py:name"),
        ("run design.py:bridg", "did you mean 'bridge'"),
        ("run design.py:weigh", "must be a Problem|missing 1 required"),
        ("run nowhere.py:bridge", "a file that is there"),
        ("run design.py:bridge --objectives 3", "are in the file"),
        ("run --config nowhere.toml", "a file that is there"),
        ("run --config design.py", "takes a .toml or .json file"),
        ("run --config slip.toml", "did you mean 'population'"),
        ("run --config kinds.toml", "population in kinds.toml takes a whole number, got 'five'"),
        ("run --config list.toml", "metrics in list.toml takes a list, got 'igd'"),
        ("run --config table.toml", "set in table.toml takes a table, got 3"),
        ("run DTLZ2 --checkpoint-seconds -1", "checkpoint_seconds must be a finite number"),
        ("resume kept --generations 5 --seconds 5", "give one of generations, evaluations and seconds"),
        ("resume kept --generations -1", "generations must be at least 1"),
        ("resume kept --checkpoint-seconds -1", "checkpoint_seconds must be a finite number"),
        ("resume kept --devices 1000", "error: devices must be 1 to"),
        ("plot", "give at least one run directory"),
        ("reproduce page --scale cpu", "run one first"),
        ("reproduce page --results nowhere", "takes directories of finished experiments, got 'nowhere'"),
        ("reproduce numerical --results nowhere", "results goes with page, got numerical"),
    ],
)
def test_wrong_arguments_say_what_is_right(place, capsys, line, message):
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
        ("run DTLZ2 --generation 5", "Perhaps you meant: --generations"),
        ("run DTLZ2 --history frontz", "did you mean 'fronts'"),
        ("run DTLZ2 --devices coress", "did you mean 'cores'"),
        ("run", "required"),
        ("show", "required"),
        ("reproduce numericl", "did you mean 'numerical'"),
        ("reproduce numerical --scale cpuu", "did you mean 'cpu'"),
        ("reproduce numerical --reference papr", "did you mean 'paper'"),
        ("list metric", "did you mean 'metrics'"),
        ("plot runs/a --kind attainmnt", "did you mean 'attainment'"),
    ],
)
def test_wrong_flags_end_with_two_and_a_hint(place, capsys, line, message):
    with pytest.raises(SystemExit) as left:
        execute(line.split())
    assert left.value.code == 2
    assert message in " ".join(re.sub(r"[│╭╮╰╯─]", " ", capsys.readouterr().err).split())


def test_a_run_ends_when_a_metric_gets_there(place, capsys):
    line = "run DTLZ2 --population 20 --generations 60 --stop-metric igd<=0.3 --every 1 --out runs/a"
    assert execute(line.split()) == 0
    assert "stopped by MetricReached" in capsys.readouterr().out
    assert load("runs/a").history.metrics["igd"][-1] <= 0.3
    assert execute(["resume", "runs/a"]) == 0


def test_a_robots_run_shows_its_hypervolume_in_a_terminal(place, capsys):
    settings = "--set problem.backend=mujoco problem.steps=5 --population 8 --generations 2 --progress True"
    assert execute(["run", "MoHopper-m3", *settings.split()]) == 0
    out, err = capsys.readouterr()
    assert "MoHopper-m3 (mujoco)" in err
    assert re.search(r"gen/s?, living=\d+, hypervolume=", err)
    assert "hypervolume" in out
    assert execute(["run", "MoReacher", *settings.split()]) == 0  # the paper has no point for it


def test_failures_end_with_one(place, capsys):
    assert execute(["show", "nowhere"]) == 1
    assert "is not a run directory" in capsys.readouterr().err
    tr.optimize(tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8), generations=2, directory="runs/a")
    line = "run ZDT1 --variables 6 --population 8 --generations 2 --metrics none --out runs/a"
    assert execute(shlex.split(line)) == 1
    assert "problem.variables: 5 in the directory, 6 here" in capsys.readouterr().err


def test_a_missing_package_is_named_with_its_remedy(place, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.setitem(sys.modules, "mujoco.rollout", None)
    _make_physics.cache_clear()
    assert execute(["run", "MoHopper-m2", "--generations", "1"]) == 1
    assert 'pip install "tensorrvea[neuroevolution]"' in capsys.readouterr().err


def test_ctrl_c_ends_with_130(place, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tensorrvea.cli.run.keep_run", interrupted)
    assert execute(["run", "DTLZ2"]) == 130
    assert "goes on" in capsys.readouterr().err


def test_the_engine_that_is_chosen_for_a_robot_is_printed_and_recorded(place, capsys):
    tiny = "run MoHopper-m2 --algorithm RandomSearch --population 4 --generations 1 --set problem.steps=3"
    assert execute([*shlex.split(tiny), "--out", "auto"]) == 0
    chosen = read_manifest(Path("auto"))[0]["spec"]["problem"]["settings"]["backend"]
    assert f"note: backend {chosen} for MoHopper-m2 on " in capsys.readouterr().err
    # Who names one is told nothing.
    assert execute([*shlex.split(tiny), f"problem.backend={chosen}", "--out", "named"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_examples(capsys, command):
    with pytest.raises(SystemExit) as left:
        execute([command, "--help"])
    assert left.value.code == 0
    assert f"\n  tensorrvea {command} " in capsys.readouterr().out


def test_help_of_all_has_a_line_of_each(capsys):
    with pytest.raises(SystemExit):
        execute(["--help"])
    said = capsys.readouterr().out
    assert all(f"• {command} " in said for command in COMMANDS)
    assert "Example" not in said


def test_individuals_to_start_from_are_read_from_tables(place):
    from tensorrvea.cli.named_parts import read_table

    Path("a.csv").write_text("x1,x2\n0.5,1e-3\n1,0\n")
    assert read_table(Path("a.csv"), "start").tolist() == [[0.5, 1e-3], [1.0, 0.0]]
    Path("b.csv").write_text("0.5,1e-3\n")
    assert read_table(Path("b.csv"), "start").tolist() == [[0.5, 1e-3]]
