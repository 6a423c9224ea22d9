"""Errors about run directories."""


class RunError(RuntimeError):
    """A run directory that cannot be used as requested; the message says why and what to do."""


class DamagedError(RunError):
    """A file that is truncated, changed, or of the wrong kind."""


class SpecDiffersError(RunError):
    """A directory that holds a different run from the requested one."""
