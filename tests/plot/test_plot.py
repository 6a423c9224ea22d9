"""Figures show the given data, and files of every format are written without a display."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from tensorrvea.plot import (
    attainment,
    plot_attainment,
    plot_convergence,
    plot_front,
    plot_parallel,
    save,
    summarise,
)
from tensorrvea.plot.runs import _stairs

RNG = np.random.default_rng(0)


def sphere(n, m, rng=RNG):
    f = np.abs(rng.normal(size=(n, m)))
    return f / np.linalg.norm(f, axis=1, keepdims=True)


def offsets(collection):
    return np.asarray(collection.get_offsets())


def test_two_objectives_are_a_scatter_plot():
    F = sphere(20, 2)
    figure = plot_front(F, names=["cost", "mass"], units=["€", ""], directions=("min", "max"), front=sphere(50, 2))
    axes = figure.axes[0]
    truth, points = axes.collections
    assert np.allclose(offsets(points), F)
    assert len(offsets(truth)) == 50
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cost [€] (min)", "mass (max)")


def test_three_objectives_are_a_3d_plot():
    figure = plot_front(sphere(20, 3), front=sphere(30, 3))
    assert figure.axes[0].name == "3d"
    assert figure.axes[0].get_zlabel() == "f3 (min)"


def test_four_objectives_are_parallel_coordinates_with_the_best_at_the_bottom():
    F = np.array([[0.0, 10.0, 5.0, 1.0], [1.0, 20.0, 6.0, 2.0]])
    figure = plot_front(F, directions=("min", "max", "min", "min"))
    (lines,) = figure.axes[0].collections
    heights = np.array([segment[:, 1] for segment in lines.get_segments()])
    assert heights.tolist() == [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts[2:4] == ["10", "20"]  # the worst value is at the top


def test_parallel_coordinates_of_several_sets():
    figure = plot_parallel({"a": sphere(5, 3), "b": sphere(7, 3)})
    assert [len(c.get_segments()) for c in figure.axes[0].collections] == [5, 7]
    assert [t.get_text() for t in figure.axes[0].get_legend().get_texts()] == ["a", "b"]


def test_convergence_band_shows_quartiles():
    values = RNG.random((9, 4))
    figure = plot_convergence({"TensorRVEA": ([0, 1, 2, 3], values)}, ylabel="IGD", log=True)
    axes = figure.axes[0]
    assert np.allclose(axes.lines[0].get_ydata(), np.median(values, axis=0))
    assert axes.get_yscale() == "log"
    band = axes.collections[0].get_paths()[0].vertices
    ordered = np.sort(values, axis=0)  # of nine runs, the quartiles are the third and the seventh
    for step in range(4):
        heights = band[np.isclose(band[:, 0], step), 1]
        assert heights.min() == pytest.approx(ordered[2, step])
        assert heights.max() == pytest.approx(ordered[6, step])


def test_confidence_interval_of_the_mean():
    # Five values 1..5: mean 3, standard error sqrt(2.5 / 5), Student's t at 97.5 % with 4 degrees of freedom 2.776445.
    middle, low, high = summarise(np.arange(1.0, 6.0)[:, None], "confidence")
    assert middle[0] == 3
    assert high[0] - 3 == pytest.approx(2.776445 * np.sqrt(0.5), rel=1e-6)
    assert 3 - low[0] == pytest.approx(high[0] - 3)
    assert summarise([[1.0, 2.0]], "confidence")[1].tolist() == [1.0, 2.0]


def test_attainment_is_the_share_of_runs_at_least_as_good():
    fronts = [sphere(10, 3) for _ in range(6)]
    points = RNG.random((300, 3)) * 1.2
    expected = [np.mean([any((row <= p).all() for row in f) for f in fronts]) for p in points]
    assert attainment(fronts, points).tolist() == expected
    assert attainment([-f for f in fronts], -points, "max").tolist() == expected


def test_attainment_surfaces_of_two_objectives():
    fronts = [np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([[2.0, 2.0]])]
    figure = plot_attainment(fronts)
    best, _median, worst = (line.get_xydata() for line in figure.axes[0].lines)
    inner = [tuple(p) for p in best if p.max() <= 3]
    assert {(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)} <= set(inner)
    # Both runs attain (2, 3) and (3, 2).
    assert {(2.0, 3.0), (3.0, 2.0)} <= {tuple(p) for p in worst}


def test_stairs_bound_the_dominated_region():
    assert _stairs(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([3.0, 3.0])).tolist() == [
        [1, 3], [1, 2], [2, 2], [2, 1], [3, 1],
    ]  # fmt: skip
    assert _stairs(np.empty((0, 2)), np.array([3.0, 3.0])).shape == (0, 2)


def test_empty_front_attains_nothing():
    fronts = [np.array([[1.0, 3.0]]), np.array([[2.0, 2.0]]), np.empty((0, 2))]
    best, median, worst = (line.get_xydata() for line in plot_attainment(fronts).axes[0].lines)
    assert {(1.0, 3.0), (2.0, 2.0)} <= {tuple(p) for p in best}
    assert (2.0, 3.0) in {tuple(p) for p in median}  # two of three are at least half
    assert len(worst) == 0


@pytest.mark.parametrize(("objectives", "suffix"), [(2, "svg"), (3, "png"), (5, "pdf")])
def test_files_are_deterministic_in_every_format(tmp_path, objectives, suffix):
    rng = np.random.default_rng(1)
    fronts = [sphere(8, objectives, rng) for _ in range(3)]
    written = []
    for i in range(2):
        save(plot_attainment(fronts), tmp_path / f"{i}.{suffix}")
        written.append((tmp_path / f"{i}.{suffix}").read_bytes())
    assert written[0] == written[1]
    assert written[0].startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[suffix])


def test_names_are_not_read_as_mathtext_or_markup(tmp_path):
    names = ["a$b$", "<script>alert(1)</script>"]
    path = save(plot_front(sphere(5, 2), names=names), tmp_path / "names.svg")
    text = path.read_text()
    assert "a$b$ (min)" in text
    assert "<script" not in text


def test_rcparams_are_unchanged():
    before = dict(mpl.rcParams)
    plot_front(sphere(5, 3))
    assert dict(mpl.rcParams) == before


def test_plots_on_given_axes():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plot_front(sphere(5, 2), ax=left) is figure
    assert plot_front(sphere(5, 4), ax=right) is figure
    with pytest.raises(ValueError, match='projection="3d"'):
        plot_front(sphere(5, 3), ax=left)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_front([[1.0]]), "at least 2 objectives"),
        (lambda: plot_front([[1.0, 2.0]], names=["a"]), "names must have one entry for each of 2"),
        (lambda: plot_front([[1.0, 2.0]], front=[[1.0]]), "front must have 2 columns"),
        (lambda: plot_convergence({"a": ([1], [[1.0, 2.0]])}, ylabel="y"), "must have 1 columns"),
        (lambda: plot_attainment([]), "at least one run"),
        (lambda: plot_attainment([np.empty((0, 2))]), "at least one solution"),
        (lambda: attainment([[[1.0]]], [[1.0, 2.0]]), r"fronts\[0\] must have 2 objectives"),
        (lambda: save(Figure(), "a.gif"), "path must end in"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
