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
# # The first front
#
# A benchmark with three objectives, its front, and how good it is. Everything here takes seconds on a laptop.

# %%
import tensorrvea as tr

problem = tr.problems.DTLZ2(objectives=3, variables=12)
result = tr.optimize(problem, generations=100, seed=1)
result

# %% [markdown]
# A result shows itself: a summary, a small picture, and a table of some solutions. The rows of `result.X` (variables)
# and `result.F` (objectives) belong together; all are feasible, and none is better than another in every objective.

# %%
result.X.shape, result.F.shape

# %% [markdown]
# A larger picture, with the true front in grey:

# %%
result.plot()

# %% [markdown]
# ## How good is it?
#
# The inverted generational distance (IGD) is the mean distance of the true front to what was found. `metrics=`
# records it in every generation, and `replicate` runs 11 seeds as one compiled program.

# %%
runs = tr.replicate(problem, generations=100, seeds=range(11), metrics=["igd"])
curves = [run.history.metrics["igd"] for run in runs]

# %%
import numpy as np

from tensorrvea.plot import plot_convergence

generation = runs[0].history.generation
plot_convergence({"TensorRVEA": (generation, np.array(curves))}, xlabel="generation", ylabel="IGD", log=True)

# %%
final = [curve[-1] for curve in curves]
print(f"IGD of 11 seeds: median {np.median(final):.4f}, from {min(final):.4f} to {max(final):.4f}")

# %% [markdown]
# ## Choose a solution
#
# The knee is a compromise of all objectives; weights say which objective counts more.

# %%
rows = {"knee": result.knee(), "first objective counts four times": result.best_by_weights([4, 1, 1])}
for name, row in rows.items():
    print(f"{name}: objectives {result.F[row].round(3)}")
