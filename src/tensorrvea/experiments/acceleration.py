"""Acceleration: time per generation over the population size and over the dimension."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import jax
import numpy as np
from matplotlib.figure import Figure

from tensorrvea.api import optimize
from tensorrvea.experiments.findings import Claim, Findings
from tensorrvea.experiments.plans import Acceleration, make_algorithm
from tensorrvea.experiments.store import Store
from tensorrvea.plot.style import COLOURS, make_axes, print_style
from tensorrvea.problems import DTLZ1
from tensorrvea.study.store import Arrays
from tensorrvea.study.tables import Cell, Table

NOTE = (
    "RVEA, the baseline, is this library's implementation, compiled like TensorRVEA and with the same variation and "
    "association. It differs in its selection, which loops over the reference vectors; where variation takes most of "
    "the time, as in series 2, the gain is small. The paper's baseline also computes dense matrices of angles and "
    "random numbers: `benchmarks/paper_rvea.py` is such a one, which `python benchmarks/speed.py --series population` "
    "and `--series dimension` compare with."
)
SERIES = {"series 1": "population size n", "series 2": "dimension d"}
# The speed-ups that the paper reports.
PAPER_SPEEDUPS = {"series 1": 1528, "series 2": 1042}
BASELINE = "RVEA (CPU)"
SeriesTimes = dict[str, dict[int, np.ndarray]]


def run_acceleration(store: Store, plan: Acceleration) -> Findings:
    """Time RVEA and TensorRVEA in both series on every kind of device."""
    times: dict[str, SeriesTimes] = {series: {} for series in SERIES}
    for series, size, n, d in sizes(plan):
        for device, algorithm in product(device_kinds(), ("RVEA", "TensorRVEA")):
            label = f"{algorithm} ({device.platform.upper()})"
            name = f"{series}, {label}, {size}, {plan.repetitions} repetitions"
            measured = store.load_or_run(name, partial(measure, plan, algorithm, device, n, d))
            times[series].setdefault(label, {})[size] = measured["seconds_per_generation"]
    findings = Findings(store, notes=[NOTE])
    write_times(store, times)
    figures = {}
    for series in SERIES:
        if times[series]:
            findings.add_table(series.replace(" ", "_"), speed_table(series, times[series]))
            findings.claims.append(compare_with_paper(series, times[series]))
            figures[series] = draw(times[series], SERIES[series])
    findings.add_figures("time", figures, "Time per generation on DTLZ1, m = 3.")
    return findings


def sizes(plan: Acceleration) -> Iterator[tuple[str, int, int, int]]:
    """Yield series, varied size, n and d."""
    for n in plan.populations:
        yield "series 1", n, n, plan.dimension
    for d in plan.dimensions:
        yield "series 2", d, plan.population, d


def device_kinds() -> list[jax.Device]:
    """One device of each platform, the CPU first."""
    accelerators = [] if jax.default_backend() == "cpu" else [jax.devices()[0]]
    return [jax.devices("cpu")[0], *accelerators]


def measure(plan: Acceleration, algorithm_name: str, device: jax.Device, n: int, d: int) -> Arrays:
    """Seconds per generation of each repetition, without compilation and the first generation."""
    problem, algorithm = DTLZ1(objectives=3, variables=d), make_algorithm(algorithm_name, n)
    with jax.default_device(device):
        # Compiles, warms up, and estimates the time per generation.
        warm_up = optimize(problem, algorithm, generations=2, seed=0, effort="full")
        estimate = max(float(warm_up.history.seconds[-1] - warm_up.history.seconds[-2]), 1e-6)
        generations = int(np.clip(plan.max_seconds / estimate, 2, plan.generations))
        means = []
        for seed in range(plan.repetitions):
            result = optimize(problem, algorithm, generations=generations, seed=seed, effort="full")
            means.append((result.history.seconds[-1] - result.history.seconds[0]) / generations)
    return {"seconds_per_generation": np.array(means), "generations": np.array(generations)}


def write_times(store: Store, times: dict[str, SeriesTimes]) -> None:
    rows = [
        (series, label, size, i, value)
        for series, by_label in times.items()
        for label, by_size in by_label.items()
        for size, values in by_size.items()
        for i, value in enumerate(values)
    ]
    store.write_csv("times", ("series", "algorithm", "size", "repetition", "seconds_per_generation"), rows)


def draw(times: SeriesTimes, xlabel: str) -> Figure:
    with print_style():
        figure, axes = make_axes(None, size=(4.2, 3.2))
        for i, (label, by_size) in enumerate(reversed(times.items())):  # TensorRVEA has its usual, first colour
            means = [float(np.mean(values)) for values in by_size.values()]
            axes.loglog(list(by_size), means, marker="o", markersize=3, label=label, color=COLOURS[i % len(COLOURS)])
        axes.set(xlabel=xlabel, ylabel="seconds per generation")
        axes.legend()
        return figure


def speed_table(series: str, times: SeriesTimes) -> Table:
    """Milliseconds per generation, and the speed-up over RVEA on the CPU."""
    labels = list(times)
    rows = []
    for size in times[labels[0]]:
        means = {label: 1e3 * float(np.mean(times[label][size])) for label in labels}
        best = min(means.values())
        speedups = [means[BASELINE] / means[label] for label in labels[1:]]
        row = [Cell(str(size)), *(Cell(f"{means[label]:.3g}", means[label] == best) for label in labels)]
        rows.append([*row, *(Cell(f"{speedup:.3g}×") for speedup in speedups)])
    head = [SERIES[series], *(f"{label} [ms]" for label in labels), *(f"speed-up of {label}" for label in labels[1:])]
    return Table(f"Time per generation, {series}", head, rows, f"Means. The speed-up is relative to {BASELINE}.")


def compare_with_paper(series: str, times: SeriesTimes) -> Claim:
    """Return the paper's claim, which is about a GPU, and the speed-up here; without a GPU it is not tested."""
    fastest = list(times)[-1]
    speedup = {size: np.mean(times[BASELINE][size]) / np.mean(times[fastest][size]) for size in times[fastest]}
    slower = [size for size, value in speedup.items() if value <= 1]
    best, largest = max(speedup, key=lambda size: speedup[size]), list(speedup)[-1]
    here = (
        f"{fastest} is up to {speedup[best]:.3g} times faster than {BASELINE}, at {SERIES[series]} = {best}; "
        f"at the largest, {largest}, {speedup[largest]:.3g} times"
    )
    if slower:
        here += f"; not faster at {', '.join(map(str, slower))}"
    most = PAPER_SPEEDUPS[series]
    paper = f"TensorRVEA on a GPU is up to {most} times faster per generation than RVEA on a CPU ({series})"
    if all(label.endswith("(CPU)") for label in times):
        return Claim(paper, f"no GPU; on the CPU alone, {here}", holds=None)
    return Claim(paper, here, holds=not slower)
