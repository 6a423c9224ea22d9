"""One self-contained HTML page from runs, for choosing a solution."""

from tensorrvea.report.records import History, Part, Replay, Run
from tensorrvea.report.write import report

__all__ = ["History", "Part", "Replay", "Run", "report"]
