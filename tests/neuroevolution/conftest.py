"""Fixtures for tests of several engines."""

import jax
import pytest
from sizes import QUICKLY

from tensorrvea.neuroevolution import trajectory


@pytest.fixture
def quick_records(monkeypatch):
    """Compile the recording of episodes with less optimisation, in less time."""
    static = ("world", "steps")
    quick = jax.jit(trajectory._trace_compiled.__wrapped__, static_argnames=static, compiler_options=QUICKLY)
    monkeypatch.setattr(trajectory, "_trace_compiled", quick)
