"""RE and CRE against slow transcriptions of the paper's formulas, and properties of their reference sets."""

from math import exp, pi, sqrt

import jax
import numpy as np
import pytest
from pymoo.problems import get_problem

from tensorrvea import problems
from tensorrvea.problems.fronts import nondominated
from tensorrvea.problems.re_suite import BAR_AREAS, WIRE_DIAMETERS
from tensorrvea.problems.real_world import RealWorld

RE = list(problems.SUITES["RE"])
CRE = list(problems.SUITES["CRE"])
# The constrained problem of which an RE problem has the violations as its last objective.
PAIRS = {
    "RE31": "CRE21", "RE32": "CRE22", "RE33": "CRE23", "RE35": "CRE24",
    "RE36": "CRE25", "RE41": "CRE31", "RE42": "CRE32", "RE61": "CRE51",
}  # fmt: skip


def design(name: str, x: list[float]) -> tuple[list[float], list[float]]:
    """Objectives, and constraint values that are feasible where ≥ 0, as in the paper."""
    if name in ("RE34", "RE37", "RE91", "CRE31"):
        return responses(name, *x)
    a, b, c, d, e, f, g = [*x, *[0.0] * (7 - len(x))]
    if name == "RE21":
        return [
            200 * (2 * a + sqrt(2) * b + sqrt(c) + d),
            0.01 * (2 / a + 2 * sqrt(2) / b - 2 * sqrt(2) / c + 2 / d),
        ], []
    if name == "RE22":
        a = min(BAR_AREAS, key=lambda area: abs(area - a))
        return [29.4 * a + 0.6 * b * c], [a * c - 7.735 * a**2 / b - 180, 4 - c / b]
    if name == "RE23":
        s, h = 0.0625 * a, 0.0625 * b
        cost = 0.6224 * s * c * d + 1.7781 * h * c**2 + 3.1661 * s**2 * d + 19.84 * s**2 * c
        return [cost], [s - 0.0193 * c, h - 0.00954 * c, pi * c**2 * d + 4 / 3 * pi * c**3 - 1296000]
    if name == "RE24":
        s, t, y = 4500 / (a * b), 1800 / b, 56.2e4 / (700000 * a * b**2)
        return [a + 120 * b], [1 - s / 700, 1 - t / 450, 1 - y / 1.5, 1 - s / (700000 * a**2 / 100)]
    if name == "RE25":
        c = min(WIRE_DIAMETERS, key=lambda wire: abs(wire - c))
        k = 11.5e6 * c**4 / (8 * a * b**3)
        cf = (4 * b / c - 1) / (4 * b / c - 4) + 0.615 * c / b
        lf = 1000 / k + 1.05 * (a + 2) * c
        g5 = lf - 300 / k - 700 / k - 1.05 * (a + 2) * c
        g = [189000 - 8 * cf * 1000 * b / (pi * c**3), 14 - lf, b / c - 3, 6 - 300 / k, g5, 1.25 - 700 / k]
        return [pi**2 * b * c**2 * (a + 2) / 4], g
    if name == "CRE21":
        f1, f2 = a * sqrt(16 + c**2) + b * sqrt(1 + c**2), 20 * sqrt(16 + c**2) / (a * c)
        return [f1, f2], [0.1 - f1, 1e5 - f2, 1e5 - 80 * sqrt(1 + c**2) / (b * c)]
    if name == "CRE22":
        r, j = sqrt(b**2 / 4 + ((a + c) / 2) ** 2), 2 * sqrt(2) * a * b * (b**2 / 12 + ((a + c) / 2) ** 2)
        t1, t2 = 6000 / (sqrt(2) * a * b), 6000 * (14 + b / 2) * r / j
        tau = sqrt(t1**2 + 2 * t1 * t2 * b / (2 * r) + t2**2)
        pc = 4.013 * 30e6 * sqrt(c**2 * d**6 / 36) / 14**2 * (1 - c / 28 * sqrt(30e6 / 48e6))
        f = [1.10471 * a**2 * b + 0.04811 * c * d * (14 + b), 4 * 6000 * 14**3 / (30e6 * d * c**3)]
        return f, [13600 - tau, 30000 - 6 * 6000 * 14 / (d * c**2), d - a, pc - 6000]
    if name == "CRE23":
        f = [4.9e-5 * (b**2 - a**2) * (d - 1), 9.82e6 * (b**2 - a**2) / (c * d * (b**3 - a**3))]
        g = [b - a - 20, 0.4 - c / (3.14 * (b**2 - a**2)), 1 - 2.22e-3 * c * (b**3 - a**3) / (b**2 - a**2) ** 2]
        return f, [*g, 2.66e-2 * c * d * (b**3 - a**3) / (b**2 - a**2) - 900]
    if name == "CRE24":
        f1 = 0.7854 * a * b**2 * (10 * c**2 / 3 + 14.933 * c - 43.0934) - 1.508 * a * (f**2 + g**2)
        f1 += 7.477 * (f**3 + g**3) + 0.7854 * (d * f**2 + e * g**2)
        f2 = sqrt((745 * d / (b * c)) ** 2 + 1.69e7) / (0.1 * f**3)
        h = [1 / 27 - 1 / (a * b**2 * c), 1 / 397.5 - 1 / (a * b**2 * c**2), 1 / 1.93 - d**3 / (b * c * f**4)]
        h += [1 / 1.93 - e**3 / (b * c * g**4), 40 - b * c, 12 - a / b, a / b - 5, d - 1.5 * f - 1.9, e - 1.1 * g - 1.9]
        return [f1, f2], [*h, 1300 - f2, 1100 - sqrt((745 * e / (b * c)) ** 2 + 1.575e8) / (0.1 * g**3)]
    if name == "CRE25":
        f1 = abs(6.931 - c * d / (a * b))
        return [f1, max(x)], [0.5 - f1 / 6.931]
    if name == "CRE32":
        return ship(*x)
    assert name == "CRE51"
    f = [106780.37 * (b + c) + 61704.67, 3000 * a, 305700 * 2289 * b / (0.06 * 2289) ** 0.65]
    f += [250 * 2289 * exp(-39.75 * b + 9.9 * c + 2.74), 25 * (1.39 / (a * b) + 4940 * c - 80)]
    g = [1 - (0.00139 / (a * b) + 4.94 * c - 0.08), 1 - (0.000306 / (a * b) + 1.082 * c - 0.0986)]
    g += [50000 - (12.307 / (a * b) + 49408.24 * c + 4051.02), 16000 - (2.098 / (a * b) + 8046.33 * c - 696.71)]
    g += [10000 - (2.138 / (a * b) + 7883.39 * c - 705.04), 2000 - (0.417 * a * b + 1721.26 * c - 136.54)]
    return f, [*g, 550 - (0.164 / (a * b) + 631.13 * c - 54.48)]


