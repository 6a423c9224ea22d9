"""The page in a real browser, opened from a file, offline.

Each test ends by asserting that the page made no requests and logged no errors (see ``browser``).
"""

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from example_runs import make_run, sphere, walking

from tensorrvea.decision import best_by_weights, knee
from tensorrvea.report import History, report

pytestmark = pytest.mark.browser


def marked(browser, key):
    row = browser.run("return {...document.querySelector(`tr[data-mark=${arguments[0]}]`).dataset}", key)
    return int(row["run"]), int(row["solution"])


def pinned(browser):
    return browser.run(
        "return [...document.querySelectorAll('#pinned thead th')].map(e => [+e.dataset.run, +e.dataset.solution])"
    )


def in_play(browser):
    return set(browser.run("return report.derived.playing"))


def test_opens_from_a_file_and_draws_points(show):
    browser = show(make_run(replays=[3, 9]), title="A sphere")
    assert browser.text("#title") == "A sphere"
    assert browser.driver.title == "A sphere"
    assert browser.text("#subtitle") == "50 solutions · 3 objectives · 4 variables · 2 episodes"
    drawn = browser.run(
        "const c = document.getElementById('points');"
        "return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)"
    )
    assert drawn
    assert browser.run("return window.isSecureContext !== undefined && location.protocol") == "file:"


def test_requests_are_detected_and_fail(browser, tmp_path):
    """Validates the check of the other tests with a page that makes a request."""
    page = tmp_path / "requests.html"
    page.write_text("<!doctype html><title>requests</title><img src='http://example.org/picture.png'>")
    browser.open(page)
    assert browser.requests()[-1] == "http://example.org/picture.png"
    assert any("ERR_INTERNET_DISCONNECTED" in line or "ERR_NAME" in line for line in browser.errors())


@pytest.mark.parametrize(("m", "view"), [(2, "2d"), (3, "3d"), (4, "parallel"), (10, "parallel")])
def test_initial_view_depends_on_the_number_of_objectives(show, m, view):
    browser = show(make_run(m=m))
    assert browser.run("return report.state.view") == view
    for other in browser.run("return [...document.querySelectorAll('#view-tabs button')].map(b => b.dataset.value)"):
        browser.press(f"#view-tabs button[data-value='{other}']")
        assert browser.run("return report.state.view") == other


@pytest.mark.parametrize("method", ["sum", "tchebycheff"])
@pytest.mark.parametrize("directions", [["min"] * 3, ["min", "max", "max"]])
def test_weight_sliders_mark_the_same_solution_as_python(show, method, directions):
    run = make_run(n=200, directions=directions)
    browser = show(run)
    seen = set()
    for weights in ([50, 50, 50], [100, 10, 10], [0, 80, 20], [7, 0, 93], [33, 61, 2]):
        for j, weight in enumerate(weights):
            browser.slide(f".objective[data-objective='{j}'] .weight", weight)
        expected = best_by_weights(run.F, weights, directions, method)
        assert marked(browser, method) == (0, expected)
        seen.add(expected)
    assert len(seen) > 2
    assert marked(browser, "knee") == (0, knee(run.F, directions))


def test_marks_agree_with_python_in_double_precision_and_ties(show):
    F = np.array([[0.1, 0.7], [0.7, 0.1], [0.1, 0.7], [0.4, 0.4], [0.4, 0.4]]) / 3
    run = make_run(m=2, n=5, F=F, units=["", ""], history=None)
    browser = show(run)
    for weights in ([50, 50], [10, 90], [90, 10], [100, 0], [0, 100]):
        for j, weight in enumerate(weights):
            browser.slide(f".objective[data-objective='{j}'] .weight", weight)
        for method in ("sum", "tchebycheff"):
            assert marked(browser, method) == (0, best_by_weights(F, weights, "min", method))


def test_filter_sliders_restrict_the_solutions_in_play_and_the_marks(show):
    run = make_run(n=200)
    browser = show(run)
    browser.slide(".objective[data-objective='1'] .high", 400)
    low, high = run.F[:, 1].min(), run.F[:, 1].max()
    inside = np.flatnonzero(run.F[:, 1] <= low + 0.4 * (float(high) - float(low)))
    assert in_play(browser) == set(inside.tolist())
    assert browser.text("#in-play") == f"{len(inside)} of 200 solutions in play"
    assert marked(browser, "sum") == (0, int(inside[best_by_weights(run.F[inside], [1, 1, 1])]))
    browser.press("#clear-filters")
    assert len(in_play(browser)) == 200
    assert browser.run("return document.querySelector('.objective[data-objective=\"1\"] .high').value") == "1000"


