"""Wrong arguments: the error names the argument, and is raised before anything is compiled."""

from fractions import Fraction
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sizes
from compilations import Compilations

import tensorrvea as tr
from tensorrvea.metrics import device
from tensorrvea.operators import Variation
from tensorrvea.settings import settings
from tensorrvea.stop import Stagnation, Target

BOX = {"lower": [0.0, 0.0], "upper": [1.0, 1.0], "objectives": 2}


def function(x):
    return jnp.stack([x[0], 1 - x[0] + x[1]])


def make(**wrong):
    return lambda: tr.Problem(**({"function": function} | BOX | wrong))


def run(**wrong):
    given = {"problem": sizes.problem(), "algorithm": sizes.algorithm(), "generations": 2} | wrong
    problem, algorithm = given.pop("problem"), given.pop("algorithm")
    return lambda: tr.optimize(problem, algorithm, **given)


def repeat(**wrong):
    given = {"generations": 2, "seeds": [0]} | wrong
    return lambda: tr.replicate(sizes.problem(), sizes.algorithm(), **given)


def rvea(**wrong):
    return lambda: tr.TensorRVEA(**({"population": 8} | wrong))


def three(x):
    """Return objectives of one individual; a batch of three would pass by its shape."""
    return jnp.stack([x[0], x[1], x[2]])


class Undecorated(tr.Evolution, Variation):
    """An algorithm and a variation that is not registered as a pytree."""

    population = 8
    variation = tr.GA()


HALF = np.full((1, 7), 0.5)
OBJECTIVES = "objectives must be at least 2"
METRIC = r"metrics\['hv'\] takes objectives .* gives a number"

