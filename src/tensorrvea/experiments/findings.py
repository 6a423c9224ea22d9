"""The outcome of an experiment: figures, tables, and the paper's claims beside the values measured here."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from tensorrvea.experiments.store import Store
from tensorrvea.plot import save
from tensorrvea.runs.files import write_json
from tensorrvea.study.comparison import comparison_table
from tensorrvea.study.statistics import COLUMNS, statistics_rows
from tensorrvea.study.tables import Table


@dataclass
class Claim:
    """A claim of the paper, and what was measured here."""

    paper: str
    here: str
    holds: bool | None
    """None if the machine lacks what the claim is about, such as a GPU."""

    @property
    def verdict(self) -> str:
        return verdict(self.holds)


def verdict(holds: bool | None) -> str:
    """Return in words whether a claim holds.

    >>> verdict(None)
    'not tested'
    """
    return "not tested" if holds is None else "yes" if holds else "no"


@dataclass
class Findings:
    """The outcome of one experiment. Tables and figures are written as they are added."""

    store: Store
    tables: list[str] = field(default_factory=list)
    figures: list[dict[str, Any]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_table(self, name: str, table: Table) -> None:
        table.write(self.store.directory / name)
        self.tables.append(name)

    def add_comparison(
        self, name: str, title: str, values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool
    ) -> None:
        """Add a table of medians and marks, and write the statistics behind it as CSV."""
        self.add_table(name, comparison_table(title, values, ours, larger_is_better=larger_is_better))
        rows = statistics_rows(values, ours, larger_is_better=larger_is_better)
        self.store.write_csv(f"{name}_statistics", COLUMNS, rows)

    def add_figures(self, name: str, panels: Mapping[str, Figure], caption: str) -> None:
        """Add figures, by title, that are shown side by side."""
        files = {title: f"{name}_{title.replace(' ', '_')}" for title in panels}
        for title, panel in panels.items():
            panel.axes[0].set_title(title, fontsize=9)
            for suffix in ("svg", "png"):
                save(panel, self.store.directory / f"{files[title]}.{suffix}")
        self.figures.append({"caption": caption, "panels": files})

    def write(self) -> None:
        """Write ``findings.json``, from which the results page is made."""
        content: dict[str, Any] = {
            **self.store.description,
            "tables": self.tables,
            "figures": self.figures,
            "claims": [asdict(claim) for claim in self.claims],
            "notes": self.notes,
        }
        write_json(self.store.directory / "findings.json", content)
