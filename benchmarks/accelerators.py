"""What a generation costs on a GPU or TPU that is not there: XLA compiles for it all the same.

    python benchmarks/accelerators.py                                          all of the table (hours on two cores)
    python benchmarks/accelerators.py --algorithms TensorRVEA PaperTensorRVEA --devices rtx4090

Compiles the chunk of generations of ``optimize(..., effort="full")`` on DTLZ1 with three objectives, and counts in the
compiled program what a generation executes. Writes ``out/accelerators/table.md``; what was compiled before, from the
same source, is not compiled again. JAX for the device is installed into an environment under ``out/environments``.

Nothing is measured. The time in the table is computed from four figures of the device and these two assumptions:

- a kernel takes ``LAUNCH`` to start, and at least as long as its bytes take through the memory, or its operations
  through the arithmetic units. (Arrays that stay in the second-level cache may be faster than that.)
- a loop or branch that depends on data takes ``WAIT`` longer, since the host waits for the device to decide. The loop
  over generations is one. A TPU decides itself.
"""

import argparse
import ast
import gzip
import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax
from compiled_program import Cost, Program

import tensorrvea
from tensorrvea.memory import show as show_bytes

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
LAUNCH, WAIT = 2.5e-6, 10e-6
# Parts of the library that nothing of a compiled generation is in.
OUTER = ("cli", "experiments", "report", "study", "plot", "runs", "host", "neuroevolution", "adapters")
# Compiling longer than this is given up.
SECONDS = 900


class Device(NamedTuple):
    """A device to compile for; bandwidth in bytes and speed in single-precision operations per second."""

    name: str
    platform: str
    bandwidth: float
    speed: float
    target: str


def gpu(name: str, capability: str, bandwidth: float, speed: float, **details: float) -> Device:
    """Return a GPU, described as XLA wants it. The numbers that decide nothing here are those of most GPUs."""
    major, minor = capability.split(".")
    common = {
        "threads_per_block_limit": 1024, "threads_per_warp": 32, "shared_memory_per_block": 49_152,
        "fpus_per_core": 128, "block_dim_limit_x": 2**31 - 1, "block_dim_limit_y": 65_535, "block_dim_limit_z": 65_535,
        "registers_per_core_limit": 65_536, "registers_per_block_limit": 65_536,
    }  # fmt: skip
    lines = [f"  {key}: {value}" for key, value in {**common, "memory_bandwidth": int(bandwidth), **details}.items()]
    target = [
        "gpu_device_info {", *lines, f"  cuda_compute_capability {{ major: {major} minor: {minor} }}", "}",
        'platform_name: "CUDA"', "dnn_version_info { major: 9 minor: 8 }", f'device_description_str: "{name}"',
    ]  # fmt: skip
    return Device(name, "cuda", bandwidth, speed, "\n".join(target))


DEVICES = {
    "rtx4090": gpu(
        "RTX 4090", "8.9", 1_008e9, 82.6e12, core_count=128, clock_rate_ghz=2.52, l2_cache_size=72 * 2**20,
        device_memory_size=24 * 10**9, threads_per_core_limit=1536, shared_memory_per_core=102_400,
        shared_memory_per_block_optin=101_376,
    ),
    "h100": gpu(
        "H100", "9.0", 3_352e9, 66.9e12, core_count=132, clock_rate_ghz=1.98, l2_cache_size=50 * 2**20,
        device_memory_size=80 * 10**9, threads_per_core_limit=2048, shared_memory_per_core=233_472,
        shared_memory_per_block_optin=232_448,
    ),
    "tpu-v5e": Device("TPU v5e", "tpu", 819e9, 3.2e12, "v5e:1x1"),
}  # fmt: skip

SMALL, MANY, WIDE = (105, 12), (16_384, 100), (100, 262_144)
# Algorithms that compare all pairs, or sort by fronts, have the largest population of the paper's robot experiments.
FEWER = (10_000, 100)
SIZES = dict.fromkeys(("TensorRVEA", "PaperTensorRVEA", "RVEA"), (SMALL, MANY, WIDE))
SIZES |= dict.fromkeys(
    (cls.__name__ for cls in tensorrvea.algorithms.ALL if cls.__name__ not in SIZES), (SMALL, FEWER, WIDE)
)
COLUMNS = (
    "device", "algorithm", "n", "d", "kernels", "at most", "loops", "branches", "sorts", "MB", "operations", "memory",
    "computed time", "of it bytes and operations",
)  # fmt: skip


