"""Size, opening time and response times of a report in headless Chromium.

    python benchmarks/report.py [--solutions 10000 100000] [--steps 30]

The page has 3 objectives, 12 variables and 12 replays of 1,000 frames. A response is timed from the event until a pixel
is read back from the canvas, so that drawing is finished. Playback is paused. The median and the maximum are printed.

Exits with 1 if a page of at most 10,000 solutions exceeds ``LIMITS``.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from selenium import webdriver

from tensorrvea.report import History, Part, Replay, Run, report

# Megabytes, seconds and milliseconds, for pages of up to LIMITED_SOLUTIONS.
LIMITED_SOLUTIONS = 10_000
LIMITS = {"size": 10.0, "opens": 3.0, "response": 100.0}

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1360,950",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip

# Dispatches an event with a new value per step; returns the milliseconds until a pixel can be read.
MEASURE = """
const [steps, kind, done] = arguments;
const canvas = document.getElementById(kind === "weight" ? "marks" : "points");
const target = { weight: ".weight", filter: ".objective .high", generation: "#generation" }[kind];
const times = [];
const once = () => {
  const k = times.length;
  const start = performance.now();
  if (kind === "turn") {
    const marks = document.getElementById("marks");
    marks.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true, bubbles: true }));
  } else {
    const slider = document.querySelector(target);
    slider.value = String(Math.round(Number(slider.max) * (0.3 + (0.6 * ((k * 7) % steps)) / steps)));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  requestAnimationFrame(() => {
    canvas.getContext("2d").getImageData(0, 0, 1, 1);
    times.push(performance.now() - start);
    times.length < steps ? setTimeout(once, 0) : done(times);
  });
};
once();
"""


def make_run(solutions: int) -> Run:
    rng = np.random.default_rng(0)

    def sphere(rows: int) -> np.ndarray:
        f = np.abs(rng.normal(size=(rows, 3)))
        return (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)

    generations = np.arange(101)
    parts = [Part(name=f"part {p}", radius=0.05) for p in range(7)]
    return Run(
        label="TensorRVEA, seed 0",
        algorithm="TensorRVEA",
        problem="sphere",
        objective_names=["first", "second", "third"],
        units=["m", "J", ""],
        directions=["min"] * 3,
        variable_names=[f"x{k}" for k in range(12)],
        X=rng.random((solutions, 12)),
        F=sphere(solutions),
        violation=np.zeros(solutions),
        history=History(
            generations=generations,
            seconds=0.1 * generations,
            evaluations=solutions * (generations + 1),
            living=np.full(101, solutions),
            metrics={"hypervolume": 1 - np.exp(-generations / 20.0)},
            fronts=[(int(t), (1 + 3 * np.exp(-t / 20)) * sphere(min(solutions, 10_000))) for t in generations[::2]],
        ),
        true_front=sphere(3000),
        replays=[
            Replay(
                solution=i * (solutions // 12),
                seconds=0.05,
                parts=parts,
                ends=1 + np.cumsum(rng.normal(size=(1000, 7, 4)) * 0.01, axis=0),
            )
            for i in range(12)
        ],
    )


def start_browser(profile: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        raise SystemExit("chromium and chromedriver are needed: apt-get install chromium chromium-driver")
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def measure(path: Path, steps: int) -> tuple[float, dict[str, list[float]]]:
    """Seconds until the page is drawn, and response times in milliseconds by view and control."""
    with tempfile.TemporaryDirectory() as profile:
        browser = start_browser(profile)
        try:
            browser.set_script_timeout(120)
            browser.get("about:blank")
            start = time.perf_counter()
            browser.get(path.as_uri())
            browser.execute_async_script(
                "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => {"
                "document.getElementById('points').getContext('2d').getImageData(0, 0, 1, 1); done(); }))"
            )
            opens = time.perf_counter() - start
            responses = {}
            browser.execute_script("if (report.player.playing) document.getElementById('play').click()")
            for view in ("3d", "2d", "parallel"):
                browser.execute_script(
                    "document.querySelector(`#view-tabs [data-value='${arguments[0]}']`).click()", view
                )
                for kind in ("weight", "filter", "generation", *(["turn"] if view == "3d" else [])):
                    responses[f"{view}, {kind}"] = browser.execute_async_script(MEASURE, steps, kind)
                    browser.execute_script(
                        "report.state.brushes.fill(null); const g = document.getElementById('generation');"
                        "g.value = g.max; g.dispatchEvent(new Event('input'))"
                    )
            return opens, responses
        finally:
            browser.quit()


def benchmark(solutions: int, steps: int) -> bool:
    """Print the measurements of one page; return whether it is within the limits."""
    limits = LIMITS if solutions <= LIMITED_SOLUTIONS else {}
    within = True

    def row(name: str, shown: str, value: float, kind: str) -> None:
        nonlocal within
        limit = limits.get(kind)
        is_within = limit is None or value <= limit
        within = within and is_within
        print(f"  {name:<22}{shown:>16}{'' if limit is None else f'{limit:>10g}'}{'' if is_within else '  exceeded'}")

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        path = report(make_run(solutions), Path(folder) / "report.html")
        made = time.perf_counter() - start
        csv_path = path.with_suffix(".csv")
        csv = f", with {csv_path.stat().st_size / 1e6:.0f} MB of CSV next to it" if csv_path.exists() else ""
        print(f"{solutions:,} solutions: made in {made:.1f} s{csv}")
        print(f"  {'':<22}{'measured':>16}{'limit':>10}" if limits else f"  {'':<22}{'measured':>16}")
        size = path.stat().st_size / 1e6
        row("size", f"{size:.1f} MB", size, "size")
        opens, responses = measure(path, steps)
        row("opens", f"{opens:.2f} s", opens, "opens")
        for name, times in responses.items():
            row(name, f"{statistics.median(times):.0f} … {max(times):.0f} ms", max(times), "response")
    return within


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solutions", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--steps", type=int, default=30)
    arguments = parser.parse_args()
    within = [benchmark(solutions, arguments.steps) for solutions in arguments.solutions]
    sys.exit(0 if all(within) else 1)


if __name__ == "__main__":
    main()
