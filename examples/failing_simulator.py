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
# # A black-box simulator that fails
#
# The function is plain Python: it calls a solver that takes a while and does not always converge. Worker processes
# evaluate it; failures cost one individual, not the run.

# %%
import numpy as np

import tensorrvea as tr


def heat_sink(x):
    """Solve a fin for its temperature by iteration; return mass and the highest temperature."""
    length, thickness, conductivity = x
    cells = 40
    temperature = np.full(cells, 30.0)
    exchange = 60.0 * (length / cells) ** 2 / (conductivity * thickness)
    for _ in range(4000):
        padded = np.concatenate([[temperature[0] + 4e3 * length / cells / conductivity], temperature, temperature[-1:]])
        changed = (padded[:-2] + padded[2:] + 2 * exchange * 20.0) / (2 + 2 * exchange)
        if np.abs(changed - temperature).max() < 1e-4:
            return 1e3 * length * thickness * (1 + conductivity / 100), temperature[0]
        temperature = changed
    raise RuntimeError("the temperature did not converge")


heat_sink([0.03, 0.002, 100.0])

# %%
problem = tr.HostProblem(
    heat_sink,
    lower=[0.01, 0.0005, 20.0],
    upper=[0.10, 0.0040, 400.0],
    log=[False, True, True],
    objectives=2,
    variable_names=["length", "thickness", "conductivity"],
    objective_names=["mass", "temperature"],
    units=["", "°C"],
    workers=2,
    timeout=20,
)

# %% [markdown]
# The functions of a notebook need not be importable: they are sent to the workers, once.

# %%
with problem:
    result = tr.optimize(problem, tr.NSGA2(population=40), generations=15, seed=1)
result

# %% [markdown]
# ## What failed?

# %%
print(f"{result.failed} of {result.evaluations} evaluations failed")
problem.failures

# %%
result.plot()

# %% [markdown]
# Failed designs are never in `result.X`. With `directory="runs/heat_sink"`, the same cell resumes after a crash, and
# `executor="ray"` evaluates on a cluster.
