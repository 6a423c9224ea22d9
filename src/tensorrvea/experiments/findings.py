"""What came of an experiment: figures, tables, and what was found beside each claim of the paper."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from tensorrvea.experiments.statistics import HEAD, statistics_rows
from tensorrvea.experiments.store import Store
from tensorrvea.experiments.tables import Table, comparison_table
from tensorrvea.plot import save
from tensorrvea.runs.files import write_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Claim:
    """What the paper says, and what was found here."""

    paper: str
    here: str
    holds: bool


@dataclass
class Findings:
    """Of one experiment; all of it is also on the disk."""

    store: Store
    tables: list[str] = field(default_factory=list)
    pictures: list[dict[str, Any]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def table(self, name: str, table: Table) -> None:
        table.write(self.store.directory / name)
        self.tables.append(name)

    def comparison(
        self, name: str, title: str, values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool
    ) -> None:
        """A table of medians and marks, and beside it a CSV with all the statistics that it rests on."""
        self.table(name, comparison_table(title, values, ours, larger_is_better=larger_is_better))
        rows = statistics_rows(values, ours, larger_is_better=larger_is_better)
        self.store.write_csv(f"{name}_statistics", HEAD, rows)

    def figures(self, name: str, panels: Mapping[str, "Figure"], caption: str) -> None:
        """Figures that are looked at side by side, each under its title."""
        files = {title: f"{name}_{title.replace(' ', '_')}" for title in panels}
        for title, panel in panels.items():
            panel.axes[0].set_title(title, fontsize=9)
            for kind in ("svg", "png"):
                save(panel, self.store.directory / f"{files[title]}.{kind}")
        self.pictures.append({"caption": caption, "panels": files})

    def write(self) -> Path:
        """``findings.json``, from which the results page is made."""
        content: dict[str, Any] = {
            **self.store.description,
            "tables": self.tables,
            "figures": self.pictures,
            "claims": [asdict(claim) for claim in self.claims],
            "notes": self.notes,
        }
        path = self.store.directory / "findings.json"
        write_json(path, content)
        return path
