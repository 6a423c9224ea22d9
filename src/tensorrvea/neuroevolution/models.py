"""The robots' models: MJCF files of the package Brax, compiled by MuJoCo."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tensorrvea.checks import check_choice
from tensorrvea.optional import import_optional

EXTRA = "neuroevolution"


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
    return assets / f"{check_choice('model of a task', model, known)}.xml"


@cache
def load_model(model: str) -> Any:
    """The compiled model (``mujoco.MjModel``), cached and so read-only."""
    mujoco = require("mujoco", needed_for="simulating and drawing robots")
    text = model_path(model).read_text()
    # MuJoCo 4 deprecates this attribute in favour of mj_setTotalmass.
    total_mass = re.search(r'\s+settotalmass="([\d.]+)"', text)
    if total_mass:
        text = text.replace(total_mass.group(0), "")
    compiled = mujoco.MjModel.from_xml_string(text)
    if total_mass:
        mujoco.mj_setTotalmass(compiled, float(total_mass.group(1)))
        mujoco.mj_setConst(compiled, mujoco.MjData(compiled))
    # Otherwise MuJoCo silently resets an exploding robot to its start position.
    compiled.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return compiled


def start_position(model: str) -> np.ndarray:
    """The model's default position: Brax's ``init_qpos`` if the file has one, else MuJoCo's."""
    mujoco, compiled = require("mujoco", needed_for="simulating robots"), load_model(model)
    custom = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_NUMERIC, "init_qpos")
    return np.array(compiled.qpos0 if custom < 0 else compiled.numeric(custom).data)


@contextmanager
def without_log_file() -> Iterator[None]:
    """Drop MuJoCo's warnings of unstable simulations, which it would write to MUJOCO_LOG.TXT in the working directory.

    Exploding simulations are detected by their states.
    """
    mujoco = require("mujoco", needed_for="simulating robots")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