def ship(length, beam, depth, draft, speed, cb):
    mass = 1.025 * length * beam * draft * cb
    fn = 0.5144 * speed / sqrt(9.8065 * length)
    a, b = 4977.06 * cb**2 - 8105.61 * cb + 4456.51, -10847.2 * cb**2 + 12817.0 * cb - 6960.32
    power = mass ** (2 / 3) * speed**3 / (a + b * fn)
    steel = 0.034 * length**1.7 * beam**0.7 * depth**0.4 * cb**0.5
    outfit = length**0.8 * beam**0.6 * depth**0.3 * cb**0.1
    light = steel + outfit + 0.17 * power**0.9
    dwt = mass - light
    days = 5000 / 24 * speed
    daily = 0.19 * power * 24 / 1000 + 0.2
    cargo = dwt - daily * (days + 5) - 2 * sqrt(dwt)
    trips = 350 / (days + 2 * (cargo / 8000 + 0.5))
    capital = 0.2 * 1.3 * (2000 * steel**0.85 + 3500 * outfit + 2400 * power**0.8)
    cost = capital + 40000 * dwt**0.3 + (1.05 * daily * days * 100 + 6.3 * dwt**0.8) * trips
    g = [length / beam - 6, 15 - length / depth, 19 - length / draft, 0.45 * dwt**0.31 - draft]
    g += [0.7 * depth + 0.7 - draft, 500000 - dwt, dwt - 3000, 0.32 - fn]
    stability = 0.53 * draft + (0.085 * cb - 0.002) * beam**2 / (draft * cb) - (1 + 0.52 * depth)
    return [cost / (cargo * trips), light, -cargo * trips], [*g, stability - 0.07 * beam]


