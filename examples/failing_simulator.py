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
import math
import time

import tensorrvea as tr


def heat_sink(x):
    """Return the mass of a cooling fin, and the temperature at its root, found by iteration."""
    time.sleep(0.002)
    length, thickness, conductivity = x
    above = 40.0  # kelvin above the air
    for _ in range(300):
        exchange = 0.1 * above**1.5  # hotter air moves faster
        fin = math.sqrt(2 * exchange / (conductivity * thickness))
        found = 200.0 * fin / (2 * exchange * math.tanh(fin * length))
        if abs(found - above) < 1e-6:
            return 1e3 * length * thickness * (1 + conductivity / 100), 20.0 + above
        above = min(max(found, 1.0), 2000.0)
    raise RuntimeError("the temperature did not converge")


heat_sink([0.08, 0.001, 50.0])

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