def test_brushing_a_parallel_axis_filters_all_views(show):
    run = make_run(m=4, n=120, directions=["min", "max", "min", "min"])
    browser = show(run)
    left, top, width, height = browser.at(".axis-strip[data-objective='1']")
    middle = left + width / 2
    browser.drag((middle, top + 0.3 * height), (middle, top + 0.7 * height))
    low, high = browser.run("return report.state.brushes[1]")
    inside = (run.F[:, 1] >= low) & (run.F[:, 1] <= high)
    assert 0 < inside.sum() < 120
    assert in_play(browser) == set(np.flatnonzero(inside).tolist())
    assert browser.run(
        "return document.querySelector('.objective[data-objective=\"1\"]').classList.contains('filtered')"
    )
    browser.press("#view-tabs button[data-value='2d']")
    assert in_play(browser) == set(np.flatnonzero(inside).tolist())
    browser.press("#view-tabs button[data-value='parallel']")
    browser.click(middle, top + 0.5 * height)  # a click on the axis clears it
    assert len(in_play(browser)) == 120


def test_dragging_a_rectangle_in_2d_filters_both_axes(show):
    run = make_run(m=2, n=120, units=["", ""])
    browser = show(run)
    left, top, width, height = browser.at("#marks")
    browser.drag((left + 0.3 * width, top + 0.2 * height), (left + 0.9 * width, top + 0.7 * height))
    (x0, x1), (y0, y1) = browser.run("return report.state.brushes")
    inside = (run.F[:, 0] >= x0) & (run.F[:, 0] <= x1) & (run.F[:, 1] >= y0) & (run.F[:, 1] <= y1)
    assert 0 < inside.sum() < 120
    assert in_play(browser) == set(np.flatnonzero(inside).tolist())


def test_dragging_rotates_the_3d_view(show):
    browser = show(make_run())
    before = browser.run("return [report.state.azimuth, report.screenPlace(0)]")
    left, top, width, height = browser.at("#marks")
    browser.drag((left + 0.5 * width, top + 0.5 * height), (left + 0.7 * width, top + 0.5 * height))
    after = browser.run("return [report.state.azimuth, report.screenPlace(0)]")
    assert after[0] != before[0]
    assert after[1] != before[1]
    assert len(in_play(browser)) == 50


def test_click_pins_and_second_click_unpins(show):
    run = make_run(m=2, n=12, units=["kg", ""])
    browser = show(run)
    browser.click(*browser.point(5))
    assert pinned(browser) == [[0, 5]]
    table = browser.text("#pinned")
    assert f"{run.F[5, 0]:.5g}"[:5] in table
    assert "x1" in table
    browser.click(*browser.point(5))
    assert pinned(browser) == []


def test_click_pins_and_plays_the_replay(show):
    browser = show(make_run(m=2, n=12, replays=[walking(i, frames=1000) for i in (2, 7)], units=["", ""]))
    browser.click(*browser.point(7))
    assert pinned(browser) == [[0, 7]]
    assert browser.run("return report.player.shown") == [7]
    frames = browser.driver.execute_async_script(
        "const done = arguments[0], seen = []; const look = () => { const c = document.querySelector('#stages canvas');"
        "seen.push([+c.dataset.frame, c.toDataURL()]); seen.length < 40 ? requestAnimationFrame(look) : done(seen); };"
        "requestAnimationFrame(look);"
    )
    assert frames[-1][0] > frames[0][0]  # the clock advances
    assert len({picture for _, picture in frames}) > 5  # and the robot moves
    browser.press("#play")
    stopped = browser.run("return report.player.time")
    browser.settle()
    assert browser.run("return report.player.time") == stopped
    browser.slide("#scrub", 200)
    assert browser.run("return document.querySelector('#stages canvas').dataset.frame") == "40"  # 2 s of 0.05 s each


