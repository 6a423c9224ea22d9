"""What all animations share: colours, and the last steps of a frame."""

from typing import Any

PAPER, GROUND, TICK, TEXT = (250, 250, 248), (214, 210, 200), (150, 146, 138), (60, 60, 60)
# Okabe and Ito's palette for colour-blind readers.
COLOURS = ((0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (213, 94, 0))
SMOOTHING = 2  # frames are drawn larger by this factor and scaled down


def finish(image: Any, pen: Any, images: Any, title: str, *, colours: int = 64) -> Any:
    """Write a title, scale down, and reduce the colours, which makes small files."""
    pen.text((8 * SMOOTHING, 6 * SMOOTHING), title, fill=TEXT, font_size=14 * SMOOTHING)
    small = image.resize((image.width // SMOOTHING, image.height // SMOOTHING), images.Resampling.LANCZOS)
    return small.quantize(colors=colours, dither=images.Dither.NONE)
