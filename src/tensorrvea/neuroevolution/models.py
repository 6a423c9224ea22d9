"""The robots' models: MJCF files that come with Brax, read as MuJoCo models."""

import importlib
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

REMEDY = 'pip install "tensorrvea[neuroevolution]"'


def require(package: str, *, needed_for: str) -> ModuleType:
    """An optional package, or an error that says how to get it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        top = package.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != top:
            raise  # the package is there, and something of its own is missing
        raise ModuleNotFoundError(
            f"{needed_for} needs {error.name!r}, which is not installed: {REMEDY}", name=error.name
        ) from error


def model_path(model: str) -> Path:
    """Where Brax keeps the MJCF file, found without importing Brax."""
    spec = find_spec("brax")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            f"the robots' models come with the package 'brax', which is not installed: {REMEDY}", name="brax"
        )
    assets = Path(spec.origin).parent / "envs" / "assets"
    known = tuple(sorted(path.stem for path in assets.glob("*.xml")))
    return assets / f"{check_choice('model of a task', model, known)}.xml"


@cache
def load_model(model: str) -> Any:
    """The compiled MuJoCo model (``mujoco.MjModel``), the same object each time: treat it as read-only."""
    mujoco = require("mujoco", needed_for="simulating and drawing robots")
    text = model_path(model).read_text()
    # MuJoCo 4 deprecates this attribute and says to call mj_setTotalmass instead.
    total_mass = re.search(r'\s+settotalmass="([\d.]+)"', text)
    if total_mass:
        text = text.replace(total_mass.group(0), "")
    compiled = mujoco.MjModel.from_xml_string(text)
    if total_mass:
        mujoco.mj_setTotalmass(compiled, float(total_mass.group(1)))
        mujoco.mj_setConst(compiled, mujoco.MjData(compiled))
    # Otherwise an exploding robot is put back to its start, and goes on as if nothing had happened.
    compiled.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    return compiled


def start_position(model: str) -> np.ndarray:
    """The model's own position: Brax's ``init_qpos`` where the file has one, or MuJoCo's."""
    mujoco, compiled = require("mujoco", needed_for="simulating robots"), load_model(model)
    custom = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_NUMERIC, "init_qpos")
    return np.array(compiled.qpos0 if custom < 0 else compiled.numeric(custom).data)


@contextmanager
def without_log_file() -> Iterator[None]:
    """MuJoCo's warnings of unstable simulations dropped, not written to MUJOCO_LOG.TXT in the working directory.

    Exploding simulations are found, and counted, by their states.
    """
    mujoco = require("mujoco", needed_for="simulating robots")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