def test_up_to_three_replays_play_in_sync(show):
    browser = show(make_run(m=2, n=12, replays=[0, 2, 4, 7], units=["", ""]))
    for index in (2, 7, 4):
        browser.click(*browser.point(index))
    assert browser.run("return report.player.shown") == [2, 7, 4]
    browser.slide("#scrub", 100)
    assert (
        browser.run("return [...document.querySelectorAll('#stages canvas')].map(c => c.dataset.frame)") == ["20"] * 3
    )
    browser.click(*browser.point(0))  # a fourth replaces the oldest
    assert browser.run("return report.player.shown") == [7, 4, 0]


def test_solution_without_episode_offers_the_nearest_episode(show):
    F = np.stack([np.linspace(0, 1, 11), np.linspace(1, 0, 11)], axis=1)
    browser = show(make_run(m=2, n=11, F=F, replays=[0, 9], units=["", ""], history=None))
    browser.click(*browser.point(7))
    assert "No episode stored for solution 7" in browser.text("#behaviour-note")
    browser.run("[...document.querySelectorAll('#pinned button')].find(b => b.textContent === 'Play nearest').click()")
    assert browser.run("return report.player.shown") == [9]


def test_csv_has_the_exact_numbers(show):
    run = make_run(n=30, violation=np.linspace(0, 1, 30))
    browser = show(run)
    browser.press("#download-all")
    rows = list(csv.reader(io.StringIO(browser.downloaded("page.csv"))))
    assert rows[0] == ["run", "solution", "goal 1", "goal 2", "goal 3", "violation", "x1", "x2", "x3", "x4"]
    assert [row[0] for row in rows[1:]] == ["TensorRVEA"] * 30
    assert [int(row[1]) for row in rows[1:]] == list(range(30))
    numbers = np.array([[float(cell) for cell in row[2:]] for row in rows[1:]])
    assert (numbers[:, :3].astype(np.float32) == run.F).all()
    assert (numbers[:, 3] == run.violation).all()
    assert (numbers[:, 4:] == run.X).all()


def test_filtered_csv_says_so_in_its_name(show):
    run = make_run(n=30)
    browser = show(run)
    assert browser.text("#download-all") == "Download CSV"
    browser.slide(".objective[data-objective='0'] .high", 500)
    assert browser.text("#download-all") == "Download filtered CSV"
    browser.press("#download-all")
    rows = list(csv.reader(io.StringIO(browser.downloaded("page-filtered.csv"))))
    assert {int(row[1]) for row in rows[1:]} == in_play(browser)
    assert [float(cell) for cell in rows[1][6:]] == run.X[int(rows[1][1])].tolist()


def test_hovering_shows_the_values_of_the_solution(show):
    run = make_run(m=2, n=12, directions=["min", "max"], violation=np.linspace(0, 1.1, 12))
    browser = show(run)
    assert browser.run("return document.getElementById('tooltip').hidden")
    for index in (5, 8):
        browser.mouse("mouseMoved", *browser.point(index))
        browser.settle()
        assert browser.text("#tooltip .tooltip-head").strip() == f"solution {index}"
        assert browser.run("return [...document.querySelectorAll('#tooltip dt')].map(e => e.textContent)") == [
            "goal 1", "goal 2", "violation",
        ]  # fmt: skip
        shown = browser.run("return [...document.querySelectorAll('#tooltip dd')].map(e => e.textContent)")
        assert shown[0].endswith(" kg")
        numbers = [float(text.removesuffix(" kg").replace("−", "-")) for text in shown]
        assert numbers == pytest.approx([*run.F[index], run.violation[index]], rel=1e-3)
    browser.mouse("mouseMoved", 2, 2)
    browser.settle()
    assert browser.run("return document.getElementById('tooltip').hidden")


def click_on(browser, selector):
    """Click with the mouse, since browsers allow copying only after a user gesture."""
    left, top, width, height = browser.at(selector)
    browser.click(left + width / 2, top + height / 2)


def test_copy_buttons_copy_the_exact_numbers(show):
    run = make_run(m=2, n=12, directions=["min", "max"], units=["", ""])
    browser = show(run)
    browser.click(*browser.point(3))

    def copied(name):
        button = f"#pinned .copy button[aria-label='Copy A as {name}']"
        for _ in range(2):  # the second while the label is still "Copied"
            click_on(browser, button)
        assert browser.text(button) == "Copied"
        assert browser.run("return document.querySelector(arguments[0]).dataset.label", button) == name
        return browser.clipboard()

    record = json.loads(copied("JSON"))
    assert record["solution"] == 3
    assert record["x"] == run.X[3].tolist()
    assert [np.float32(value) for value in record["objectives"].values()] == run.F[3].tolist()
    assert list(record["objectives"]) == ["goal 1", "goal 2"]
    namespace = {}
    exec(copied("Python"), {}, namespace)
    assert namespace["solution"] == record


