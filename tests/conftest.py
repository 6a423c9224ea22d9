"""Set-up for all tests: shapes are checked at run time, by the annotations of the library."""

import os
from collections import Counter
from pathlib import Path

import jaxtyping
import pytest
from typechecker import CHECKED

# A compilation cache, since most of the time of tests is compilation, and many of them compile the same programs.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

jaxtyping.install_import_hook(CHECKED, "typechecker.check")

# Linux allows 65,530 memory mappings per process by default, and XLA crashes where it gets no more.
MOST_MAPPINGS = 20_000


@pytest.fixture(autouse=True, scope="module")
def few_memory_mappings():
    """Forget compiled programs after a file of tests if they have many memory mappings: each program has several."""
    yield
    mappings = Path("/proc/self/maps")
    if mappings.exists() and len(mappings.read_bytes().splitlines()) > MOST_MAPPINGS:
        import jax

        jax.clear_caches()


def pytest_terminal_summary(terminalreporter):
    """Print the sums of what tests have counted with ``record_property``."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        counts.update({name: value for name, value in report.user_properties if isinstance(value, int)})
    if counts:
        terminalreporter.section("counted in tests that passed")
    for name, count in counts.items():
        terminalreporter.line(f"{count:8,} {name}")
