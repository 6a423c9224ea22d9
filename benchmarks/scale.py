"""Predicts how the time of a generation falls with the number of GPUs, from the bytes that it moves.

    python benchmarks/scale.py

Nothing is measured here: it is the arithmetic of ``docs/scale.md``, with bandwidths that can be changed below. The
bytes were counted in the text of the compiled program, of TensorRVEA with GA.
"""

from math import sqrt

WORD = 4
MEMORY = 1.5e12  # bytes a second of a device's own memory
NODE, INSIDE, BETWEEN = 8, 300e9, 25e9  # GPUs of a node; bytes a second of each, to its neighbours and to other nodes
LATENCY, COLLECTIVES = 20e-6, 35  # of one collective, and how many a generation has
SMALL = 126  # bytes a row that every device gets of all rows: objectives, scores, flags, numbers of rows
PASSES = 8  # how often a generation reads or writes a whole X in a device's own memory


def generation(n: float, d: int, gpus: int, evaluation: float = 0.0) -> tuple[float, float, float, float]:
    """Seconds of a generation: in all, of memory and evaluation, of rows that travel, of what all devices get."""
    rows = n / gpus
    own = PASSES * rows * d * WORD / MEMORY + rows * evaluation
    if gpus == 1:
        return own, own, 0.0, 0.0
    wire = INSIDE if gpus <= NODE else BETWEEN
    mean = rows / gpus
    sent = 2 * (gpus - 1) * (mean + 8 * sqrt(mean) + 8) * d * WORD  # parents, then survivors
    rows_travel = sent / wire
    gathered = SMALL * n / wire + COLLECTIVES * LATENCY
    return own + rows_travel + gathered, own, rows_travel, gathered


def main() -> None:
    print(
        "| n | d | evaluation | GPUs | memory and evaluation | rows that travel | for all | a generation | speed-up |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for n, d, evaluation in ((1e6, 1000, 0.0), (1e7, 1000, 0.0), (1e6, 1000, 1e-6), (1e7, 1000, 1e-6)):
        alone = generation(n, d, 1, evaluation)[0]
        for gpus in (1, 2, 8, 16, 64, 256, 1024):
            whole, *parts = generation(n, d, gpus, evaluation)
            shown = " | ".join(f"{part * 1e3:.2f} ms" for part in (*parts, whole))
            cost = f"{evaluation * 1e6:.0f} µs" if evaluation else "none"
            print(f"| {n:.0e} | {d:,} | {cost} | {gpus:,} | {shown} | {alone / whole:.1f} |")


if __name__ == "__main__":
    main()