def test_command_is_copied_verbatim(show):
    command = "tensorrvea run DTLZ2 --set 'problem.note=a b'\nand more"
    browser = show(make_run(provenance={"command": command}))
    click_on(browser, "#provenance button[aria-label='Copy the command that repeats this run']")
    assert browser.clipboard() == command


def test_pinned_solutions_export_as_csv_json_and_python(show):
    run = make_run(m=2, n=12, units=["", ""], objective_names=['a "quoted"\nname', "b"])
    browser = show(run)
    for index in (3, 8):
        browser.click(*browser.point(index))
    browser.press("#download-pinned")
    rows = list(csv.reader(io.StringIO(browser.downloaded("page-pinned.csv"), newline="")))
    assert rows[0][2] == 'a "quoted"\nname'
    assert [row[1] for row in rows[1:]] == ["3", "8"]
    record = json.loads(browser.run("return report.jsonOf(3)"))
    assert record["x"] == run.X[3].tolist()
    assert np.float32(record["objectives"]['a "quoted"\nname']) == run.F[3, 0]
    namespace = {}
    exec(browser.run("return report.pythonOf(3)"), {}, namespace)
    assert namespace["solution"] == record


def test_runs_can_be_hidden_and_shown(show):
    runs = [make_run(f"{name}, seed {s}", seed=s) for name in ("A", "B") for s in (1, 2)]
    browser = show(*runs)
    assert browser.run("return report.data.groups") == ["A", "B"]
    browser.press(".legend-runs > label input")  # all of A
    assert browser.run("return report.state.runOn") == [False, False, True, True]
    assert in_play(browser) == set(range(100, 200))
    assert marked(browser, "sum")[0] in (2, 3)
    browser.press(".legend-runs input[data-run='1']")
    assert browser.run("return report.state.runOn") == [False, True, True, True]


def test_generation_slider_changes_the_front(show):
    browser = show(make_run())
    assert browser.run("return document.getElementById('generation').max") == "11"
    pictures = []
    for step in (0, 5, 11):
        browser.slide("#generation", step)
        pictures.append(browser.run("return document.getElementById('points').toDataURL()"))
    assert len(set(pictures)) == 3
    assert browser.text("#generation-label") == "final"
    browser.slide("#generation", 2)
    assert browser.text("#generation-label") == "generation 2"


def test_generations_play_to_the_end_and_can_be_paused(show):
    fronts = [(t, (4.0 - t) * np.eye(3)) for t in range(3)]
    browser = show(make_run(history=History(generations=np.arange(3), fronts=fronts)))
    browser.press("#generation-play")
    assert browser.text("#generation-label") == "generation 0"
    assert browser.run("return document.getElementById('generation-play').ariaLabel") == "Pause the generations"
    seen = browser.driver.execute_async_script(
        "const done = arguments[0], seen = []; const slider = document.getElementById('generation');"
        "const look = () => { if (seen.at(-1) !== slider.value) seen.push(slider.value);"
        "slider.value === slider.max ? done(seen) : requestAnimationFrame(look); }; look();"
    )
    assert seen == ["0", "1", "2", "3"]
    browser.settle()
    assert browser.text("#generation-label") == "final"
    assert browser.run("return document.getElementById('generation-play').ariaLabel") == "Play the generations"
    browser.press("#generation-play")
    browser.slide("#generation", 1)  # moving the slider pauses
    assert browser.run("return document.getElementById('generation-play').ariaLabel") == "Play the generations"
    assert browser.text("#generation-label") == "generation 1"


def picture(browser):
    return browser.run("return document.getElementById('points').toDataURL()")


def test_true_front_can_be_hidden_and_shown(show):
    browser = show(make_run(true_front=sphere(np.random.default_rng(3), 400, 3)))
    for view in ("3d", "2d", "parallel"):
        browser.press(f"#view-tabs button[data-value='{view}']")
        before = picture(browser)
        browser.press("#truth")
        without = picture(browser)
        browser.press("#truth")
        assert without != before
        assert picture(browser) == before


