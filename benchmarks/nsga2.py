"""NSGA-II against pymoo's in one process: seconds per generation on DTLZ2, and peak memory.

python benchmarks/nsga2.py --population 10000
"""

import argparse
import resource
import statistics
import time

import jax
from pymoo.algorithms.moo.nsga2 import NSGA2 as Pymoo  # noqa: N811
from pymoo.problems import get_problem

import tensorrvea as tr


def seconds_here(population: int, variables: int, generations: int) -> list[float]:
    """Seconds of each generation, after one that compiles."""
    problem = tr.problems.DTLZ2(objectives=3, variables=variables)
    algorithm = tr.NSGA2(population=population)

    @jax.jit
    def generation(key: jax.Array, state: tuple) -> tuple:
        ask_key, evaluate_key, tell_key = jax.random.split(key, 3)
        offspring = algorithm.ask(ask_key, state, problem)
        values = problem.evaluate(evaluate_key, offspring.x)
        return algorithm.tell(tell_key, state, offspring, *values, tr.Clock(0.5, 0.49))

    key = jax.random.key(0)
    state, offspring = algorithm.init(key, problem)
    state = jax.jit(algorithm.tell)(key, state, offspring, *problem.evaluate(key, offspring.x), tr.Clock(0.0, 0.0))
    seconds = []
    for number in range(generations + 1):
        start = time.perf_counter()
        state = jax.block_until_ready(generation(jax.random.fold_in(key, number), state))
        seconds.append(time.perf_counter() - start)
    return seconds[1:]


def seconds_of_pymoo(population: int, variables: int, generations: int) -> list[float]:
    algorithm = Pymoo(pop_size=population)
    algorithm.setup(get_problem("dtlz2", n_var=variables, n_obj=3), termination=("n_gen", generations + 1), seed=1)
    algorithm.next()
    seconds = []
    for _ in range(generations):
        start = time.perf_counter()
        algorithm.next()
        seconds.append(time.perf_counter() - start)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--population", type=int, default=10_000)
    parser.add_argument("--variables", type=int, default=100)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--pymoo-generations", type=int, default=2)
    options = parser.parse_args()
    ours = statistics.median(seconds_here(options.population, options.variables, options.generations))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    theirs = statistics.median(seconds_of_pymoo(options.population, options.variables, options.pymoo_generations))
    print(f"population {options.population}, {options.variables} variables, 3 objectives, DTLZ2")
    print(f"here   {ours:8.4f} s per generation, peak memory of the process {peak:.0f} MB")
    print(f"pymoo  {theirs:8.4f} s per generation, {theirs / ours:.0f} times as long")


if __name__ == "__main__":
    main()
