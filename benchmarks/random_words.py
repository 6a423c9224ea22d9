"""Statistical tests of the random words of crossover, in the orders in which neighbours could show a pattern.

    python benchmarks/random_words.py                                       tests with NumPy (a few minutes)
    python benchmarks/random_words.py --dieharder 0 1 2 --order generations  tests of dieharder, by their numbers
    python benchmarks/random_words.py --write --order rows | RNG_test stdin32  raw words for any other program

The words are those that SBX draws in runs of 4,096 individuals with 100 variables: generation after generation, with
the keys that a run has. ``rows`` is their order in memory; ``columns`` puts those of one gene beside each other,
``generations`` those of one place in consecutive generations, and ``seeds`` those of one place in runs with consecutive
seeds. A generator without flaws gives p values that are uniform in [0, 1].
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from tensorrvea.loop import generation_keys
from tensorrvea.randomness import split, words

PAIRS, VARIABLES = 2048, 100
BATCH = 128  # generations or seeds that are drawn at a time
ORDERS = ("rows", "columns", "generations", "seeds")


def crossover_words(seed: jax.Array, t: jax.Array) -> jax.Array:
    """Return the words of SBX in generation t, by the keys of ``Evolution.ask``, ``GA`` and ``SBX.spread``."""
    ask_key, *_ = generation_keys(jax.random.key(seed), t)
    _, vary_key = split(ask_key)
    crossover_key, _ = split(vary_key)
    gene_key, _ = split(crossover_key)
    return words(gene_key, (PAIRS, VARIABLES))


@jax.jit
def batch_of_generations(seed: jax.Array, first: jax.Array) -> jax.Array:
    return jax.vmap(crossover_words, (None, 0))(seed, first + jnp.arange(BATCH))


@jax.jit
def batch_of_seeds(first: jax.Array, t: jax.Array) -> jax.Array:
    return jax.vmap(crossover_words, (0, None))(first + jnp.arange(BATCH, dtype=jnp.uint32), t)


def batches(order: str, seed: int) -> Iterator[np.ndarray]:
    """Return words without end, a flat array at a time."""
    number = 0
    while True:
        if order == "seeds":
            drawn = batch_of_seeds(jnp.uint32(seed + BATCH * number), 1)
        else:
            drawn = batch_of_generations(jnp.uint32(seed), 1 + BATCH * number)
        axes = {"rows": (0, 1, 2), "columns": (0, 2, 1)}.get(order, (1, 2, 0))
        yield np.ascontiguousarray(np.asarray(drawn).transpose(axes)).reshape(-1)
        number += 1


# Tests: each returns a p value


def bits(word: np.ndarray) -> float:
    """Every bit is set in half of the words."""
    ones = np.array([(word >> bit & 1).sum() for bit in range(32)], float)
    return stats.chi2.sf(((ones - len(word) / 2) ** 2 / (len(word) / 4)).sum(), 32)


def bytes_uniform(word: np.ndarray) -> float:
    return stats.chisquare(np.bincount(word.view(np.uint8), minlength=256)).pvalue


def neighbouring_bits(word: np.ndarray) -> float:
    """Every bit differs from that of the next word half of the time."""
    return bits(word[:-1:2] ^ word[1::2])


def neighbouring_pairs(shift: int) -> Callable[[np.ndarray], float]:
    """Eight bits of a word and of the next are uniform together."""

    def test(word: np.ndarray) -> float:
        part = (word >> shift & 0xFF).astype(np.uint16)
        return stats.chisquare(np.bincount(part[:-1:2] << 8 | part[1::2], minlength=65536)).pvalue

    return test


def correlation(word: np.ndarray) -> float:
    """Each word and the next are uncorrelated."""
    number = word / 2.0**32 - 0.5
    return 2 * stats.norm.sf(abs(12 * (number[:-1] * number[1:]).mean() * np.sqrt(len(number) - 1)))


def weights(word: np.ndarray) -> float:
    """The numbers of set bits of each word and the next are uncorrelated."""
    weight = np.bitwise_count(word).astype(np.float64) - 16
    return 2 * stats.norm.sf(abs((weight[:-1] * weight[1:]).mean() / 8 * np.sqrt(len(weight) - 1)))


def birthday_spacings(word: np.ndarray) -> float:
    """Spacings of 4,096 sorted words repeat as often as a Poisson variable of mean 4 (Marsaglia, 1985)."""
    days = np.sort(word[: len(word) // 4096 * 4096].reshape(-1, 4096), axis=1)
    spacings = np.sort(np.diff(days.astype(np.int64), axis=1), axis=1)
    repeated = int((np.diff(spacings, axis=1) == 0).sum())
    mean = 4096**3 / 2.0**34 * len(days)
    return float(min(1, 2 * min(stats.poisson.cdf(repeated, mean), stats.poisson.sf(repeated - 1, mean))))


def matrix_ranks(word: np.ndarray) -> float:
    """Matrices of 32 words have full rank, one less, or two less and more, as often as random bits (of 400,000)."""
    rows = word[: 32 * min(len(word) // 32, 400_000)].reshape(-1, 32).copy()
    rank = np.zeros(len(rows), int)
    each = np.arange(len(rows))
    for bit in range(32):  # Gaussian elimination of all matrices at once
        has = (rows >> np.uint32(bit) & 1).astype(bool) & (np.arange(32) >= rank[:, None])
        pivot, found = has.argmax(axis=1), has.any(axis=1)
        target = np.minimum(rank, 31)
        chosen = rows[each, pivot]
        rows[each, pivot] = np.where(found, rows[each, target], chosen)
        rows[each, target] = np.where(found, chosen, rows[each, target])
        below = (np.arange(32) > target[:, None]) & (rows >> np.uint32(bit) & 1).astype(bool) & found[:, None]
        rows ^= np.where(below, chosen[:, None], np.uint32(0))
        rank += found
    full = np.prod(1 - 2.0 ** -np.arange(1, 33))
    one_less = full * 2 * (1 - 2.0**-32)
    expected = np.array([full, one_less, 1 - full - one_less]) * len(rank)
    return stats.chisquare([(rank == 32).sum(), (rank == 31).sum(), (rank < 31).sum()], expected).pvalue


def largest_of_eight(word: np.ndarray) -> float:
    """The eighth power of the largest of eight numbers is uniform (Knuth's maximum-of-t test)."""
    largest = (word[: len(word) // 8 * 8].reshape(-1, 8).max(axis=1) + 0.5) / 2.0**32
    return stats.chisquare(np.histogram(largest**8, 4096, (0, 1))[0]).pvalue


TESTS: dict[str, Callable[[np.ndarray], float]] = {
    "each bit": bits,
    "bytes": bytes_uniform,
    "bits of neighbours differ": neighbouring_bits,
    "pairs of upper bytes": neighbouring_pairs(24),
    "pairs of lower bytes": neighbouring_pairs(0),
    "correlation of neighbours": correlation,
    "weights of neighbours": weights,
    "birthday spacings": birthday_spacings,
    "ranks of matrices": matrix_ranks,
    "largest of eight": largest_of_eight,
}


def run_dieharder(order: str, seed: int, numbers: list[int]) -> None:
    """Run tests of dieharder, each on a new stream of words, and print their p values."""
    print("| order | test of dieharder | variant | p value | its assessment |\n|---|---|---|---|---|", flush=True)
    for number in numbers:
        command = ["dieharder", "-g", "200", "-d", str(number)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
            assert program.stdin is not None
            assert program.stdout is not None
            try:
                for batch in batches(order, seed):
                    program.stdin.write(batch.tobytes())
            except BrokenPipeError:  # it has read enough
                pass
            for line in program.stdout.read().decode().splitlines():
                # name | ntup | tsamples | psamples | p-value | assessment
                cells = [cell.strip() for cell in line.split("|")]
                if len(cells) == 6 and re.fullmatch(r"[0-9.]+", cells[4]):
                    print(f"| {order} | {cells[0]} | {cells[1]} | {cells[4]} | {cells[5].lower()} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--order", choices=ORDERS, help="default: all, or rows for another program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dieharder", type=int, nargs="+", metavar="TEST", help="numbers of tests (dieharder -l)")
    parser.add_argument("--write", action="store_true", help="write raw words to the standard output, without end")
    options = parser.parse_args()
    if options.write:
        for batch in batches(options.order or "rows", options.seed):
            sys.stdout.buffer.write(batch.tobytes())
    elif options.dieharder:
        run_dieharder(options.order or "rows", options.seed, options.dieharder)
    else:
        orders = [options.order] if options.order else ORDERS
        drawn = {order: next(batches(order, options.seed)) for order in orders}
        print("| test | " + " | ".join(orders) + " |\n|---" + "|---" * len(orders) + "|")
        for name, test in TESTS.items():
            print(f"| {name} | " + " | ".join(f"{test(drawn[order]):.3f}" for order in orders) + " |", flush=True)


if __name__ == "__main__":
    main()