def test_theme_cycles_through_auto_light_and_dark(show):
    browser = show(make_run(replays=[1]))
    looks = {}
    for _ in range(3):
        label = browser.text("#theme")
        card = "return getComputedStyle(document.querySelector('.card')).backgroundColor"
        looks[label] = (browser.run(card), picture(browser))
        browser.press("#theme")
    assert list(looks) == ["Theme: auto", "Theme: light", "Theme: dark"]
    assert looks["Theme: auto"] == looks["Theme: light"]  # the system is light
    assert looks["Theme: light"][0] != looks["Theme: dark"][0]
    assert looks["Theme: light"][1] != looks["Theme: dark"][1]  # the canvas is redrawn


def test_playback_speed_and_scrubbing(show):
    browser = show(make_run(m=2, n=12, replays=[2], units=["", ""]))
    for speed in ("0.25", "4"):
        browser.run(
            "const s = document.getElementById('speed'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('change', {bubbles: true}));",
            speed,
        )
        # One tick of 100 ms, with a fake clock.
        assert browser.run(
            "const { player } = report; player.playing = true; [player.time, player.last] = [0, 1000];"
            "advance(1100); player.playing = false; return player.time;"
        ) == pytest.approx(0.1 * float(speed))
    for seconds in (3, 0.5):
        browser.slide("#scrub", round(100 * seconds))
        assert browser.text("#clock") == f"{seconds:.2f} s"
        assert browser.run("return document.querySelector('#stages canvas').dataset.frame") == str(
            round(seconds / 0.05)
        )
    assert browser.run("return document.getElementById('play').ariaLabel") == "Play"


def test_progress_charts_have_a_band_per_algorithm(show):
    browser = show(*[make_run(f"{name}, seed {s}", seed=s) for name in ("A", "B") for s in (1, 2, 3)])
    charts = "return [...document.querySelectorAll('.chart figcaption .name')].map(name => name.textContent)"
    assert browser.run(charts) == ["hypervolume", "expected utility", "survivors", "evaluations per second"]
    assert browser.run("return document.querySelectorAll('.chart')[0].querySelectorAll('.band').length") == 2
    # Three runs that differ by 0.01: the mean is that of seed 2, the half width 4.302653 · 0.01 / √3.
    reading = browser.run("return document.querySelector('.reading-item').textContent")
    assert reading == "A 0.9291 ± 0.025"
    assert browser.text(".chart .where") == "generation 10"
    browser.press("#progress-tabs button[data-value='seconds']")
    assert browser.text(".chart .where") == "1 s"


def test_wide_band_of_few_runs_does_not_flatten_the_line(show):
    """Two runs that differ by 1 have a band of ± 6.4, and a line from 0.5 to 1.5."""
    values = np.linspace(0, 1, 11)
    browser = show(*[
        make_run(f"A, seed {s}", history=History(generations=np.arange(11), metrics={"hv": values + s})) for s in (0, 1)
    ])  # fmt: skip
    heights = (
        "return document.querySelector(arguments[0]).getAttribute('points').split(/[ ,]+/)"
        ".map(Number).filter((_, k) => k % 2)"
    )
    line, band = (browser.run(heights, f".chart {kind}") for kind in (".curve", ".band"))
    _, _, _, tall = browser.run("return document.querySelector('.chart svg').getAttribute('viewBox').split(' ')")
    assert max(line) - min(line) > int(tall) / 5
    assert 0 < min(band) < min(line)
    assert max(line) < max(band) < int(tall)


def test_infeasible_solutions_are_not_recommended(show):
    F = np.array([[0.0, 0.0], [0.0, 1.0], [0.6, 0.2], [1.0, 0.0]])
    run = make_run(m=2, n=4, F=F, violation=np.array([2.0, 0, 0, 0]), units=["", ""], history=None)
    browser = show(run)
    assert marked(browser, "sum") == (0, 1 + best_by_weights(F[1:], [1, 1]))
    assert marked(browser, "knee") == (0, 2)


def test_arrow_keys_select_solutions_and_enter_pins(show):
    run = make_run(m=2, n=12, units=["", ""])
    browser = show(run)
    browser.run("document.getElementById('marks').focus()")
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        browser.key(key)
    second = int(np.argsort(run.F[:, 0])[1])
    assert pinned(browser) == [[0, second]]
    assert f"Pinned as A: Solution {second}" in browser.text("#announce")


