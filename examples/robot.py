# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A robot
#
# Evolve a network that drives a two-legged cheetah: fast, or with little energy. Episodes are short and the
# population is small, so that the notebook takes a minute on a CPU; `steps=1000` and a population of 128 give good
# runners. `pip install "tensorrvea[neuroevolution]"` installs the simulators.

# %%
import tensorrvea as tr
from tensorrvea.neuroevolution import RobotProblem, render, rescore

problem = RobotProblem(task="MoHalfCheetah", steps=150, backend="mujoco")
print(f"{problem.variables} weights of a network; rewards: {', '.join(problem.objective_names)}")

# %%
result = tr.optimize(problem, tr.TensorRVEA(population=48), generations=25, seed=1)
result.plot()

# %% [markdown]
# Each point is a policy. Left are those that move little and save energy, right those that run. The search evaluates
# from fixed start states; unseen ones say how well a policy generalises:

# %%
fast, knee = int(result.F[:, 0].argmax()), result.knee()
scores = rescore(problem, result.X[[fast, knee]], episodes=8)
for name, row, mean, spread in zip(("fast", "knee"), (fast, knee), scores.mean, scores.spread, strict=True):
    print(f"{name}: {result.F[row].round(1)} in the search, {mean.round(1)} ± {spread.round(1)} from unseen starts")

# %% [markdown]
# The fastest policy, drawn without a display:

# %%
import tempfile
from pathlib import Path

from IPython.display import Image

path = Path(tempfile.mkdtemp()) / "cheetah.gif"
Image(filename=render(problem.load(result.X[fast]), path, steps=150))

# %% [markdown]
# `problem.load(x).save("policy.py")` writes a policy as a module that needs NumPy alone, and
# `result.report("robot.html")` a page on which policies are compared and played. [Your own
# robot](../docs/own_robot.md) is an MJCF file.
