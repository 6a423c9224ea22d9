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
# # A constrained engineering design: the welded beam
#
# A beam is welded to a wall and carries a load at its end. It should be cheap, and bend little; stresses, buckling
# and dimensions limit it. The problem is CRE22 of Tanabe and Ishibuchi (2020).

# %%
import tensorrvea as tr

beam = tr.problems.CRE22()
print("variables:  ", ", ".join(beam.variable_names))
print("objectives: ", ", ".join(beam.objective_names))
print("constraints:", ", ".join(beam.constraint_names))

# %% [markdown]
# ## Search
#
# `CCMO` is made for constraints: a second population ignores them, and helps to cross infeasible regions.

# %%
result = tr.optimize(beam, tr.CCMO(population=100), generations=200, seed=1)
result

# %%
result.plot()

# %% [markdown]
# ## Which limits bind?
#
# `result.G` has the value of each constraint for each solution, feasible where ≤ 0. A limit binds if next to nothing
# of it is left: relaxing it could improve the objectives.

# %%
import pandas as pd

binding = pd.Series(result.binding().mean(axis=0), index=beam.constraint_names)
binding.map("{:.0%} of the solutions".format).to_frame("binds in")

# %% [markdown]
# ## Choose
#
# The table has the cheapest design, the stiffest one, and two compromises.

# %%
rows = {
    "cheapest": result.F[:, 0].argmin(),
    "knee": result.knee(),
    "equal weights": result.best_by_weights([1, 1], method="tchebycheff"),
    "stiffest": result.F[:, 1].argmin(),
}
table = result.to_dataframe().iloc[list(rows.values())].drop(columns="violation")
table.index = list(rows)
table.T.style.format("{:.4g}")

# %% [markdown]
# A design of your own is checked in the same way:

# %%
beam([0.3, 3.0, 8.0, 0.6])

# %% [markdown]
# `result.report("beam.html")` writes a page with sliders, on which others can choose.
