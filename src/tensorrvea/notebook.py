"""A result as HTML, for notebooks: a summary, a small picture of the front, and a table of some solutions."""

import base64
import html
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

# Rows and columns of the table.
ROWS = 8
COLUMNS = 8


def result_page(
    title: str,
    summary: Sequence[str],
    picture: bytes | None,
    names: Sequence[str],
    values: Float[np.ndarray, "k c"],
    order: Int[np.ndarray, " k"],
) -> str:
    """Return HTML of a result; text is escaped, since names may come from somebody else's file.

    Args:
      title: the first line.
      summary: the lines below it.
      picture: a PNG, if there is one.
      names: of the columns; only the first are shown.
      values: one row per solution; some are shown, evenly spaced.
      order: the rows in the order in which they are shown; the table has their numbers.
    """
    lines = "".join(f"<div>{html.escape(line)}</div>" for line in summary)
    image = ""
    if picture is not None:
        source = base64.b64encode(picture).decode()
        image = f'<img alt="the front" style="max-width: 320px" src="data:image/png;base64,{source}">'
    return (
        '<div style="display: flex; gap: 1em; flex-wrap: wrap; align-items: flex-start">'
        f"<div><b>{html.escape(title)}</b>{lines}{image}</div>{_table(names, values, order)}</div>"
    )


def _table(names: Sequence[str], values: np.ndarray, order: np.ndarray) -> str:
    if len(values) == 0:
        return ""
    shown = order[np.unique(np.linspace(0, len(values) - 1, min(ROWS, len(values))).astype(int))]
    columns = list(names[:COLUMNS])
    more = ["…"] if len(names) > COLUMNS else []
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ["row", *columns, *more])
    body = "".join(
        f"<tr><th>{row}</th>"
        + "".join(f"<td>{value:.4g}</td>" for value in values[row, :COLUMNS])
        + "<td></td>" * len(more)
        + "</tr>"
        for row in shown
    )
    caption = f"{len(shown)} of {len(values)} solutions" if len(shown) < len(values) else f"{len(values)} solutions"
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
