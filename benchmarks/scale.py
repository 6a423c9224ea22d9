"""Predict the time per generation over the number of GPUs from the bytes moved.

    python benchmarks/scale.py

Nothing is measured: this is the arithmetic of ``docs/scale.md``, with bandwidths that can be changed below. The bytes
were counted in the compiled program of TensorRVEA with GA.
"""

from math import sqrt

WORD = 4
MEMORY = 1.5e12  # bytes per second of a device's memory
NODE, INSIDE, BETWEEN = 8, 300e9, 25e9  # GPUs per node; bytes per second of each inside and between nodes
LATENCY, COLLECTIVES = 20e-6, 35  # seconds per collective, and their number per generation
SMALL = 126  # replicated bytes per row: objectives, scores, flags, row numbers
PASSES = 8  # how often a generation reads or writes all of X in device memory


def generation(n: float, d: int, gpus: int, evaluation: float = 0.0) -> tuple[float, float, float, float]:
    """Seconds per generation: total, memory and evaluation, row exchange, replication."""
    rows = n / gpus
    local = PASSES * rows * d * WORD / MEMORY + rows * evaluation
    if gpus == 1:
        return local, local, 0.0, 0.0
    bandwidth = INSIDE if gpus <= NODE else BETWEEN
    mean = rows / gpus
    sent = 2 * (gpus - 1) * (mean + 8 * sqrt(mean) + 8) * d * WORD  # parents, then survivors
    exchange = sent / bandwidth
    replication = SMALL * n / bandwidth + COLLECTIVES * LATENCY
    return local + exchange + replication, local, exchange, replication


def main() -> None:
    print("| n | d | evaluation | GPUs | memory and evaluation | row exchange | replication | generation | speed-up |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d, evaluation in ((1e6, 1000, 0.0), (1e7, 1000, 0.0), (1e6, 1000, 1e-6), (1e7, 1000, 1e-6)):
        single = generation(n, d, 1, evaluation)[0]
        for gpus in (1, 2, 8, 16, 64, 256, 1024):
            total, *parts = generation(n, d, gpus, evaluation)
            shown = " | ".join(f"{part * 1e3:.2f} ms" for part in (*parts, total))
            cost = f"{evaluation * 1e6:.0f} µs" if evaluation else "none"
            print(f"| {n:.0e} | {d:,} | {cost} | {gpus:,} | {shown} | {single / total:.1f} |")


if __name__ == "__main__":
    main()