def responses(name, a, b, c, d, e=0.0, f=0.0, g=0.0):
    """The fitted polynomials."""
    if name == "RE34":
        f1 = 1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e
        f2 = 6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d + 0.0861 * a * e
        f2 += 0.3628 * b * d - 0.1106 * a**2 - 0.3437 * c**2 + 0.1764 * d**2
        f3 = -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c - 0.0118 * b * d
        return [f1, f2, f3 - 0.0204 * c * d - 0.008 * c * e - 0.0241 * b**2 + 0.0109 * d**2], []
    if name == "RE37":
        f1 = 0.692 + 0.477 * a - 0.687 * b - 0.08 * c - 0.065 * d - 0.167 * a**2 - 0.0129 * a * b + 0.0796 * b**2
        f1 += -0.0634 * a * c - 0.0257 * b * c + 0.0877 * c**2 - 0.0521 * a * d + 0.00156 * b * d + 0.00198 * c * d
        f2 = 0.153 - 0.322 * a + 0.396 * b + 0.424 * c + 0.0226 * d + 0.175 * a**2 + 0.0185 * a * b - 0.0701 * b**2
        f2 += -0.251 * a * c + 0.179 * b * c + 0.015 * c**2 + 0.0134 * a * d + 0.0296 * b * d + 0.0752 * c * d
        f3 = 0.37 - 0.205 * a + 0.0307 * b + 0.108 * c + 1.019 * d - 0.135 * a**2 + 0.0141 * a * b + 0.0998 * b**2
        f3 += 0.208 * a * c - 0.0301 * b * c - 0.226 * c**2 + 0.353 * a * d - 0.0497 * c * d - 0.423 * d**2
        f3 += 0.202 * a**2 * b - 0.281 * a**2 * c - 0.342 * a * b**2 - 0.245 * b**2 * c + 0.281 * b * c**2
        return [f1 + 0.0184 * d**2, f2 + 0.0192 * d**2, f3 - 0.184 * a * d**2 - 0.281 * a * b * c], []
    if name == "RE91":  # with the uncontrolled parameters h = 0.345, i = 0.192 and 0, 0
        h, i = 0.345, 0.192
        rib = 28.98 + 3.818 * c - 4.2 * a * b + 6.63 * f * i - 7.77 * g * h
        rib += (
            33.86 + 2.95 * c - 5.057 * a * b - 11 * b * h - 9.98 * g * h + 22 * h * i + 46.36 - 9.9 * b - 12.9 * a * h
        )
        vc2 = 0.214 + 0.00817 * e - 0.131 * a * h - 0.0704 * a * i + 0.03099 * b * f - 0.018 * b * g + 0.0208 * c * h
        return [
            1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.75 * e + 1e-5 * f + 2.73 * g,
            1.16 - 0.3717 * b * d - 0.484 * c * i,
            (0.261 - 0.0159 * a * b - 0.188 * a * h - 0.019 * b * g + 0.0144 * c * e + 0.08045 * f * i) / 0.32,
            (vc2 + 0.121 * c * i - 0.00364 * e * f - 0.018 * b**2) / 0.32,
            (0.74 - 0.61 * b - 0.163 * c * h - 0.166 * g * i + 0.227 * b**2) / 0.32,
            rib / 3 / 32,
            (4.72 - 0.5 * d - 0.19 * b * c) / 4,
            (10.58 - 0.674 * a * b - 1.95 * b * h) / 9.9,
            (16.45 - 0.489 * c * g - 0.843 * e * f) / 15.7,
        ], []
    weight = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 1e-5 * f + 2.73 * g
    force, pillar = 4.72 - 0.5 * d - 0.19 * b * c, 10.58 - 0.674 * a * b - 0.67275 * b
    door = 16.45 - 0.489 * c * g - 0.843 * e * f
    vc2 = 0.214 + 0.00817 * e - 0.045195 * a - 0.0135168 * a + 0.03099 * b * f - 0.018 * b * g + 0.007176 * c
    return [weight, force, (pillar + door) / 2], [
        1 - (1.16 - 0.3717 * b * d - 0.0092928 * c),
        0.32 - (0.261 - 0.0159 * a * b - 0.06486 * a - 0.019 * b * g + 0.0144 * c * e + 0.0154464 * f),
        0.32 - (vc2 + 0.023232 * c - 0.00364 * e * f - 0.018 * b**2),
        0.32 - (0.74 - 0.61 * b - 0.031296 * c - 0.031872 * g + 0.227 * b**2),
        32 - (28.98 + 3.818 * c - 4.2 * a * b + 1.27296 * f - 2.68065 * g),
        32 - (33.86 + 2.95 * c - 5.057 * a * b - 3.795 * b - 3.4431 * g + 1.45728),
        32 - (46.36 - 9.9 * b - 4.4505 * a),
        4 - force, 9.9 - pillar, 15.7 - door,
    ]  # fmt: skip


