"""The RE suite: design problems without constraints of Tanabe and Ishibuchi, 2020 (see ``real_world``).

Half of them are problems of the CRE suite with the sum of the violations as a further objective.
"""

from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_flag
from tensorrvea.problems import re_surfaces as surfaces
from tensorrvea.problems.cre import CRE21, CRE22, CRE23, CRE24, CRE25, CRE31, CRE32, CRE51
from tensorrvea.problems.real_world import (
    Column,
    Design,
    Quantity,
    RealWorld,
    Variable,
    ViolationAsObjective,
    columns_of,
    nearest,
    polynomial,
    stack,
)

# Areas of reinforcement bars that exist.
BAR_AREAS = (
    0.20, 0.31, 0.40, 0.44, 0.60, 0.62, 0.79, 0.80, 0.88, 0.93, 1.0, 1.20, 1.24, 1.32, 1.40, 1.55, 1.58, 1.60, 1.76,
    1.80, 1.86, 2.0, 2.17, 2.20, 2.37, 2.40, 2.48, 2.60, 2.64, 2.79, 2.80, 3.0, 3.08, 3.10, 3.16, 3.41, 3.52, 3.60,
    3.72, 3.95, 3.96, 4.0, 4.03, 4.20, 4.34, 4.40, 4.65, 4.74, 4.80, 4.84, 5.0, 5.28, 5.40, 5.53, 5.72, 6.0, 6.16,
    6.32, 6.60, 7.11, 7.20, 7.80, 7.90, 8.0, 8.40, 8.69, 9.0, 9.48, 10.27, 11.0, 11.06, 11.85, 12.0, 13.0, 14.0, 15.0,
)  # fmt: skip
# Diameters of wires that exist.
WIRE_DIAMETERS = (
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.020, 0.023, 0.025, 0.028,
    0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.080, 0.092, 0.105, 0.120, 0.135, 0.148, 0.162, 0.177, 0.192,
    0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394, 0.4375, 0.5,
)  # fmt: skip


