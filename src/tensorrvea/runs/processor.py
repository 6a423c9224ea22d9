"""What determines, besides versions, how a processor rounds: its model, its instructions, and the compiler's flags."""

import os
import platform
from pathlib import Path

CPU_INFO = Path("/proc/cpuinfo")
# Instructions that XLA compiles for; the others do not change results.
INSTRUCTIONS = ("sse4_2", "avx", "f16c", "fma", "avx2", "avx512", "avx_vnni", "amx", "asimd", "sve", "bf16")
# Flags that do not change results.
HARMLESS = ("--xla_force_host_platform_device_count", "--xla_dump", "--xla_cpu_parallel_codegen")


def describe_processor() -> dict[str, str]:
    """Return the model, the instructions and the flags, as text to compare between sessions."""
    info: dict[str, str] = {}
    try:
        text = CPU_INFO.read_text()
    except OSError:
        text = ""
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            info.setdefault(name.strip(), value.strip())
    flags = (info.get("flags") or info.get("Features") or "").split()
    return {
        "model": info.get("model name") or info.get("CPU part") or platform.processor() or platform.machine(),
        "instructions": " ".join(sorted(flag for flag in flags if flag.startswith(INSTRUCTIONS))),
        "XLA_FLAGS": " ".join(
            sorted(flag for flag in os.environ.get("XLA_FLAGS", "").split() if not flag.startswith(HARMLESS))
        ),
    }
