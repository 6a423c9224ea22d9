"""The paper's experiments at the smallest scale, from the first run to the results page."""

import dataclasses
import json
import re
from importlib import import_module

import numpy as np
import pytest

from tensorrvea.experiments import PLANS, SCALES, acceleration, numerical, reproduce, write_page
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.robots import compare_with_paper, default_reference, reference_point
from tensorrvea.experiments.store import Store
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.runs import SpecDiffersError
from tensorrvea.study import series
from tensorrvea.study.series import Executor


@pytest.mark.slow
@pytest.mark.parametrize("experiment", ["acceleration", "numerical", "neuroevolution", "extensibility"])
def test_an_experiment_can_be_continued_and_shown_on_a_page(tmp_path, experiment):
    log: list[str] = []
    out = tmp_path / "results"
    first = reproduce(experiment, out=out, log=log.append)
    assert len(log) == len(list((out / "raw").iterdir()))
    # Only a missing and a damaged run are repeated.
    lost, damaged = sorted((out / "raw").iterdir())[:2]
    lost.unlink()
    damaged.write_bytes(damaged.read_bytes()[:-10])
    again: list[str] = []
    second = reproduce(experiment, out=out, log=again.append)
    assert sum(not line.endswith("running it again") for line in again) == 2
    assert [claim.paper for claim in first.claims] == [claim.paper for claim in second.claims]
    found = json.loads((out / "findings.json").read_text())
    for table in found["tables"]:
        assert all((out / f"{table}{kind}").stat().st_size for kind in (".md", ".csv", ".tex"))
    for figure in found["figures"]:
        assert figure["panels"]
        for file in figure["panels"].values():
            assert all((out / f"{file}{kind}").stat().st_size for kind in (".svg", ".png"))
    page = write_page([out], tmp_path / "results.md").read_text()
    assert f"tensorrvea reproduce {experiment} --scale smoke\n" in page
    assert "| the paper | here | holds here |" in page
    (tmp_path / "again").symlink_to(out)
    with pytest.raises(ValueError, match=f"takes each experiment once, got {experiment}, {experiment}"):
        write_page([out, tmp_path / "again"], tmp_path / "twice.md")
    images = re.findall(r'<img src="(.*?)"', page)
    assert images
    assert all((tmp_path / image).is_file() for image in images)


def test_every_process_warms_up_before_its_first_timed_run(monkeypatch):
    """Including a process that continues an experiment, whose first run is not that of seed 0."""
    calls = []
    monkeypatch.setattr(
        series.Search, "execute", lambda self, *_: calls.append((*self.run.seeds, self.run.budget.given))
    )
    plan = PLANS["numerical"]["smoke"]
    executor = Executor(reduce=lambda search: {seed: {} for seed in search.run.seeds})
    executor.run(numerical.make_series(plan, "DTLZ2", "RVEA", "time"), [2, 3])
    timed = {"seconds": plan.seconds}
    assert calls == [(0, {"generations": 2}), (2, timed), (3, timed)]