def samples(problem: RealWorld, rows: int = 12) -> np.ndarray:
    x = problem.lower + np.random.default_rng(8).uniform(size=(rows, problem.variables)) * (
        problem.upper - problem.lower
    )
    return np.where(problem.integer, np.round(x), x)


@pytest.mark.parametrize("cls", [*RE, *CRE])
def test_values_agree_with_the_papers_formulas(cls):
    problem = cls()
    x = samples(problem)
    slow = [design(PAIRS.get(cls.__name__, cls.__name__), row) for row in x.tolist()]
    expected_f, expected_g = (np.array(values) for values in zip(*slow, strict=True))
    if len(expected_f[0]) < problem.objectives:
        expected_f = np.column_stack([expected_f, np.maximum(-expected_g, 0).sum(axis=1)])
    with jax.enable_x64(True):
        f, g = jax.jit(problem.evaluate)(jax.random.key(0), problem.encode(x))
        np.testing.assert_allclose(f, expected_f, rtol=1e-9, atol=1e-10)
        if problem.constrained:
            np.testing.assert_allclose(g, -expected_g, rtol=1e-9, atol=1e-9)


def test_car_side_impact_agrees_with_pymoo():
    problem, theirs = problems.CRE31(), get_problem("carside")
    x = samples(problem)
    expected = theirs.evaluate(x, return_values_of=["F", "G"], return_as_dictionary=True)
    f, g = problem.design(x)
    np.testing.assert_allclose(np.stack(f, axis=1), expected["F"], rtol=1e-12)
    # pymoo divides each constraint by its limit.
    limits = np.array([1, 0.32, 0.32, 0.32, 32, 32, 32, 4, 9.9, 15.7])
    np.testing.assert_allclose(np.stack(g, axis=1) / limits, expected["G"], atol=1e-9)
    np.testing.assert_array_equal([problem.lower, problem.upper], [theirs.xl, theirs.xu])


