"""What can be wrong with a run directory."""


class RunError(RuntimeError):
    """A run directory that cannot be used as asked; the message says why, and what can be done."""


class DamagedError(RunError):
    """A file that is cut short, changed, or not what it should be."""


class SpecDiffersError(RunError):
    """A directory holds another run than the one that was asked for."""