class RE21(RealWorld):
    """Four-bar truss: volume against displacement of the joint."""

    design_variables = (
        Variable("area 1", "cm²", 1.0, 3.0),
        Variable("area 2", "cm²", 2**0.5, 3.0),
        Variable("area 3", "cm²", 2**0.5, 3.0),
        Variable("area 4", "cm²", 1.0, 3.0),
    )
    quantities = (Quantity("volume", "cm³"), Quantity("displacement", "cm"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        area_1, area_2, area_3, area_4 = columns_of(x)
        length, force, modulus = 200.0, 10.0, 2e5
        volume = length * (2 * area_1 + 2**0.5 * area_2 + area_3**0.5 + area_4)
        flexibility = 2 / area_1 + 8**0.5 / area_2 - 8**0.5 / area_3 + 2 / area_4
        return Design([volume, force * length / modulus * flexibility], [])


class RE22(ViolationAsObjective):
    """Reinforced concrete beam: cost against violations."""

    design_variables = (
        Variable("area of reinforcement", "in²", 0.2, 15.0),
        Variable("width", "in", 0.0, 20.0),
        Variable("depth", "in", 0.0, 40.0),
    )
    quantities = (Quantity("cost"),)
    design_constraints = (Quantity("strength"), Quantity("depth to width"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        area, width, depth = columns_of(x)
        area = nearest(BAR_AREAS, area)
        # Both ratios are infinite at width 0; the smallest width that is not zero makes them large and finite.
        width_or_tiny = width.clip(1e-6)
        strength = 180 + 7.735 * area**2 / width_or_tiny - area * depth
        return Design([29.4 * area + 0.6 * width * depth], [strength, depth / width_or_tiny - 4])


class RE23(ViolationAsObjective):
    """Pressure vessel: cost against violations."""

    design_variables = (
        Variable("thickness of the shell", "in/16", 1, 100, integer=True),
        Variable("thickness of the head", "in/16", 1, 100, integer=True),
        Variable("radius", "in", 10.0, 200.0),
        Variable("length", "in", 10.0, 240.0),
    )
    quantities = (Quantity("cost"),)
    design_constraints = (Quantity("shell", "in"), Quantity("head", "in"), Quantity("volume", "in³"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        shell, head, radius, length = columns_of(x)
        shell, head = 0.0625 * shell, 0.0625 * head
        cost = (
            0.6224 * shell * radius * length
            + 1.7781 * head * radius**2
            + 3.1661 * shell**2 * length
            + 19.84 * shell**2 * radius
        )
        volume = np.pi * radius**2 * (length + 4 / 3 * radius)
        return Design([cost], [0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000 - volume])


class RE24(ViolationAsObjective):
    """Hatch cover: weight against violations."""

    design_variables = (Variable("flange thickness", "cm", 0.5, 4.0), Variable("beam height", "cm", 0.5, 50.0))
    quantities = (Quantity("weight"),)
    design_constraints = (Quantity("bending"), Quantity("shear"), Quantity("deflection"), Quantity("buckling"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        flange, height = columns_of(x)
        modulus = 700_000.0
        bending, shear = 4500 / (flange * height), 1800 / height
        deflection, buckling = 562_000 / (modulus * flange * height**2), modulus * flange**2 / 100
        limits = [bending / 700 - 1, shear / 450 - 1, deflection / 1.5 - 1, bending / buckling - 1]
        return Design([flange + 120 * height], limits)


class RE25(ViolationAsObjective):
    """Coil spring: volume of wire against violations."""

    design_variables = (
        Variable("coils", "", 1, 70, integer=True),
        Variable("outside diameter", "in", 0.6, 3.0),
        Variable("wire diameter", "in", 0.09, 0.5),
    )
    quantities = (Quantity("volume", "in³"),)
    design_constraints = (
        Quantity("shear stress", "psi"),
        Quantity("free length", "in"),
        Quantity("ratio of diameters"),
        Quantity("deflection under preload", "in"),
        Quantity("combined deflection", "in"),
        Quantity("deflection from preload", "in"),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        coils, outside, wire = columns_of(x)
        wire = nearest(WIRE_DIAMETERS, wire)
        largest_load, preload = 1000.0, 300.0
        ratio = outside / wire
        stiffness = 11.5e6 * wire**4 / (8 * coils * outside**3)
        correction = (4 * ratio - 1) / (4 * ratio - 4) + 0.615 / ratio
        shear = 8 * correction * largest_load * outside / (np.pi * wire**3)
        solid_length = 1.05 * (coils + 2) * wire
        free_length = largest_load / stiffness + solid_length
        travel = (largest_load - preload) / stiffness
        limits = [
            shear - 189_000,
            free_length - 14,
            3 - ratio,
            preload / stiffness - 6,
            # Zero by definition: the deflections of both loads and the solid length make up the free length.
            preload / stiffness + travel + solid_length - free_length,
            travel - 1.25,
        ]
        return Design([np.pi**2 * outside * wire**2 * (coils + 2) / 4], limits)


class RE31(ViolationAsObjective, CRE21):
    """Two-bar truss: volume, stress, and violations of CRE21."""


class RE32(ViolationAsObjective, CRE22):
    """Welded beam: cost, deflection, and violations of CRE22."""


class RE33(ViolationAsObjective, CRE23):
    """Disc brake: mass, stopping time, and violations of CRE23."""


class RE34(RealWorld):
    """Crashworthiness of a vehicle: mass, acceleration, and intrusion of the toe board."""

    design_variables = tuple(Variable(f"thickness {i}", "mm", 1.0, 3.0) for i in range(1, 6))
    quantities = (Quantity("mass", "kg"), Quantity("acceleration"), Quantity("intrusion", "m"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        return Design([polynomial(columns_of(x), terms) for terms in surfaces.CRASH], [])


class RE35(ViolationAsObjective, CRE24):
    """Speed reducer: volume, stress, and violations of CRE24."""


class RE36(ViolationAsObjective, CRE25):
    """Gear train: ratio error, largest number of teeth, and violations of CRE25."""


class RE37(RealWorld):
    """Rocket injector: temperature of the face, distance of combustion, and temperature of the tip."""

    design_variables = (
        Variable("flow angle", "", 0.0, 1.0),
        Variable("change of hydrogen area", "", 0.0, 1.0),
        Variable("change of oxygen area", "", 0.0, 1.0),
        Variable("tip thickness", "", 0.0, 1.0),
    )
    quantities = (Quantity("face temperature"), Quantity("combustion distance"), Quantity("tip temperature"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        return Design([polynomial(columns_of(x), terms) for terms in surfaces.INJECTOR], [])


class RE41(ViolationAsObjective, CRE31):
    """Car side impact: weight, force, velocity, and violations of CRE31."""


class RE42(ViolationAsObjective, CRE32):
    """Bulk carrier: cost, weight, cargo, and violations of CRE32."""


class RE61(ViolationAsObjective, CRE51):
    """Water resources: five costs, and violations of CRE51."""


class RE91(RealWorld):
    """Car cab: weight, and eight responses to a side impact relative to their limits.

    Args:
      noise: whether the four uncontrolled parameters (two material strengths, and height and position of the barrier)
        are drawn from normal distributions at every evaluation, as in the authors' program. By default they are the
        means of these distributions, with which the problem is deterministic.
    """

    setting_names = ("noise",)
    design_variables = CRE31.design_variables
    quantities = (
        Quantity("weight", "kg"),
        Quantity("abdomen load"),
        Quantity("upper viscous criterion"),
        Quantity("middle viscous criterion"),
        Quantity("lower viscous criterion"),
        Quantity("mean rib deflection"),
        Quantity("pubic force"),
        Quantity("B-pillar velocity"),
        Quantity("front door velocity"),
    )
    means, deviations = (0.345, 0.192, 0.0, 0.0), (0.006, 0.006, 10.0, 10.0)

    def __init__(self, *, objectives: int | None = None, variables: int | None = None, noise: bool = False):
        m, d = self.check_objectives(objectives), self.check_variables(variables)
        self.noise = check_flag("noise", noise)
        function = self.noisy_values if noise else self.objective_values
        super(RealWorld, self).__init__(
            objectives=m, variables=d, function=function, stochastic=self.noise, **self.labels()
        )

    def noisy_values(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """Objectives with the uncontrolled parameters drawn anew for each row."""
        drawn = jax.random.normal(key, (len(x), 4), x.dtype)
        parameters = [mean + deviation * drawn[:, i] for i, (mean, deviation) in enumerate(self.distributions())]
        return stack(self.responses(columns_of(x), parameters))

    def distributions(self) -> list[tuple[float, float]]:
        return list(zip(self.means, self.deviations, strict=True))

    def design(self, x: Float[Any, "n d"]) -> Design:
        return Design(self.responses(columns_of(x), [0 * x[:, 0] + mean for mean in self.means]), [])

    def responses(self, columns: list[Column], parameters: list[Column]) -> list[Column]:
        """Objectives of the variables and the uncontrolled parameters, numbered 8 to 11."""
        weight, *others = surfaces.CAR_CAB
        values = [polynomial([*columns, *parameters], terms) / limit for terms, limit in others]
        return [polynomial(columns, weight[0]), *(value.clip(0.0) for value in values)]


ALL = (
    RE21, RE22, RE23, RE24, RE25, RE31, RE32, RE33, RE34, RE35, RE36, RE37, RE41, RE42, RE61, RE91,
)  # fmt: skip
