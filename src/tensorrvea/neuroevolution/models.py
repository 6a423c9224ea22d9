"""The robots' models: MJCF files of the package Brax or of the user, compiled by MuJoCo."""

import hashlib
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tensorrvea.checks import check_choice, hint, shown
from tensorrvea.neuroevolution.state import Layout
from tensorrvea.optional import import_optional

EXTRA = "neuroevolution"
TOTAL_MASS = re.compile(r'\s+settotalmass="([\d.]+)"')
# Prefixes of the names of added sensors; MJCF names of the user have no such characters.
SENSOR, SITE, BODY = "", "\x1fsite:", "\x1fbody:"
# Numbers of positions and velocities by the type of a joint: free, ball, slide, hinge.
JOINT_WIDTHS = ((7, 6), (4, 3), (1, 1), (1, 1))


def require(module: str, *, needed_for: str) -> ModuleType:
    """Import an optional module; the error says how to install it."""
    return import_optional(module, needed_for=needed_for, extra=EXTRA)


def model_path(model: str) -> Path:
    """Path of the MJCF file in the package Brax, without importing it."""
    spec = find_spec("brax")
    if spec is None or spec.origin is None:
        remedy = f'pip install "tensorrvea[{EXTRA}]"'
        raise ModuleNotFoundError(
            f"the robots' models come with the package 'brax', which is not installed: {remedy}", name="brax"
        )
    assets = Path(spec.origin).parent / "envs" / "assets"
    known = tuple(sorted(path.stem for path in assets.glob("*.xml")))
    if model not in known:
        raise ValueError(
            f"model must be the path of an MJCF file (.xml), its text, or one of {', '.join(map(repr, known))}, "
            f"got {shown(model)}{hint(model, known)}"
        )
    return assets / f"{model}.xml"