def test_the_welded_beam_agrees_with_pymoo_where_the_papers_do():
    """Stress of the weld and buckling load differ: the RE paper has other moduli than Deb's formulation."""
    problem, theirs = problems.CRE22(), get_problem("welded_beam")
    x = samples(problem)
    expected = theirs.evaluate(x, return_values_of=["F", "G"], return_as_dictionary=True)
    f, g = problem.design(x)
    np.testing.assert_allclose(np.stack(f, axis=1), expected["F"], rtol=1e-12)
    np.testing.assert_allclose(g[1] / 30_000, expected["G"][:, 1], atol=1e-9)
    np.testing.assert_array_equal(g[2] <= 0, expected["G"][:, 2] <= 0)
    np.testing.assert_array_equal([problem.lower, problem.upper], [theirs.xl, theirs.xu])


@pytest.mark.parametrize("cls", [*RE, *CRE])
def test_variables_objectives_and_constraints_have_names(cls):
    problem = cls()
    names = [*problem.variable_names, *problem.objective_names, *(c.name for c in problem.design_constraints)]
    assert len(set(names)) == len(names)
    assert len(problem.design_constraints) == len(problem.design(samples(problem)).constraints)
    assert problem.variable_names == tuple(variable.name for variable in problem.design_variables)


def test_engineering_problems_have_units():
    beam, reducer, car = problems.CRE22(), problems.CRE24(), problems.CRE31()
    assert beam.objective_names == ("cost", "deflection")
    assert beam.units == ("USD", "in")
    assert [c.unit for c in beam.design_constraints] == ["psi", "psi", "in", "lb"]
    assert reducer.variable_names[2] == "teeth of the pinion"
    assert tuple(reducer.integer) == (False, False, True, False, False, False, False)
    assert car.units == ("kg", "kN", "mm/ms")


def test_sizes_are_fixed():
    with pytest.raises(ValueError, match="objectives must be 2, as RE21 is defined, got 3"):
        problems.RE21(objectives=3)
    with pytest.raises(ValueError, match="variables must be 4, as RE21 is defined, got 5"):
        problems.RE21(variables=5)


def test_the_noise_of_re91_has_the_documented_distribution():
    problem = problems.RE91(noise=True)
    assert problem.stochastic
    x = np.tile(0.5 * (problem.lower + problem.upper), (4000, 1)).astype(np.float32)
    f, _ = jax.jit(problem.evaluate)(jax.random.key(0), x)
    quiet = problems.RE91().objective_values(x[:1].astype(float))[0]
    f = np.asarray(f)
    assert np.ptp(f[:, 0]) == 0  # the weight does not depend on the parameters
    # The load on the abdomen is linear in the parameters: 0.00931 x₂, 0.484 x₃ and 0.01343 x₆ times their deviations.
    deviation = np.hypot(0.484 * 1.0 * 0.006, 10 * (0.01343 * 0.8 - 0.00931 * 0.9))
    assert f[:, 1].mean() == pytest.approx(quiet[1], abs=4 * deviation / 4000**0.5)
    assert f[:, 1].std() == pytest.approx(deviation, rel=0.1)
    with pytest.raises(TypeError, match="noise takes True or False"):
        problems.RE91(noise=1)


@pytest.mark.parametrize("cls", [*RE, *CRE])
def test_reference_sets_are_feasible_and_nondominated_and_no_random_design_is_better(cls):
    problem = cls()
    front = problem.front(1000)
    assert len(front) >= 5
    assert nondominated(front).all()
    assert len(problem.front(3)) == 3
    x = problem.lower + np.random.default_rng(1).uniform(size=(20_000, problem.variables)) * (
        problem.upper - problem.lower
    )
    x = np.where(problem.integer, np.round(x), x)
    f, g = np.asarray(problem.objective_values(x)), problem.design(x).constraints
    if problem.constrained:
        f = f[np.max(g, axis=0) <= 0]
    scale = np.ptp(front, axis=0)
    if len(f):
        f = f[nondominated(f)]
        # With nine objectives, runs and steps of this length do not find all improvements.
        assert ((front[None] - f[:, None]) / scale).min(axis=2).max() < (0.02 if problem.objectives == 9 else 0.01)
