"""Time one library at one size in a separate process, and print the result as a line of JSON.

    python benchmarks/speed_worker.py LIBRARY PROBLEM N D GENERATIONS [SEEDS]

``speed.py`` runs it with the interpreter of the library's environment, so only the standard library is imported at the
top. The time per generation is that of a whole call divided by its generations, after a first call that compiles.
"""

import json
import resource
import sys
import time


def tensorrvea(algorithm, problem, n, d, generations, seeds):
    import tensorrvea as tr

    chosen = getattr(tr.problems, problem)(objectives=3, variables=d)
    settings = getattr(tr, algorithm)(population=n)

    def run(seed):
        if seeds > 1:
            each = range(seed, seed + seeds)
            tr.replicate(chosen, settings, generations=generations, seeds=each, devices="cores", effort="full")
        else:
            tr.optimize(chosen, settings, generations=generations, seed=seed, effort="full")

    return run


def paper_rvea(problem, n, d, generations, seeds):
    import jax
    from paper_rvea import make_run

    compiled = make_run(problem, n, d, 3)

    def run(seed):
        for one in range(seed, seed + seeds):
            jax.block_until_ready(compiled(jax.random.key(one), generations))

    return run


def pymoo(problem, n, d, generations, seeds):
    from pymoo.algorithms.moo.rvea import RVEA
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem
    from pymoo.util.ref_dirs import get_reference_directions

    divisions = 1
    while (divisions + 2) * (divisions + 3) // 2 <= n:
        divisions += 1
    directions = get_reference_directions("das-dennis", 3, n_partitions=divisions)
    chosen = get_problem(problem.lower(), n_var=d, n_obj=3)

    def run(seed):
        for one in range(seed, seed + seeds):
            minimize(chosen, RVEA(directions, pop_size=len(directions)), ("n_gen", generations + 1), seed=one)

    return run


def evox(problem, n, d, generations, seeds, *, compiled=False):
    import evox.problems.numerical as numerical
    import torch
    from evox.algorithms import RVEA
    from evox.workflows import StdWorkflow

    chosen = getattr(numerical, problem)(d=d, m=3)

    def run(seed):
        for one in range(seed, seed + seeds):
            torch.manual_seed(one)
            algorithm = RVEA(pop_size=n, n_objs=3, lb=torch.zeros(d), ub=torch.ones(d))
            workflow = StdWorkflow(algorithm, chosen)
            workflow.init_step()
            step = torch.compile(workflow.step) if compiled else workflow.step
            for _ in range(generations):
                step()

    return run


LIBRARIES = {
    "tensorrvea": lambda *a: tensorrvea("PaperTensorRVEA", *a),
    "rvea": lambda *a: tensorrvea("RVEA", *a),
    "paper_rvea": paper_rvea,
    "pymoo": pymoo,
    "evox": evox,
}


def main(library, problem, n, d, generations, seeds=1):
    n, d, generations, seeds = map(int, (n, d, generations, seeds))
    started = time.perf_counter()
    run = LIBRARIES[library](problem, n, d, generations, seeds)
    bare = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(0)
    first = time.perf_counter() - started
    times: list[float] = []
    while not times or (sum(times) * generations < 2.0 and len(times) < 10):
        started = time.perf_counter()
        run(1 + len(times))
        times.append((time.perf_counter() - started) / generations)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"times": times, "first_call": first, "peak_mb": peak / 1024, "bare_mb": bare / 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