def interpreter(platform: str) -> str:
    """Return the Python of the environment for a platform, and create it if necessary."""
    folder = OUT / "environments" / platform
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"creating the environment for {platform} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        extra = {"cuda": "cuda12", "tpu": "tpu"}[platform]
        packages = [f"jax[{extra}]=={jax.__version__}", str(HERE.parent)]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "complete").touch()
    return str(python)


@cache
def source_digest() -> str:
    """Return a digest of the code that a generation is compiled from, without comments and docstrings."""
    root = Path(tensorrvea.__file__).parent
    paths = [path for path in sorted(root.rglob("*.py")) if path.relative_to(root).parts[0] not in OUTER]
    digest = hashlib.sha256()
    for path in paths:
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = ""
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()


def compile_program(device: Device, algorithm: str, n: int, d: int, folder: Path) -> dict:
    """Return what is known of the compiled program; its text is ``program.txt.gz`` in the folder."""
    known = folder / "compiled.json"
    if known.exists() and (found := json.loads(known.read_text()))["source"] == source_digest():
        return found
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "target.txt"
    target.write_text(device.target)
    # The machine has no such device: nothing may look for one.
    settings = {"JAX_PLATFORMS": "cpu", "TENSORRVEA_CACHE": "off", "PYTHONPATH": str(HERE.parent / "src")}
    settings |= {"TPU_SKIP_MDS_QUERY": "1", "TPU_ACCELERATOR_TYPE": "v5e-1", "TPU_WORKER_HOSTNAMES": "localhost"}
    where = str(target) if device.platform == "cuda" else device.target
    command = [interpreter(device.platform), HERE / "accelerators_worker.py", device.platform, where, algorithm, n, d]
    found = {"source": source_digest()}
    try:
        done = subprocess.run(
            list(map(str, [*command, folder])), capture_output=True, text=True, env=os.environ | settings,
            check=False, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        found["error"] = f"not compiled within {SECONDS} s"
    else:
        if done.returncode:
            found["error"] = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]
        else:
            found |= json.loads(known.read_text())
            text = folder / "program.txt"
            (folder / "program.txt.gz").write_bytes(gzip.compress(text.read_bytes()))
            text.unlink()
    known.write_text(json.dumps(found))
    return found


def waiting(device: Device, cost: Cost) -> float:
    """Return how long the host waits in a generation, at the end of which it also decides whether there is another."""
    return 0 if device.platform == "tpu" else WAIT * (cost.loops + cost.conditionals + 1)


def row(device: Device, algorithm: str, n: int, d: int, folder: Path) -> str:
    """Return a row of the table."""
    found = compile_program(device, algorithm, n, d, folder)
    start = f"| {device.name} | {algorithm} | {n:,} | {d:,} | "
    if "error" in found:
        return start + found["error"].replace("|", " ") + " |" * (len(COLUMNS) - 4)
    program = Program(
        gzip.decompress((folder / "program.txt.gz").read_bytes()).decode(), device.bandwidth, device.speed
    )
    least, most = program.generation()
    sizes = found["memory"]
    used = sizes["argument"] + sizes["output"] + sizes["temp"] - sizes["alias"]
    time = least.kernels * LAUNCH + least.seconds + waiting(device, least)
    cells = [
        f"{least.kernels:,}", f"{most.kernels:,}", least.loops, least.conditionals, least.sorts,
        f"{least.bytes / 1e6:,.3g}", f"{least.operations:.2g}", show_bytes(used), show(time), show(least.seconds),
    ]  # fmt: skip
    return start + " | ".join(map(str, cells)) + " |"


def show(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:,.3g} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithms", nargs="*", choices=SIZES, default=list(SIZES))
    parser.add_argument("--devices", nargs="*", choices=DEVICES, default=list(DEVICES))
    parser.add_argument("--sizes", nargs="*", type=int, help="n and d, one after the other; by default the paper's")
    options = parser.parse_args()
    pairs = list(zip(options.sizes[::2], options.sizes[1::2], strict=True)) if options.sizes else None
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    print(*lines, sep="\n", flush=True)
    for name in options.devices:
        for algorithm in options.algorithms:
            for n, d in pairs or SIZES[algorithm]:
                folder = OUT / "accelerators" / name / f"{algorithm}_{n}_{d}"
                lines.append(row(DEVICES[name], algorithm, n, d, folder))
                print(lines[-1], flush=True)
    path = OUT / "accelerators" / "table.md"
    path.write_text("\n".join(lines) + "\n")
    print(path)


if __name__ == "__main__":
    main()
