"""Search only where you want solutions: around a direction, and around an aspiration point in units of the problem.

python examples/preferences.py [PICTURE]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import tensorrvea as tr

COUNT = 45


def search(problem: tr.Problem, vectors: np.ndarray, ideal: np.ndarray | None = None) -> tr.Result:
    """Search along the given vectors, from an ideal point if one is known."""
    algorithm = tr.TensorRVEA(population=COUNT, vectors=vectors, ideal=ideal)
    return tr.optimize(problem, algorithm, generations=150, seed=1)


# A direction: all three objectives about equally good, the third a little better.
sphere = tr.problems.DTLZ2(objectives=3, variables=12)
vectors = tr.reference_vectors.around([1.0, 1.0, 0.6], radius=0.25, count=COUNT)
preferred = search(sphere, vectors)

# An aspiration point: a car side impact of 30 kg, a force of 3.9 kN and a velocity of 11.5 mm/ms, or better. What is
# possible is known roughly from a short run over the whole front.
car = tr.problems.CRE31()
overview = tr.optimize(car, generations=60, seed=1)
wish = [30.0, 3.9, 11.5]
ideal, nadir = overview.F.min(axis=0), overview.F.max(axis=0)
vectors = tr.reference_vectors.around(wish, radius=0.3, count=COUNT, ideal=ideal, nadir=nadir)
aspired = search(car, vectors, ideal)
for name, values in (("whole front", overview.F), ("around the wish", aspired.F)):
    print(f"{name}: {len(values)} solutions, from {values.min(axis=0).round(2)} to {values.max(axis=0).round(2)}")

figure = plt.figure(figsize=(9, 4.2), layout="constrained")
for place, (title, whole, found) in enumerate(
    [
        ("DTLZ2, around a direction", sphere.front(500), preferred.F),
        ("car side impact, around an aspiration point", overview.F, aspired.F),
    ]
):
    axes = figure.add_subplot(1, 2, place + 1, projection="3d")
    axes.scatter(*whole.T, s=4, color="0.75", label="whole front")
    axes.scatter(*found.T, s=14, color="#D55E00", depthshade=False, label="preferred")
    axes.set(title=title, xlabel="$f_1$", ylabel="$f_2$", zlabel="$f_3$")
    axes.view_init(25, 45 if place == 0 else 60)
axes.scatter(*wish, s=70, marker="*", color="#0072B2", depthshade=False, label="aspiration point")
axes.legend(loc="upper left", fontsize=8)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "preferences.png", dpi=110)
