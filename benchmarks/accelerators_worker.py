"""Compile what a run of an algorithm executes, for a device that need not be there; called by ``accelerators.py``.

    python accelerators_worker.py PLATFORM TARGET ALGORITHM N D FOLDER

PLATFORM is ``cuda``, with TARGET a file that describes the device, or ``tpu``, with TARGET the name of a topology.
Writes the compiled program (``program.txt``) and what the compiler says of it (``compiled.json``) to FOLDER.
"""

import json
import sys
import time
from pathlib import Path

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

import tensorrvea as tr
from tensorrvea import compiled
from tensorrvea.driver.evaluators import ChunkEvaluator
from tensorrvea.driver.run import Run
from tensorrvea.driver.schedule import Budget
from tensorrvea.platforms import compile_for


def target_device(platform, target):
    """Return a device that can be compiled for, and not run on."""
    if platform == "cuda":
        options = {"topology": "1x1x1", "target_config": Path(target).read_text()}
        return topologies.get_topology_desc(platform="cuda", **options).devices[0]
    return topologies.get_topology_desc(target, platform="tpu", chips_per_host_bounds=(1, 1, 1)).devices[0]


def lower_chunk(algorithm, n, d, device):
    """Return the program of a chunk of generations on DTLZ1 with three objectives, lowered for the device."""
    problem = tr.problems.DTLZ1(variables=d)
    search = getattr(tr.algorithms, algorithm)(population=n)
    run = Run(problem, search, [0], False, Budget(population=n, generations=1000), effort="full")
    carry = compiled.begin.shapes(run.program, run.setting, run.key, None)
    sharding = SingleDeviceSharding(device)

    def described(leaf):
        leaf = jax.numpy.asarray(leaf) if not hasattr(leaf, "dtype") else leaf
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    arguments = jax.tree.map(described, ChunkEvaluator(run).arguments(carry))
    return compiled.chunk.lower(run.program, run.setting, *arguments)


def main():
    platform, target, algorithm, n, d, folder = sys.argv[1:]
    device = target_device(platform, target)
    with compile_for(platform):
        lowered = lower_chunk(algorithm, int(n), int(d), device)
    start = time.perf_counter()
    program = lowered.compile()
    seconds = time.perf_counter() - start
    used = program.memory_analysis()
    sizes = {name: getattr(used, f"{name}_size_in_bytes") for name in ("argument", "output", "temp", "alias")}
    (Path(folder) / "program.txt").write_text(program.as_text())
    (Path(folder) / "compiled.json").write_text(json.dumps({"seconds": seconds, "memory": sizes}))


if __name__ == "__main__":
    main()
