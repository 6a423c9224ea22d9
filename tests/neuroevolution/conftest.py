"""What tests of several engines share."""

from importlib import import_module

import jax
import pytest
from sizes import QUICKLY


@pytest.fixture
def quick_records(monkeypatch):
    """Episodes of a few steps, whose recording takes less time to compile."""
    module = import_module("tensorrvea.neuroevolution.replay")  # the package has a function of this name
    static = ("problem", "steps")
    quick = jax.jit(module._trace_compiled.__wrapped__, static_argnames=static, compiler_options=QUICKLY)
    monkeypatch.setattr(module, "_trace_compiled", quick)
