"""A drawn tree read back: the strokes that its one collection holds."""

import numpy as np

from eagle_lab.pictures.ink import OURS, Stroke


def strokes(ax) -> list[Stroke]:
    """All that is drawn, bottom first, with RGBA colours as matplotlib will use them."""
    (drawn,) = (artist for artist in ax.collections if artist.get_gid() == OURS)
    dashes = [pattern for _, pattern in drawn.get_linestyles()]
    looks = drawn.get_facecolors().tolist(), drawn.get_edgecolors().tolist(), drawn.get_linewidths().tolist(), dashes
    return [Stroke(*parts) for parts in zip(drawn.get_paths(), *looks, strict=True)]


def strokes_at(ax, x: float, y: float) -> list[Stroke]:
    """What is drawn around a place, bottom first."""
    return [stroke for stroke in strokes(ax) if np.abs(middle(stroke) - (x, y)).max() < 1e-6]


def middle(stroke: Stroke) -> np.ndarray:
    """The middle of its outline."""
    return (stroke.path.vertices.min(axis=0) + stroke.path.vertices.max(axis=0)) / 2


def across(stroke: Stroke) -> float:
    """The width of its outline."""
    return float(np.ptp(stroke.path.vertices[:, 0]))
