"""Errors about run directories."""


class RunError(RuntimeError):
    """A run directory that cannot be used as requested; the message says why and what to do.

    >>> import tensorrvea as tr
    >>> try:
    ...     tr.load("no/such/run")
    ... except RunError as error:
    ...     print("no/such/run" in str(error))
    True
    """


class DamagedError(RunError):
    """A file that is truncated, changed, or of the wrong kind."""


class SpecDiffersError(RunError):
    """A directory that holds a different run from the requested one.

    Args:
      differences: what differs, as text.
      kind: ``"budget"`` or ``"source"`` if nothing else differs, else empty.
      advice: what to do.
    """

    def __init__(self, differences: str, *, kind: str = "", advice: str = "") -> None:
        super().__init__(differences + (f"\n{advice}" if advice else ""))
        self.differences, self.kind = differences, kind


class OwnProblemError(RunError):
    """A run of the user's own problem, which is not in the directory and has to be given.

    Args:
      reason: why, as text.
      origin: the ``file.py:name`` that the run was started with; empty if it is not known.
    """

    def __init__(self, reason: str, *, origin: str = "") -> None:
        super().__init__(f"{reason}: give it as problem=")
        self.reason, self.origin = reason, origin