WRONG = {
    # Problems
    "bounds of unequal length": (
        make(lower=[0.0]),
        ValueError,
        "lower and upper must have the same length.*lower: 1",
    ),
    "lower above upper": (make(lower=[0.0, 2.0]), ValueError, "lower must not be above upper.*lower.1. = 2.0"),
    "NaN bounds": (make(upper=[1.0, np.nan]), ValueError, "upper must be finite, got nan"),
    "infinite bounds": (make(lower=[-np.inf, 0.0]), ValueError, "lower must be finite, got -inf"),
    "bounds that float32 cannot tell apart": (make(lower=[1.0, 0], upper=[1 + 1e-9, 1]), ValueError, "float32"),
    "a range beyond float32": (
        make(lower=[-3e38, 0], upper=[3e38, 1]),
        ValueError,
        "upper - lower must be finite in float32, .*rescale the variable or set jax_enable_x64",
    ),
    "scalar bounds": (make(lower=0.0, upper=1.0), ValueError, "give the number of variables as well, as variables="),
    "bounds that are not numbers": (make(lower=["a", "b"]), TypeError, "lower takes numbers"),
    "bounds that are texts of numbers": (make(lower=["0", "0"]), TypeError, "lower takes numbers"),
    "complex bounds": (make(lower=[0j, 0j]), TypeError, "lower takes numbers"),
    "bounds beyond all floats": (make(upper=[1, 10**400]), TypeError, "upper takes numbers"),
    "ragged bounds": (make(lower=[[0.0], [0.0, 1.0]]), TypeError, "lower takes numbers"),
    "no variables": (make(lower=[], upper=[]), ValueError, "at least one variable"),
    "one objective": (make(objectives=1), ValueError, OBJECTIVES),
    "no objectives": (make(objectives=0), ValueError, OBJECTIVES),
    "half an objective": (make(objectives=2.5), TypeError, "objectives takes a whole number, got 2.5"),
    "objectives that are a flag": (make(objectives=True), TypeError, "objectives takes a whole number"),
    "a function with too few outputs": (make(objectives=3), ValueError, r"function must give .* \(3,\).* got \(2,\)"),
    "a function with a scalar output": (make(function=lambda x: x[0]), ValueError, r"function must give .* got \(\)"),
    "a batched function of one": (make(batched=True), ValueError, r"function must give .*\(n, 2\)"),
    "a batched function of one, of three variables and objectives": (
        make(function=three, lower=[0.0] * 3, upper=[1.0] * 3, objectives=3, batched=True),
        ValueError,
        r"function must give .*\(n, 3\)",
    ),
    "a text for batched": (make(batched="no"), TypeError, "batched takes True or False, got 'no'"),
    "a number for stochastic": (make(stochastic=0), TypeError, "stochastic takes True or False, got 0"),
    "a function that cannot be traced": (make(function=lambda x: float(x[0])), TypeError, "use HostProblem"),
    "a function that takes nothing": (make(function=lambda: 0), TypeError, "function could not be traced"),
    "no function": (make(function=3), TypeError, "function takes a function of the variables, got 3"),
    "constraints that are no function": (make(constraints=0.5), TypeError, "constraints takes a function"),
    "constraints with a matrix for output": (
        make(constraints=lambda _: jnp.zeros((2, 2))),
        ValueError,
        r"constraints must give .* got \(2, 2\)",
    ),
    "a sample that is no function": (make(sample=3), TypeError, "sample takes a function of a key"),
    "a sample of the wrong shape": (
        make(sample=lambda _, n: jnp.zeros((n, 3))),
        ValueError,
        r"sample must give .*\(n, 2\), got \(7, 3\)",
    ),
    "a sample that takes no key": (make(sample=lambda n: jnp.zeros((n, 2))), TypeError, "sample could not be traced"),
    "an unknown direction": (make(directions=("min", "maximum")), ValueError, "directions must be one of.*'max'"),
    "too few directions": (make(directions=("min",)), ValueError, "directions must have one entry for each of 2"),
    "no directions": (make(directions=None), ValueError, "directions must have one entry for each of 2 .*None"),
    "directions that are a number": (make(directions=3), ValueError, "directions must have one entry .* got 3"),
    "directions without an order": (make(directions={"min", "max"}), ValueError, "directions must .* in order"),
    "directions that are arrays": (make(directions=np.eye(2)), ValueError, "directions must be one of"),
    "integers between fractions": (
        make(integer=True, upper=[1.5, 2.0]),
        ValueError,
        "integer variables must have whole",
    ),
    "flags for too many variables": (make(integer=[True] * 3), ValueError, "integer takes True, False or 2 of them"),
    "flags that are numbers": (make(log=[1, 0]), ValueError, "log takes True, False or 2 of them"),
    "ragged flags": (make(integer=[[True], [True, False]]), ValueError, "integer takes True, False or 2 of them"),
    "integers that float32 cannot tell apart": (
        make(integer=True, upper=[1.0, 1e8]),
        ValueError,
        r"integers must differ in float32, got \[0.0, 100000000.0\] at 1; set jax_enable_x64",
    ),
    "integers whose logarithms float32 cannot tell apart": (
        make(integer=True, log=True, lower=[1.0, 1.0], upper=[2.0, 1e7]),
        ValueError,
        "integers must differ in float32",
    ),
    "a logarithm of zero": (make(log=True), ValueError, "log-scaled variables must have lower > 0"),
    "too few names of objectives": (make(objective_names=["cost"]), ValueError, "objective_names takes 2 strings"),
    "no names of variables": (make(variable_names=[]), ValueError, "variable_names takes 2 strings"),
    "names that are one text": (make(variable_names="ab"), ValueError, "variable_names takes 2 strings"),
    "names that are a number": (make(objective_names=3), ValueError, "objective_names takes 2 strings, got 3"),
    "names that are numbers": (make(objective_names=[1, 2]), ValueError, "objective_names takes 2 strings"),
    "names without an order": (make(objective_names={"a", "b"}), ValueError, "objective_names takes 2 strings"),
    "two objectives of one name": (make(objective_names=["a", "a"]), ValueError, "must all differ.*got 'a'"),
    "two variables of one name": (make(variable_names=["a", "a"]), ValueError, "must all differ.*got 'a'"),
    "a variable named as an objective": (make(variable_names=["a", "f1"]), ValueError, "must all differ.*got 'f1'"),
    "an objective named as a variable": (make(objective_names=["a", "x2"]), ValueError, "must all differ.*got 'x2'"),
    "a variable named violation": (make(variable_names=["a", "violation"]), ValueError, "got 'violation' more"),
    "a name that is a number": (make(name=5), TypeError, "name takes a string, got 5"),
    "a name that is a list": (make(name=["a"]), TypeError, "name takes a string"),
    "a front of other objectives": (make(front=np.zeros((5, 3))), ValueError, "front must have 2 columns, got 3"),
    "a slip in an argument": (make(lowr=[0]), TypeError, "lowr"),
    # Algorithms and operators
    "no population": (
        lambda: tr.TensorRVEA(population=0),
        ValueError,
        "population must be at least 2 .two parents.*got 0",
    ),
    "a lone parent": (lambda: tr.NSGA2(population=1), ValueError, "population must be at least 2"),
    "a negative population": (lambda: tr.RandomSearch(population=-1), ValueError, "population must be at least 1"),
    "a population that is not whole": (
        lambda: tr.TensorRVEA(population=10.5),
        TypeError,
        "population takes a whole number",
    ),
    "a population without its name": (lambda: tr.TensorRVEA(105), TypeError, "positional"),
    "no size at all": (lambda: tr.TensorRVEA(), TypeError, "population"),
    "a variation by name": (rvea(variation="GA"), TypeError, "variation takes .*'GA'"),
    "a variation that is a class": (rvea(variation=tr.GA), TypeError, "variation takes"),
    "no variation": (lambda: tr.NSGA2(population=8, variation=None), TypeError, "variation takes .*None"),
    "unknown vectors": (rvea(vectors="latice"), ValueError, "vectors must be one of.*did you mean 'lattice'"),
    "vectors with a row of zeros": (
        rvea(vectors=[[1, 0], [0, 0]]),
        ValueError,
        "vectors must not have a row of zeros.*1",
    ),
    "vectors with a negative entry": (rvea(vectors=[[1, 0], [1, -1]]), ValueError, "vectors must not be negative"),
    "a single vector": (rvea(vectors=[[1, 0]]), ValueError, "at least two rows"),
    "a vector of NaN": (rvea(vectors=[[1, 0], [1, np.nan]]), ValueError, "finite"),
    "vectors in a row": (rvea(vectors=[1.0, 0]), ValueError, "vectors must have shape"),
    "a negative alpha": (rvea(alpha=-1), ValueError, r"alpha must be .* in \[0, inf\), got -1"),
    "an alpha that is text": (rvea(alpha="2"), TypeError, "alpha takes a number, got '2'"),
    "a flag that is text": (rvea(normalize="yes"), TypeError, "normalize takes"),
    "no adaptation": (
        lambda: tr.TensorRVEA.paper(population=8, adaptation=0.0),
        ValueError,
        r"adaptation must be .* \(0, 1\]",
    ),
    "a negative eta": (lambda: tr.SBX(eta=-1.0), ValueError, "eta must be"),
    "a probability above one": (
        lambda: tr.SBX(probability=1.5),
        ValueError,
        r"probability must be .* \[0, 1\], got 1.5",
    ),
    "a NaN for a rate": (lambda: tr.PolynomialMutation(rate=np.nan), ValueError, "rate must be a finite number"),
    "a crossover rate above one": (lambda: tr.DE(crossover_rate=2), ValueError, "crossover_rate must be"),
    "a scale of zero": (lambda: tr.DE(scale=0), ValueError, "scale must be"),
    "a negative inertia": (lambda: tr.PSO(inertia=-0.1), ValueError, "inertia must be"),
    "a negative phi": (lambda: tr.CSO(phi=-0.1), ValueError, "phi must be"),
    "a crossover by name": (lambda: tr.GA(crossover="sbx"), TypeError, r"crossover takes .*SBX\(\), got 'sbx'"),
    "a crossover that is a class": (lambda: tr.GA(crossover=tr.SBX), TypeError, "crossover takes"),
    "a mutation that is a number": (lambda: tr.GA(mutation=0.1), TypeError, "mutation takes .* got 0.1"),
    "no mutation in DE": (lambda: tr.DE(mutation=None), TypeError, r"mutation takes .*rate=0.0\) for none, got None"),
    "no mutation in PSO": (lambda: tr.PSO(mutation=None), TypeError, "mutation takes .* got None"),
    "a mutation that is a class": (lambda: tr.CSO(mutation=tr.PolynomialMutation), TypeError, "mutation takes"),
    "a fraction": (rvea(alpha=Fraction(1, 10)), TypeError, r"alpha takes a number, got Fraction\(1, 10\)"),
    "an array of texts": (rvea(alpha=np.array(["a"])), TypeError, "alpha takes a number, got array"),
    "a number beyond all floats": (rvea(alpha=10**400), TypeError, "alpha takes a number"),
    "a slip in a setting": (lambda: tr.GA(crosover=tr.SBX()), TypeError, "crosover"),
    # Runs
    "a problem that is none": (run(problem=function), TypeError, "problem takes a Problem, got <function"),
    "an algorithm by name": (run(algorithm="TensorRVEA"), TypeError, "algorithm takes .*'TensorRVEA'"),
    "an algorithm that is a class": (run(algorithm=tr.TensorRVEA), TypeError, "algorithm takes"),
    "an algorithm that is no pytree": (
        run(algorithm=Undecorated()),
        TypeError,
        "algorithm must be a pytree .*Undecorated.*decorate its class with tensorrvea.settings.settings",
    ),
    "a variation that is no pytree": (
        run(algorithm=sizes.algorithm(variation=Undecorated())),
        TypeError,
        "algorithm.variation must be a pytree .*Undecorated",
    ),
    "many numbers for a setting": (
        run(algorithm=sizes.algorithm(alpha=np.array([1.0, 2.0]))),
        ValueError,
        r"algorithm.alpha must be one number in a run, got shape \(2,\)",
    ),
    "many numbers for a setting inside": (
        run(algorithm=sizes.algorithm(variation=tr.GA(mutation=tr.PolynomialMutation(rate=np.ones(6))))),
        ValueError,
        r"algorithm.variation.mutation.rate must be one number, or one for each of 7 variables in a run, got",
    ),
    "no budget": (
        run(generations=None),
        ValueError,
        "give at least one of generations, .*got none",
    ),
    "no generations": (run(generations=0), ValueError, "generations must be at least 1, got 0"),
    "half a generation": (run(generations=0.5), TypeError, "generations takes a whole number"),
    "evaluations for one population": (
        run(generations=None, evaluations=55),
        ValueError,
        "evaluations must be at least 56 .two generations of 28., got 55",
    ),
    "no seconds": (
        run(generations=None, seconds=0),
        ValueError,
        r"seconds must be a finite number in \(0, inf\), got 0",
    ),
    "many seconds": (run(generations=None, seconds=np.array([1.0, 2.0])), TypeError, "seconds takes a number"),
    "endless seconds": (run(generations=None, seconds=np.inf), ValueError, "seconds must be a finite number"),
    "a negative seed": (run(seed=-1), ValueError, "seed must be at least 0, got -1"),
    "a seed that is too large": (run(seed=2**32), ValueError, "seed must be below 2..32"),
    "a seed that is not whole": (run(seed=0.5), TypeError, "seed takes a whole number"),
    "an unknown history": (run(history="front"), ValueError, "history must be one of.*did you mean 'fronts'"),
    "a negative archive": (run(archive=-1), ValueError, "archive must be at least 0"),
    "callbacks that are no functions": (run(callbacks=[3]), TypeError, "callbacks takes functions of a Result, got 3"),
    "one callback that is no function": (run(callbacks=3), TypeError, "callbacks takes functions of a Result, got 3"),
    "a stop that is no function": (run(stop="soon"), TypeError, "stop takes functions of a Result"),
    "a stop that is a class": (run(stop=Stagnation), TypeError, "stop takes functions of a Result.*Stagnation"),
    "metrics without names": (run(metrics=[max]), TypeError, "metrics takes .*by name"),
    "metrics that are no functions": (run(metrics={"hv": 3}), TypeError, "metrics takes functions by name, got 3"),
    "a metric that is named by a number": (run(metrics={1: device.spacing}), TypeError, "metrics takes .* by name"),
    "a metric of the host": (run(metrics={"hv": tr.metrics.hypervolume}), TypeError, METRIC),
    "a metric without its reference": (run(metrics={"hv": device.hypervolume}), TypeError, METRIC),
    "a metric with another problem's reference": (
        run(metrics={"hv": partial(device.hypervolume, reference=np.ones(2))}),
        TypeError,
        METRIC + ".*traced with m = 3",
    ),
    "a metric of each individual": (
        run(metrics={"hv": lambda f, _: f[:, 0]}),
        ValueError,
        METRIC + r".*it gives \(28,\)",
    ),
    "a metric that gives nothing": (repeat(metrics={"hv": lambda *_: None}), ValueError, METRIC + ".*it gives None"),
    "called every zero generations": (run(every=0), ValueError, "every must be at least 1"),
    "a start outside the bounds": (run(x=HALF + 0.6), ValueError, r"x must be within the bounds, got x\[0, 0\] = 1.1"),
    "a start of another size": (run(x=np.zeros((2, 6))), ValueError, "x must have 7 columns, one per variable, got 6"),
    "a start of one individual, flat": (
        run(x=np.zeros(7)),
        ValueError,
        r"x must have shape \(individuals, variables\)",
    ),
    "a start between integers": (
        run(problem=make(integer=[False, True])(), x=[[0.5, 0.5]]),
        ValueError,
        r"x must be whole where variables are integers, got x\[0, 1\] = 0.5",
    ),
    "a start of too many": (run(x=np.zeros((29, 7))), ValueError, "x must have 1 to 28 rows"),
    "an empty start": (run(x=np.zeros((0, 7))), ValueError, "x must have 1 to 28 rows"),
    "a start with a NaN": (run(x=HALF * np.nan), ValueError, "x must be finite"),
    "a population below a lattice": (
        run(algorithm=tr.TensorRVEA(population=2)),
        ValueError,
        "population must be at least 3 for a lattice",
    ),
    "vectors of other objectives": (
        run(algorithm=tr.TensorRVEA(population=8, vectors=np.eye(2))),
        ValueError,
        r"vectors must have 3 columns.*\(2, 2\)",
    ),
    "a slip in an option": (run(generatons=3), TypeError, "generatons"),
    "no seeds": (repeat(seeds=[]), ValueError, "seeds must hold at least one"),
    "seeds that are a number": (repeat(seeds=31), TypeError, "seeds takes whole numbers.*got 31"),
    "a seed among them that is text": (repeat(seeds=["1"]), TypeError, "seed takes a whole number, got '1'"),
    # Stop criteria
    "stagnation of no generations": (lambda: Stagnation(generations=0), ValueError, "generations must be at least 1"),
    "a target that is a number": (lambda: Target(3.0), ValueError, r"objectives must have shape \(objectives,\)"),
}