def test_the_plans_of_scale_paper_have_the_settings_of_the_supplement():
    paper = {name: scales["paper"] for name, scales in PLANS.items()}
    assert all([scale for scale in SCALES if scale in scales] == list(scales) for scales in PLANS.values())
    assert [name for name, scales in PLANS.items() if "large" not in scales] == ["acceleration", "numerical"]
    acceleration = paper["acceleration"]
    assert acceleration.populations == (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
    assert acceleration.dimensions == (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
    assert (acceleration.generations, acceleration.repetitions, acceleration.dimension) == (100, 10, 100)
    numerical = paper["numerical"]
    assert (numerical.seconds, numerical.repetitions, numerical.population) == (0.09, 31, 105)
    robots = paper["neuroevolution"]
    assert robots.tasks == {"MoHalfCheetah": 15000, "MoHopper-m2": 400, "MoSwimmer": 800, "MoHopper-m3": 400}
    assert (robots.repetitions, robots.population) == (10, 10000)
    operators = paper["extensibility"]
    assert set(operators.algorithms) == {"CSO", "GA", "DE", "PSO", "Random"}
    assert (operators.generations, operators.population, tuple(operators.tasks)) == (
        100, 10000, ("MoHopper-m2", "MoHopper-m3"),
    )  # fmt: skip


def test_a_directory_with_a_different_plan_is_refused_unless_only_the_repetitions_differ(tmp_path):
    plan = PLANS["numerical"]["smoke"]
    Store(tmp_path, "numerical", "smoke", plan)
    Store(tmp_path, "numerical", "smoke", dataclasses.replace(plan, repetitions=plan.repetitions + 1))
    with pytest.raises(SpecDiffersError, match="a different plan"):
        Store(tmp_path, "numerical", "cpu", PLANS["numerical"]["cpu"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"experiment": "neuroevolution", "reference": "papr"}, "did you mean 'paper'"),
        ({"experiment": "neuroevolution", "backend": "mujco"}, "did you mean 'mujoco'"),
        ({"experiment": "numerical", "scale": "large"}, "scale of numerical must be one of 'smoke', 'cpu', 'paper'"),
        # This backend cannot simulate the third of the four tasks.
        (
            {"experiment": "neuroevolution", "scale": "paper", "backend": "brax-spring"},
            "brax, mjx, mujoco for MoSwimmer",
        ),
    ],
)
def test_wrong_arguments_are_refused_before_the_first_run(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        reproduce(out=tmp_path / "results", log=pytest.fail, **arguments)
    assert not (tmp_path / "results").exists()


def test_the_reference_point_is_that_of_the_paper_or_derived_from_the_runs():
    plan = PLANS["neuroevolution"]["smoke"]
    hopper = RobotProblem("MoHopper-m2", backend="mujoco")
    assert (default_reference("brax"), default_reference(hopper.backend)) == ("paper", "derived")
    assert default_reference("brax-spring") == "derived"
    runs = {"A": {0: {"worst": np.array([5.0, -70.0])}}, "B": {0: {"worst": np.array([-3.0, 12.0])}}}
    assert reference_point(hopper, runs, plan, "paper").tolist() == [0, -865.70227051]
    # Forward reward and height are limited to at least zero; a control cost is not.
    assert reference_point(hopper, runs, plan, "derived").tolist() == [0, 0]
    cheetah = RobotProblem("MoHalfCheetah", backend="mujoco")
    assert reference_point(cheetah, runs, plan, "derived").tolist() == [0, -70]
    higher = {"A": {0: {"worst": np.array([5.0, -70.0])}}}
    assert reference_point(cheetah, higher, plan, "derived").tolist() == [5, -70]


def test_the_page_shows_the_command_with_all_options(tmp_path, monkeypatch):
    module = import_module("tensorrvea.experiments.reproduce")  # the package exports a function of the same name
    monkeypatch.setattr(module, "run_robots", lambda store, **_: Findings(store))
    findings = reproduce("extensibility", out=tmp_path, backend="mujoco", reference="paper")
    page = write_page([findings.store.directory], tmp_path / "page.md").read_text()
    assert "tensorrvea reproduce extensibility --scale smoke --backend mujoco --reference paper\n" in page


def test_a_claim_about_a_gpu_is_not_tested_without_one(tmp_path, monkeypatch):
    seconds = {"RVEA (CPU)": 8.0, "TensorRVEA (CPU)": 2.0, "RVEA (GPU)": 1.0, "TensorRVEA (GPU)": 0.5}
    times = {label: {64: np.array([value])} for label, value in seconds.items()}
    claim = acceleration.compare_with_paper("series 1", times)
    assert claim.holds
    assert claim.here.startswith("TensorRVEA (GPU) is up to 16 times faster than RVEA (CPU)")
    without = {label: value for label, value in times.items() if "CPU" in label}
    claim = acceleration.compare_with_paper("series 1", without)
    assert (claim.holds, claim.verdict) == (None, "not tested")
    assert claim.here.startswith("no GPU; on the CPU alone, TensorRVEA (CPU) is up to 4 times faster")
    slower = {**times, "TensorRVEA (GPU)": {64: np.array([9.0])}}
    assert acceleration.compare_with_paper("series 1", slower).verdict == "no"
    # As the page shows it.
    module = import_module("tensorrvea.experiments.reproduce")
    claims = [claim, Claim("another", "here", True)]
    monkeypatch.setattr(module, "run_robots", lambda store, **_: Findings(store, claims=claims))
    directory = reproduce("extensibility", out=tmp_path).store.directory
    page = write_page([directory], tmp_path / "page.md").read_text()
    assert f"| {claim.here} | not tested |" in page
    assert "| another | here | yes |" in page


@pytest.mark.parametrize(
    ("experiment", "means", "holds"),
    [
        ("neuroevolution", {"TensorRVEA": 3.0, "NSGA-II": 1.0, "Random search": 2.0}, True),
        ("neuroevolution", {"TensorRVEA": 2.0, "NSGA-II": 3.0, "Random search": 1.0}, False),
        ("extensibility", {"CSO": 5.0, "GA": 4.0, "DE": 1.0, "PSO": 2.0, "Random": 3.0}, True),
        ("extensibility", {"CSO": 5.0, "GA": 1.0, "DE": 4.0, "PSO": 2.0, "Random": 3.0}, False),
    ],
)
def test_a_claim_holds_only_if_the_order_is_that_of_the_paper(experiment, means, holds):
    values = {"MoHopper-m2": {name: [mean - 0.5, mean + 0.5] for name, mean in means.items()}}
    claim = compare_with_paper(experiment, "HV", values)
    assert claim.holds == holds
    best = max(means, key=means.get)
    assert f"MoHopper-m2: {best} {means[best]:.4g} >" in claim.here
    assert claim.here.startswith("on this task only, means of HV: ")
    tasks = values | {f"other {k}": values["MoHopper-m2"] for k in range(3)}
    assert compare_with_paper(experiment, "HV", tasks).here.startswith("means of HV: ")
