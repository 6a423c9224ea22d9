"""A robot's state, as the rules of a task see it: positions, velocities, and what is found by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxtyping import Float

from tensorrvea.checks import check_choice


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """Where the named parts of a robot are: slices of positions, of velocities and of readings."""

    joints: Mapping[str, slice] = field(default_factory=dict)
    velocities: Mapping[str, slice] = field(default_factory=dict)
    sensors: Mapping[str, slice] = field(default_factory=dict)
    sites: Mapping[str, slice] = field(default_factory=dict)
    bodies: Mapping[str, slice] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class State:
    """One state of a robot, or a batch of them, in NumPy or JAX.

    ``q`` and ``qd`` are MuJoCo's generalised positions and velocities, (…, nq) and (…, nv). The methods find a part
    of the model by its name; a wrong name raises a ``ValueError`` that lists the right ones. ``xp`` is the module of
    the arrays, ``numpy`` or ``jax.numpy``: a rule that uses ``state.xp.sin`` works in every engine.

    Args:
      q: positions.
      qd: velocities.
      readings: of the sensors, sites and bodies that the rules use.
      layout: where each joint, sensor, site and body is found.

    Raises:
      ValueError: if a name is unknown.

    >>> import numpy as np
    >>> layout = Layout(joints={"hip": slice(0, 1), "knee": slice(1, 2)})
    >>> state = State(np.array([0.5, 2.0]), np.zeros(2), layout=layout)
    >>> float(state.joint("knee"))
    2.0
    """

    q: Float[Any, "*batch nq"]
    qd: Float[Any, "*batch nv"]
    readings: Float[Any, "*batch r"] | None = None  # of sensors, sites and bodies; None where no rule reads them
    layout: Layout = field(default_factory=Layout)

    @property
    def xp(self) -> Any:
        """The module of the arrays: ``numpy`` or ``jax.numpy``."""
        return self.q.__array_namespace__()

    def joint(self, name: str) -> Any:
        """Position of a joint: one number for a hinge or a slide, else its coordinates on a last axis."""
        return _cut(self.q, "joint", name, self.layout.joints)

    def joint_velocity(self, name: str) -> Any:
        """Velocity of a joint: one number for a hinge or a slide, else its components on a last axis."""
        return _cut(self.qd, "joint", name, self.layout.velocities)

    def sensor(self, name: str) -> Any:
        """Reading of a sensor in this state: one number, or several on a last axis."""
        return self._read("sensor", name, self.layout.sensors)

    def site(self, name: str) -> Any:
        """Position of a site in the world: x, y and z on a last axis."""
        return self._read("site", name, self.layout.sites)

    def body(self, name: str) -> Any:
        """Position of a body in the world: x, y and z on a last axis."""
        return self._read("body", name, self.layout.bodies)

    def _read(self, kind: str, name: str, places: Mapping[str, slice]) -> Any:
        if self.readings is None and name in places:
            raise ValueError(
                f"{kind} {name!r} was not read in the model's default state; rules must read the same in all states"
            )
        return _cut(self.readings, kind, name, places)


def _cut(values: Any, kind: str, name: str, places: Mapping[str, slice]) -> Any:
    if not places:
        raise ValueError(f"this model has no named {kind} in this engine, got {name!r}")
    where = places[check_choice(kind, name, tuple(places))]
    return values[..., where.start] if where.stop - where.start == 1 else values[..., where]
