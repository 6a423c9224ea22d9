"""Acceleration: the time of a generation as the population grows, and as the dimension does."""

from collections.abc import Iterator
from functools import partial

import jax
import numpy as np
from matplotlib.figure import Figure

from tensorrvea.api import optimize
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Acceleration, algorithm_named
from tensorrvea.experiments.store import Store
from tensorrvea.experiments.tables import Cell, Table
from tensorrvea.plot.style import COLOURS, print_style
from tensorrvea.problems import DTLZ1

NOTE = (
    "RVEA is this library's own: compiled as TensorRVEA is, and with the same breeding. What differs is the selection, "
    "which walks the reference vectors one at a time; where breeding takes most of the time, there is little to gain."
)
SERIES = {"series 1": "population size n", "series 2": "dimension d"}
Times = dict[str, dict[str, dict[int, np.ndarray]]]


def run_acceleration(store: Store, plan: Acceleration) -> Findings:
    """Series 1 and 2 of RVEA and TensorRVEA, on every kind of device that is there."""
    times: Times = {series: {} for series in SERIES}
    for series, size, n, d in sizes(plan):
        for device in device_kinds():
            for algorithm in ("RVEA", "TensorRVEA"):
                label = f"{algorithm} ({device.platform.upper()})"
                name = f"{series}, {label}, {size}, {plan.repetitions} times"
                found = store.once(name, partial(measure, plan, algorithm, device, n, d))
                times[series].setdefault(label, {})[size] = found["seconds_a_generation"]
    findings = Findings(store, notes=[NOTE])
    write_raw(store, times)
    measured = [series for series in SERIES if any(times[series].values())]
    for series in measured:
        findings.table(series.replace(" ", "_"), speed_table(series, times[series]))
        findings.claims.append(claim(series, times[series]))
    panels = {series: draw(times[series], SERIES[series]) for series in measured}
    findings.figures("time", panels, "Time a generation on DTLZ1, m = 3.")
    return findings


def sizes(plan: Acceleration) -> Iterator[tuple[str, int, int, int]]:
    for n in plan.populations:
        yield "series 1", n, n, plan.dimension
    for d in plan.dimensions:
        yield "series 2", d, plan.population, d


def device_kinds() -> list[jax.Device]:
    """One device of each platform, the CPU first."""
    accelerators = [] if jax.default_backend() == "cpu" else [jax.devices()[0]]
    return [jax.devices("cpu")[0], *accelerators]


def measure(plan: Acceleration, algorithm: str, device: jax.Device, n: int, d: int) -> dict[str, np.ndarray]:
    """Seconds a generation of each repetition, without compilation and without the first generation."""
    problem, made = DTLZ1(objectives=3, variables=d), algorithm_named(algorithm, n)
    with jax.default_device(device):
        # Compiles, warms up, and says how long it will take.
        warm = optimize(problem, made, generations=2, seed=0)
        pace = max(float(warm.history.seconds[-1] - warm.history.seconds[-2]), 1e-6)
        generations = int(np.clip(plan.most_seconds / pace, 2, plan.generations))
        each = []
        for seed in range(plan.repetitions):
            seconds = optimize(problem, made, generations=generations, seed=seed).history.seconds
            each.append((seconds[-1] - seconds[0]) / generations)
    return {"seconds_a_generation": np.array(each), "generations": np.array(generations)}


def write_raw(store: Store, times: Times) -> None:
    rows = [
        (series, label, size, i, value)
        for series, each in times.items()
        for label, of in each.items()
        for size, values in of.items()
        for i, value in enumerate(values)
    ]
    store.write_csv("times", ("series", "algorithm", "size", "repetition", "seconds_a_generation"), rows)


def draw(times: dict[str, dict[int, np.ndarray]], axis: str) -> Figure:
    with print_style():
        figure = Figure(figsize=(4.2, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for i, (label, of) in enumerate(reversed(times.items())):  # ours has the colour that it has elsewhere
            middle = [float(np.mean(values)) for values in of.values()]
            axes.loglog(list(of), middle, marker="o", markersize=3, label=label, color=COLOURS[i % len(COLOURS)])
        axes.set(xlabel=axis, ylabel="seconds a generation")
        axes.legend()
        return figure


def speed_table(series: str, times: dict[str, dict[int, np.ndarray]]) -> Table:
    """Milliseconds a generation, and how many times faster than RVEA on the CPU."""
    labels = list(times)
    rows = []
    for size in times[labels[0]]:
        mean = {label: 1e3 * float(np.mean(times[label][size])) for label in labels}
        best = min(mean.values())
        speed = [mean["RVEA (CPU)"] / mean[label] for label in labels[1:]]
        row = [Cell(str(size)), *(Cell(f"{mean[label]:.3g}", mean[label] == best) for label in labels)]
        rows.append([*row, *(Cell(f"{s:.3g}×") for s in speed)])
    head = [SERIES[series], *(f"{label} [ms]" for label in labels), *(f"speed-up of {label}" for label in labels[1:])]
    return Table(f"Time a generation, {series}", head, rows, "Means. The speed-up is over RVEA (CPU).")


def claim(series: str, times: dict[str, dict[int, np.ndarray]]) -> Claim:
    most = {"series 1": "1528", "series 2": "1042"}[series]
    fastest = list(times)[-1]
    speed = {size: np.mean(times["RVEA (CPU)"][size]) / np.mean(times[fastest][size]) for size in times[fastest]}
    slower = [size for size, value in speed.items() if value <= 1]
    best = max(speed, key=lambda size: speed[size])
    here = (
        f"{fastest} is up to {speed[best]:.3g} times faster than RVEA (CPU), at {SERIES[series]} = {best}; "
        f"at the largest, {list(speed)[-1]}, {list(speed.values())[-1]:.3g} times"
    )
    if slower:
        here += f"; not faster at {', '.join(map(str, slower))}"
    paper = f"TensorRVEA on a GPU is up to {most} times faster a generation than RVEA on a CPU ({series})"
    return Claim(paper, here, holds=not slower)