@pytest.fixture(scope="module")
def compilations() -> Compilations:
    return Compilations()


@pytest.mark.parametrize(("call", "kind", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_raise_before_anything_is_compiled(call, kind, message, compilations):
    before = compilations.count
    with pytest.raises(kind, match=message):
        call()
    assert compilations.count == before


def test_bounds_are_checked_in_double_precision_when_enabled():
    with jax.enable_x64(True):
        close = make(lower=[1.0, 0], upper=[1 + 1e-9, 1], integer=[False, True])()
        assert close.box[0].dtype == np.float64
        assert make(integer=True, upper=[1.0, 1e8])().variables == 2
        with pytest.raises(ValueError, match=r"upper - lower must be finite in float64, got .* at 0; rescale the var"):
            make(lower=[-1.7e308, 0], upper=[1.7e308, 1])()
        with pytest.raises(ValueError, match=r"integers must differ in float64, got \[0.0, 1e\+16\] at 0$"):
            make(integer=True, upper=[1e16, 1.0])()


def test_unusual_but_valid_arguments_are_accepted():
    """Names and flags in any ordered iterable, numbers of any type that JAX takes, and user-defined operators."""
    problem = make(integer=np.True_, objective_names=(name for name in "ab"), directions=np.array(["min", "max"]))()
    assert problem.integer == (True, True)
    assert problem.objective_names == ("a", "b")
    assert problem.directions == ("min", "max")
    assert make(upper=[Fraction(1, 2), 10**20], lower=np.array([0, -1]))().upper.tolist() == [0.5, 1e20]
    assert tr.DE(scale=np.float32(0.5), crossover_rate=jnp.ones(3)).scale == 0.5

    @settings
    class Halving:
        share: np.ndarray

        def __call__(self, _, x, problem):
            return x - 0.5 * self.share * (x - problem.box[0])

    algorithm = sizes.algorithm(variation=tr.DE(mutation=Halving(share=jnp.ones(7))))
    assert tr.optimize(sizes.problem(), algorithm, generations=1).generations == 1


def test_settings_that_jax_rebuilds_are_not_checked():
    """JAX rebuilds such objects with axis numbers, None and placeholders in place of numbers."""
    leaves, structure = jax.tree.flatten(tr.TensorRVEA(population=8))
    odd = jax.tree.unflatten(structure, [None] * len(leaves))
    assert odd.population == 8
    assert odd.alpha is None
    assert jax.tree.map(lambda _: -1.0, tr.GA()).crossover.eta == -1.0


def test_start_values_that_float32_cannot_hold_are_rejected():
    problem = make(integer=[False, True], upper=[1.0, 1e7])()
    got = r"what float32 can hold, got x\[0, 1\] = 9999999.0, which would become 10000000.0; set jax_enable_x64"
    with pytest.raises(ValueError, match=got):
        run(problem=problem, x=[[0.5, 9999999.0]])()