class Robot:
    """A compiled model, with the places of its named parts.

    Args:
      source: an MJCF file, or its text.
      keyframe: name of the keyframe that is the default position; else Brax's ``init_qpos`` if the file has one, else
        MuJoCo's ``qpos0``.
    """

    def __init__(self, source: str | Path, keyframe: str | None = None):
        self.mujoco = require("mujoco", needed_for="simulating and drawing robots")
        self.source = source
        self.text = source.read_text() if isinstance(source, Path) else source
        # Compiling with the frames' sensors now, too, so that a later change of the file cannot matter.
        self.compiled, self.measured = self._compile(with_frames=False), self._compile(with_frames=True)
        self.position = self._find_position(keyframe)

    @cached_property
    def layout(self) -> Layout:
        """Where the named parts are; readings are the sensors of ``measured``."""
        model = self.measured
        joints, velocities = {}, {}
        for i in range(model.njnt):
            width, free = JOINT_WIDTHS[int(model.jnt_type[i])]
            name, q, v = model.joint(i).name, int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i])
            if name:
                joints[name], velocities[name] = slice(q, q + width), slice(v, v + free)
        readings: dict[str, dict[str, slice]] = {SENSOR: {}, SITE: {}, BODY: {}}
        for i in range(model.nsensor):
            start, name = int(model.sensor_adr[i]), model.sensor(i).name
            kind = next((kind for kind in (SITE, BODY) if name.startswith(kind)), SENSOR)
            if name:
                readings[kind][name.removeprefix(kind)] = slice(start, start + int(model.sensor_dim[i]))
        return Layout(
            joints=joints, velocities=velocities, sensors=readings[SENSOR], sites=readings[SITE], bodies=readings[BODY]
        )

    @cached_property
    def quaternions(self) -> tuple[slice, ...]:
        """Where positions hold quaternions, of free and ball joints."""
        starts = zip(self.compiled.jnt_qposadr, self.compiled.jnt_type, strict=True)
        widths = ((int(start) + JOINT_WIDTHS[int(kind)][0], JOINT_WIDTHS[int(kind)][0]) for start, kind in starts)
        return tuple(slice(end - 4, end) for end, width in widths if width >= 4)

    @cached_property
    def control(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Middle and half width of the actuators' ranges; None if all are (-1, 1), as are the policy's outputs."""
        model = self.compiled
        limited = np.asarray(model.actuator_ctrllimited, bool)[:, None]
        low, high = np.where(limited, model.actuator_ctrlrange, [-1.0, 1.0]).T
        return None if (low == -1).all() and (high == 1).all() else ((low + high) / 2, (high - low) / 2)

    @cached_property
    def digest(self) -> str:
        """A hash of the file, of what it includes, and of its meshes."""
        whole = hashlib.sha256(self.text.encode())
        whole.update(self._specification().to_xml().encode())
        for name in ("mesh_vert", "hfield_data"):
            whole.update(np.asarray(getattr(self.compiled, name)).tobytes())
        return whole.hexdigest()

    # Details

    def _specification(self) -> Any:
        # MuJoCo 4 deprecates this attribute in favour of mj_setTotalmass.
        text = TOTAL_MASS.sub("", self.text)
        own_file = isinstance(self.source, Path) and text == self.text  # which may include other files
        read = self.mujoco.MjSpec.from_file if own_file else self.mujoco.MjSpec.from_string
        return read(str(self.source) if own_file else text)

    def _compile(self, *, with_frames: bool) -> Any:
        try:
            specification = self._specification()
            if with_frames:
                self._add_frames(specification)
            compiled = specification.compile()
        except ValueError as error:
            shown = repr(str(self.source)) if isinstance(self.source, Path) else "text"
            raise ValueError(f"model must be valid MJCF, got {shown}: {error}") from None
        total_mass = TOTAL_MASS.search(self.text)
        if total_mass:
            self.mujoco.mj_setTotalmass(compiled, float(total_mass.group(1)))
            self.mujoco.mj_setConst(compiled, self.mujoco.MjData(compiled))
        # Otherwise MuJoCo silently resets an exploding robot to its start position.
        compiled.opt.disableflags |= self.mujoco.mjtDisableBit.mjDSBL_AUTORESET
        return compiled

    def _add_frames(self, specification: Any) -> None:
        """Add a sensor for the position of every named site and body, so that rollouts return them."""
        kinds = self.mujoco.mjtObj
        frames = [(SITE, kinds.mjOBJ_SITE, each.name) for each in specification.sites]
        frames += [(BODY, kinds.mjOBJ_XBODY, each.name) for each in specification.bodies if each.name != "world"]
        for prefix, kind, name in frames:
            if name:
                specification.add_sensor(
                    name=prefix + name, type=self.mujoco.mjtSensor.mjSENS_FRAMEPOS, objtype=kind, objname=name
                )

    def _find_position(self, keyframe: str | None) -> np.ndarray:
        model = self.compiled
        if keyframe is not None:
            known = tuple(model.key(i).name for i in range(model.nkey) if model.key(i).name)
            if not known:
                raise ValueError(f"keyframe must be None, since the model has no named keyframe, got {keyframe!r}")
            return np.array(model.key(check_choice("keyframe", keyframe, known)).qpos)
        custom = self.mujoco.mj_name2id(model, self.mujoco.mjtObj.mjOBJ_NUMERIC, "init_qpos")
        return np.array(model.qpos0 if custom < 0 else model.numeric(custom).data)


def is_own(model: str | os.PathLike) -> bool:
    """Whether a task's model is a file or MJCF text of the user, and not one of Brax's by its name."""
    return not isinstance(model, str) or model.lower().endswith(".xml") or "<" in model


def load_robot(model: str | os.PathLike, keyframe: str | None = None) -> Robot:
    """Compile a user's model from its file or its text.

    Raises:
      ValueError: if there is no such file, or if MuJoCo cannot compile it.
      NotImplementedError: if its state is more than positions and velocities.
    """
    mujoco = require("mujoco", needed_for="simulating and drawing robots")
    source = model if isinstance(model, str) and "<" in model else Path(model)
    if isinstance(source, Path) and not source.is_file():
        raise ValueError(f"model must be the path of an MJCF file, or its text, got {str(source)!r}: no such file")
    robot = Robot(source, keyframe)
    compiled = robot.compiled
    if mujoco.mj_stateSize(compiled, mujoco.mjtState.mjSTATE_FULLPHYSICS) != 1 + compiled.nq + compiled.nv:
        raise NotImplementedError(
            "model must have no state beyond positions and velocities; actuators with dynamics (dyntype, muscles), "
            "delays and plugins are not supported"
        )
    if compiled.nu == 0:
        raise ValueError("model must have at least one actuator for the policy to control, got none")
    return robot


@cache
def builtin_robot(name: str) -> Robot:
    """One of Brax's models, compiled and cached."""
    return Robot(model_path(name).read_text())


def load_model(name: str) -> Any:
    """One of Brax's models as ``mujoco.MjModel``, cached and so read-only."""
    return builtin_robot(name).compiled


@contextmanager
def without_log_file() -> Iterator[None]:
    """Drop MuJoCo's warnings of unstable simulations, which it would write to MUJOCO_LOG.TXT in the working directory.

    Exploding simulations are detected by their states. The handler is one for all threads: the first that enters sets
    it, the last that leaves restores the one before.
    """
    mujoco = require("mujoco", needed_for="simulating robots")
    with _silent.lock:
        if _silent.depth == 0:
            _silent.before = mujoco.get_mju_user_warning()
            mujoco.set_mju_user_warning(_ignore)
        _silent.depth += 1
    try:
        yield
    finally:
        with _silent.lock:
            _silent.depth -= 1
            if _silent.depth == 0:
                mujoco.set_mju_user_warning(_silent.before)


class _Silent:
    """How many threads want no warnings of MuJoCo, and the handler to restore after the last of them."""

    def __init__(self) -> None:
        self.lock, self.depth = threading.Lock(), 0
        self.before: Any = None


_silent = _Silent()


def _ignore(_: str) -> None:
    """Drop a warning."""