def focused(browser):
    """Id or class of the focused element, and the width of its outline."""
    return browser.run(
        "const e = document.activeElement, s = getComputedStyle(e);"
        "return [e.id || e.dataset.value || e.className, s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth)];"
    )


def test_every_control_works_by_keyboard(show):
    # Episodes longer than the test.
    run = make_run(replays=[walking(i, frames=1000) for i in (1, 5)], true_front=np.eye(3))
    browser = show(run)
    browser.key("Tab")
    assert focused(browser)[0] == "skip"
    assert browser.run("return document.activeElement.getBoundingClientRect().left") > 0
    stops = []
    while not stops or stops[-1][0] != "equal-weights":
        browser.key("Tab")
        stops.append(focused(browser))
        assert len(stops) < 40
    wanted = [
        "download-all", "theme", "3d", "2d", "parallel", "marks", "generation-play", "generation", "truth",
        "play", "scrub", "speed", "equal-weights",
    ]  # fmt: skip
    assert [name for name, _ in stops if name in wanted] == wanted
    assert [name for name, width in stops if width < 2] == []  # the focus is always visible

    def at(selector, *keys):
        browser.run("document.querySelector(arguments[0]).focus()", selector)
        for key in keys:
            browser.key(key)

    at("#theme", "Enter")
    assert browser.text("#theme") == "Theme: light"
    at("#view-tabs [data-value='2d']", "Space")
    assert browser.run("return report.state.view") == "2d"
    at("#truth", "Space")
    assert browser.run("return report.state.truthOn") is False
    at("#generation", "ArrowLeft")
    assert browser.text("#generation-label") == "generation 10"
    at("#generation", "ArrowRight")
    assert browser.text("#generation-label") == "final"
    at(".objective[data-objective='0'] .weight", "ArrowRight")
    assert browser.run("return report.state.weights") == [51, 50, 50]
    at(".objective[data-objective='1'] .low", *["ArrowRight"] * 3)
    assert 0 < len(in_play(browser)) < 50
    at("#marks", "Escape")
    assert len(in_play(browser)) == 50
    at("tr[data-mark='knee'] button", "Enter")
    assert pinned(browser) == [[0, knee(run.F)]]
    at("#play", "Space")
    assert browser.run("return report.player.playing") is False
    at("#scrub", "ArrowRight", "ArrowRight")
    assert browser.run("return report.player.time") > 0
    at("#speed", "ArrowDown")
    assert browser.run("return report.player.speed") == 2


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "'; window.hacked = 1; //",
    "<!-- <script>",
    "\u202ertl \u200fmarks \u2067here",
    "🦾 robots 👩‍👩‍👧‍👦",
    "line\u2028paragraph\u2029end",
    "a" * 10_000,
    "nul\x00 & &amp; <b>bold</b>",
    "${window.hacked = 1}",
    "__proto__",
    "=1+1",
]


def test_hostile_names_are_text(show):
    m = len(HOSTILE)
    browser = show(
        make_run(
            m=m, label=HOSTILE[0], algorithm=HOSTILE[1], problem=HOSTILE[2], objective_names=HOSTILE,
            units=HOSTILE, variable_names=HOSTILE[:4], replays=[1],
            provenance={name: name for name in HOSTILE} | {"nested": {"list": HOSTILE}, "command": HOSTILE[1]},
        ),
        make_run(
            m=m, label=HOSTILE[3], algorithm=HOSTILE[4], objective_names=HOSTILE, units=HOSTILE,
            variable_names=HOSTILE[:4], history=None, seed=1,
        ),
        title=HOSTILE[1],
    )  # fmt: skip
    for view in ("3d", "2d", "parallel"):
        browser.press(f"#view-tabs button[data-value='{view}']")
    browser.press("tr[data-mark='sum'] button")
    assert browser.run("return window.hacked === undefined")
    assert browser.run("return document.querySelectorAll('script').length") == 2
    assert browser.run("return document.querySelectorAll('img, b, iframe, object').length") == 0
    assert browser.text("#title") == HOSTILE[1]
    assert browser.driver.title == HOSTILE[1]
    names = browser.run("return [...document.querySelectorAll('.objective-name bdi.name')].map(e => e.textContent)")
    assert names[0] == HOSTILE[0]
    assert names[5] == "⟨U+202E⟩rtl \u200fmarks ⟨U+2067⟩here"  # direction overrides are spelled out
    assert names[6] == HOSTILE[6]
    assert names[8].startswith("aaa")
    assert len(names[8]) <= 200
    # Long names do not make the page wider than the window.
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    record = json.loads(browser.run("return report.jsonOf(0)"))
    assert list(record["objectives"]) == HOSTILE
    namespace = {}
    exec(browser.run("return report.pythonOf(0)"), {}, namespace)
    assert namespace["solution"] == record
    browser.press("#download-all")
    header = next(csv.reader(io.StringIO(browser.downloaded("page.csv"), newline="")))
    assert header[2 : 2 + m - 1] == HOSTILE[:-1]
    assert header[2 + m - 1] == "'=1+1"


