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
# # Comparing algorithms for a paper
#
# One call runs every algorithm on every problem with every seed; the result is a table with tests, and figures. Sizes
# are small here, so that the notebook takes a minute. For a paper, take 31 seeds and your budget.

# %%
import tensorrvea as tr

problems = [tr.problems.ZDT1(variables=10), tr.problems.ZDT2(variables=10), tr.problems.ZDT3(variables=10)]
algorithms = [tr.NSGA2(population=40), tr.TensorRVEA(population=40), tr.SPEA2(population=40)]
study = tr.compare(problems, algorithms, seeds=11, generations=40)

# %% [markdown]
# ## The table
#
# Medians and interquartile ranges. `+`, `-` and `≈`: better, worse, or not significantly different from the first
# algorithm (Wilcoxon's rank-sum test at 5 %, Holm's correction). The last number is the effect size of Vargha and
# Delaney.

# %%
study.table("igd")

# %%
print(study.table("igd").latex())

# %% [markdown]
# ## Figures

# %%
study.plot()

# %%
study.plot("boxes", "igd")

# %% [markdown]
# ## Ranks over all problems
#
# With three problems, a test over problems has little power; the diagram shows how it would look.

# %%
study.plot("ranks", "igd")

# %% [markdown]
# ## A setting
#
# Is another crossover better? All values and seeds are one compiled program.

# %%
grid = {"variation.crossover.eta": [5, 15, 30]}
found = tr.sweep(problems[0], tr.NSGA2(population=40), grid, seeds=11, generations=40)
found.table()
