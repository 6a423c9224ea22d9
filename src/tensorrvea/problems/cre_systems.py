"""CRE31, CRE32 and CRE51 of the CRE suite: a car, a ship and the water of a city (see ``cre``)."""

from typing import Any, ClassVar

from jaxtyping import Float

from tensorrvea.problems.re_surfaces import Terms
from tensorrvea.problems.real_world import Constrained, Design, Quantity, Variable, columns_of, polynomial


class CRE31(Constrained):
    """Car side impact: weight against forces and velocities on a dummy and the car's pillars."""

    design_variables = (
        Variable("B-pillar inner", "mm", 0.5, 1.5),
        Variable("B-pillar reinforcement", "mm", 0.45, 1.35),
        Variable("floor side inner", "mm", 0.5, 1.5),
        Variable("cross members", "mm", 0.5, 1.5),
        Variable("door beam", "mm", 0.875, 2.625),
        Variable("door belt line", "mm", 0.4, 1.2),
        Variable("roof rail", "mm", 0.4, 1.2),
    )
    quantities = (Quantity("weight", "kg"), Quantity("pubic force", "kN"), Quantity("mean pillar velocity", "mm/ms"))
    design_constraints = (
        Quantity("abdomen load", "kN"),
        Quantity("upper viscous criterion", "m/s"),
        Quantity("middle viscous criterion", "m/s"),
        Quantity("lower viscous criterion", "m/s"),
        Quantity("upper rib deflection", "mm"),
        Quantity("middle rib deflection", "mm"),
        Quantity("lower rib deflection", "mm"),
        Quantity("pubic force limit", "kN"),
        Quantity("B-pillar velocity", "mm/ms"),
        Quantity("front door velocity", "mm/ms"),
    )
    weight: ClassVar[Terms] = {
        (): 1.98,
        (1,): 4.9,
        (2,): 6.67,
        (3,): 6.98,
        (4,): 4.01,
        (5,): 1.78,
        (6,): 1e-5,
        (7,): 2.73,
    }
    pubic_force: ClassVar[Terms] = {(): 4.72, (4,): -0.5, (2, 3): -0.19}
    pillar_velocity: ClassVar[Terms] = {(): 10.58, (1, 2): -0.674, (2,): -0.67275}
    door_velocity: ClassVar[Terms] = {(): 16.45, (3, 7): -0.489, (5, 6): -0.843}
    # Response surfaces of the first seven constraints, and the largest values that they allow.
    limits = (
        ({(): 1.16, (2, 4): -0.3717, (3,): -0.0092928}, 1.0),
        ({(): 0.261, (1, 2): -0.0159, (1,): -0.06486, (2, 7): -0.019, (3, 5): 0.0144, (6,): 0.0154464}, 0.32),
        (
            {(): 0.214, (5,): 0.00817, (1,): -0.045195 - 0.0135168, (2, 6): 0.03099, (2, 7): -0.018,
             (3,): 0.007176 + 0.023232, (5, 6): -0.00364, (2, 2): -0.018},
            0.32,
        ),
        ({(): 0.74, (2,): -0.61, (3,): -0.031296, (7,): -0.031872, (2, 2): 0.227}, 0.32),
        ({(): 28.98, (3,): 3.818, (1, 2): -4.2, (6,): 1.27296, (7,): -2.68065}, 32.0),
        ({(): 33.86 + 1.45728, (3,): 2.95, (1, 2): -5.057, (2,): -3.795, (7,): -3.4431}, 32.0),
        ({(): 46.36, (2,): -9.9, (1,): -4.4505}, 32.0),
    )  # fmt: skip

    def design(self, x: Float[Any, "n d"]) -> Design:
        columns = columns_of(x)
        pubic_force = polynomial(columns, self.pubic_force)
        pillar, door = polynomial(columns, self.pillar_velocity), polynomial(columns, self.door_velocity)
        limits = [polynomial(columns, terms) - largest for terms, largest in self.limits]
        return Design(
            [polynomial(columns, self.weight), pubic_force, 0.5 * (pillar + door)],
            [*limits, pubic_force - 4, pillar - 9.9, door - 15.7],
        )