def test_content_security_policy_allows_only_the_script_and_style_of_the_page(show, tmp_path):
    browser = show(make_run())
    html = (tmp_path / "page.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html).group(1)
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    blocked = browser.driver.execute_async_script(
        "const done = arguments[0], seen = []; document.addEventListener('securitypolicyviolation',"
        " e => seen.push(e.effectiveDirective)); const s = document.createElement('style'); s.textContent = 'a{}';"
        "document.head.append(s); const i = new Image(); i.src = 'data:,'; fetch('data:,').catch(() => 0);"
        "try { document.body.innerHTML = 'x'; seen.push('innerHTML went through'); } catch {}"
        "setTimeout(() => done(seen), 300);"
    )
    assert set(blocked) == {"style-src-elem", "img-src", "connect-src", "require-trusted-types-for"}
    browser.errors()  # the violations were intended


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1360, 390])
def test_page_fits_the_window_in_both_themes(show, theme, width):
    browser = show(make_run(m=3, replays=[1, 5]))
    browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.command(
        "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=2, mobile=width < 500
    )
    browser.settle()
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    ratio = contrast(browser)
    assert min(ratio) > 4.5, ratio


def contrast(browser):
    """WCAG 2 contrast of normal text, muted text and accent on a card."""
    colours = browser.run(
        "const p = document.body.appendChild(document.createElement('span')); const read = n => {"
        "p.style.color = `var(--${n})`; return getComputedStyle(p).color.match(/\\d+/g).map(Number); };"
        "return ['card', 'ink', 'muted', 'accent'].map(read);"
    )

    def luminance(rgb):
        channels = np.array(rgb[:3]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    card, *others = map(luminance, colours)
    return [(max(card, other) + 0.05) / (min(card, other) + 0.05) for other in others]


def test_every_control_has_an_accessible_name(show):
    browser = show(make_run(replays=[1, 5]))
    tree = browser.command("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "slider", "checkbox", "combobox", "application", "img", "region"}
    nameless = [
        node for node in tree
        if not node.get("ignored") and node["role"]["value"] in roles and not node.get("name", {}).get("value")
    ]  # fmt: skip
    assert nameless == []


def test_decision_vectors_in_a_csv_next_to_the_page(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("tensorrvea.report.page.MAX_X_BYTES", 1000)
    monkeypatch.setattr("tensorrvea.report.page.MAX_F_BYTES", 1000)  # so the page holds a sample of the solutions
    other, run = make_run("A", n=30, m=2, units=["", ""]), make_run("B", n=100, m=2, units=["", ""], seed=1)
    path = report([other, run], tmp_path / "large.html")
    browser.open(path)
    assert "large.csv" in browser.text("#notices")
    assert browser.run("return report.data.total") < 130
    assert browser.run("return report.data.runs[0].X") is None
    browser.press(".legend-runs input")  # hide A
    browser.press("tr[data-mark='sum'] button")
    # The page, the CSV and ``result.X`` number solutions alike, from 0 in each run.
    solution = int(re.search(r"large\.csv, solution (\d+)", browser.text("#pinned")).group(1))
    assert pinned(browser) == [[1, solution]]
    assert browser.run("return document.querySelectorAll('#pinned tbody tr')[1].cells[1].textContent") == str(solution)
    assert json.loads(browser.run("return report.jsonOf(report.state.pins[0].index)"))["solution"] == solution
    rows = list(csv.reader(io.StringIO((tmp_path / "large.csv").read_text(), newline="")))
    (row,) = [row for row in rows if row[:2] == ["B", str(solution)]]
    assert [np.float32(cell) for cell in row[2:4]] == run.F[solution].tolist()
    assert [float(cell) for cell in row[5:]] == run.X[solution].tolist()
    # A CSV downloaded from the page is incomplete, and says so in its name.
    about = browser.run("return document.getElementById('download-all').title")
    assert about.endswith(
        "in play with objectives and violation, without variables; everything is in large.csv, next to this page"
    )
    browser.press("#download-all")
    given = list(csv.reader(io.StringIO(browser.downloaded("large-in-page-filtered.csv"), newline="")))
    assert given[0] == ["run", "solution", "goal 1", "goal 2", "violation"]
    assert {row[0] for row in given[1:]} == {"B"}
    assert len(given) - 1 == len(in_play(browser)) < 100
    browser.press(".legend-runs input")
    browser.press("#download-all")
    assert browser.downloaded("large-in-page.csv").count("\r\n") - 1 == browser.run("return report.data.total")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A page of 100,000 solutions with 12 variables, and its run."""
    run = make_run(n=100_000, m=3, d=12)
    return report(run, tmp_path_factory.mktemp("many") / "many.html"), run


def test_hundred_thousand_solutions_are_sampled_with_a_complete_csv(browser, many):
    path, run = many
    assert path.stat().st_size < 10e6
    browser.open(path)
    assert "they are in many.csv, next to this page" in browser.text("#notices")
    assert browser.text("#in-play") == "100,000 solutions; 20,000 of them drawn, all of them considered"
    assert marked(browser, "sum") == (0, best_by_weights(run.F, [1, 1, 1]))
    browser.slide(".objective[data-objective='0'] .high", 500)
    assert len(in_play(browser)) == (run.F[:, 0] <= sum(map(float, (run.F[:, 0].min(), run.F[:, 0].max()))) / 2).sum()
    table = np.loadtxt(path.with_suffix(".csv"), delimiter=",", skiprows=1, usecols=range(1, 18))
    assert (table[:, 0] == np.arange(100_000)).all()
    assert (table[:, 1:4].astype(np.float32) == run.F).all()
    assert (table[:, 5:] == run.X).all()


def test_solutions_that_are_not_drawn_are_still_considered(show):
    run = make_run(n=30_000, d=1, m=2, units=["", ""], history=None, F=np.random.default_rng(5).random((30_000, 2)))
    browser = show(run)
    assert "20,000 of them drawn, all of them considered" in browser.text("#in-play")
    assert marked(browser, "sum") == (0, best_by_weights(run.F, [1, 1]))


def test_behaviour_is_hidden_without_episodes(show):
    browser = show(make_run())
    assert browser.run("return document.getElementById('behaviour').hidden")


def test_swimmer_is_drawn_without_ground(show):
    browser = show(make_run(m=2, n=5, units=["", ""], replays=[replace(walking(0), ground=False)]))
    assert browser.run("return report.data.runs[0].replays[0].ground") is False
    assert browser.run("return document.querySelector('#stages canvas').dataset.frame !== undefined")


@pytest.mark.parametrize(
    "F",
    [
        np.array([[1.0, 2.0, 3.0]]),  # a single solution
        np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]),  # equal solutions
        np.array([[1e300, -1e-300, 0.0], [-1e300, 1e-300, 5e-324]]),  # the limits of double precision
        np.array([[1e9 + 1, 0.0, 1.0], [1e9, 1.0, 0.0]]),  # a small range far from zero
    ],
)
def test_degenerate_fronts_are_drawn(show, F):
    browser = show(make_run(F=F, X=np.zeros((len(F), 4)), violation=np.zeros(len(F)), history=None))
    for view in ("3d", "2d", "parallel"):
        browser.press(f"#view-tabs button[data-value='{view}']")
        x, y = browser.run("return report.screenPlace(0)")
        width, height = browser.run(
            "const s = document.getElementById('stage'); return [s.clientWidth, s.clientHeight]"
        )
        assert 0 <= x <= width
        assert 0 <= y <= height
    browser.slide(".objective[data-objective='0'] .high", 500)
    browser.press("#clear-filters")
    assert marked(browser, "sum") == (0, best_by_weights(F, [1, 1, 1]))


def test_page_says_when_no_solution_is_in_play(show):
    browser = show(make_run(m=2, n=12, units=["", ""]))
    browser.press(".legend-runs input")
    assert "nothing is in play" in browser.text("#marked")
    assert browser.text("#in-play") == "0 solutions"
