"""One HTML page from runs, made for choosing a solution; it works offline, from anywhere, on anything."""

from tensorrvea.report.payload import History, Part, Replay, Run
from tensorrvea.report.write import report

__all__ = ["History", "Part", "Replay", "Run", "report"]