class CRE32(Constrained):
    """Bulk carrier: cost of transport, weight of the ship, and annual cargo, which is maximised."""

    design_variables = (
        Variable("length", "m", 150.0, 274.32),
        Variable("beam", "m", 20.0, 32.31),
        Variable("depth", "m", 13.0, 25.0),
        Variable("draft", "m", 10.0, 11.71),
        Variable("speed", "kn", 14.0, 18.0),
        Variable("block coefficient", "", 0.63, 0.75),
    )
    quantities = (
        Quantity("cost of transport", "GBP/t"),
        Quantity("light ship weight", "t"),
        Quantity("negative annual cargo", "t"),
    )
    design_constraints = (
        Quantity("length to beam"),
        Quantity("length to depth"),
        Quantity("length to draft"),
        Quantity("draft for deadweight", "m"),
        Quantity("draft for depth", "m"),
        Quantity("largest deadweight", "t"),
        Quantity("smallest deadweight", "t"),
        Quantity("Froude number"),
        Quantity("metacentric height", "m"),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        length, beam, depth, draft, speed, block = columns_of(x)
        displacement = 1.025 * length * beam * draft * block
        froude = 0.5144 * speed / (9.8065 * length) ** 0.5
        resistance = (4977.06 * block**2 - 8105.61 * block + 4456.51) + froude * (
            -10847.2 * block**2 + 12817.0 * block - 6960.32
        )
        power = displacement ** (2 / 3) * speed**3 / resistance
        steel = 0.034 * length**1.7 * beam**0.7 * depth**0.4 * block**0.5
        outfit = length**0.8 * beam**0.6 * depth**0.3 * block**0.1
        light_ship = steel + outfit + 0.17 * power**0.9
        deadweight = displacement - light_ship
        # The paper multiplies by the speed, where Sen and Yang's model divides by it.
        sea_days = 5000 / 24 * speed
        fuel_per_day = 0.19 * 24 / 1000 * power + 0.2
        cargo = deadweight - fuel_per_day * (sea_days + 5) - 2 * deadweight**0.5
        trips = 350 / (sea_days + 2 * (cargo / 8000 + 0.5))
        capital = 0.2 * 1.3 * (2000 * steel**0.85 + 3500 * outfit + 2400 * power**0.8)
        voyage = 1.05 * 100 * fuel_per_day * sea_days + 6.3 * deadweight**0.8
        annual_cost = capital + 40_000 * deadweight**0.3 + voyage * trips
        metacentric_height = 0.53 * draft + (0.085 * block - 0.002) * beam**2 / (draft * block) - (1 + 0.52 * depth)
        limits = [
            6 - length / beam,
            length / depth - 15,
            length / draft - 19,
            draft - 0.45 * deadweight**0.31,
            draft - 0.7 * depth - 0.7,
            deadweight - 500_000,
            3000 - deadweight,
            froude - 0.32,
            0.07 * beam - metacentric_height,
        ]
        return Design([annual_cost / (cargo * trips), light_ship, -cargo * trips], limits)


class CRE51(Constrained):
    """Water resources of a city: costs of drainage, storage and treatment, flood damage, and economic loss."""

    design_variables = (
        Variable("detention storage", "", 0.01, 0.45),
        Variable("treatment rate", "", 0.01, 0.1),
        Variable("overflow rate", "", 0.01, 0.1),
    )
    quantities = (
        Quantity("drainage cost"),
        Quantity("storage cost"),
        Quantity("treatment cost"),
        Quantity("flood damage"),
        Quantity("economic loss"),
    )
    design_constraints = (
        Quantity("floods per year"),
        Quantity("probability of a flood"),
        Quantity("suspended solids"),
        Quantity("settleable solids"),
        Quantity("biochemical oxygen demand"),
        Quantity("nitrogen"),
        Quantity("phosphate"),
    )
    # a/(x₁x₂) + b x₃ + c ≤ d; the sixth has a·x₁x₂.
    limits = (
        (0.00139, 4.94, -0.08, 1.0),
        (0.000306, 1.082, -0.0986, 1.0),
        (12.307, 49_408.24, 4051.02, 50_000.0),
        (2.098, 8046.33, -696.71, 16_000.0),
        (2.138, 7883.39, -705.04, 10_000.0),
        (0.417, 1721.26, -136.54, 2000.0),
        (0.164, 631.13, -54.48, 550.0),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        storage, treatment, overflow = columns_of(x)
        xp = x.__array_namespace__()
        area = 2289.0
        objectives = [
            106_780.37 * (treatment + overflow) + 61_704.67,
            3000 * storage,
            305_700 * area / (0.06 * area) ** 0.65 * treatment,
            250 * area * xp.exp(-39.75 * treatment + 9.9 * overflow + 2.74),
            25 * (1.39 / (storage * treatment) + 4940 * overflow - 80),
        ]
        product = storage * treatment
        limits = []
        for i, (a, b, c, largest) in enumerate(self.limits):
            limits.append((a * product if i == 5 else a / product) + b * overflow + c - largest)
        return Design(objectives, limits)
