"""What all tests share: shapes are checked at run time, from the annotations of the library itself."""

import os
from pathlib import Path

import jaxtyping
from typechecker import CHECKED

# Compiling takes most of the tests' time, and many of them, in processes of their own too, compile the same programs.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "jax"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

jaxtyping.install_import_hook(CHECKED, "typechecker.check")
