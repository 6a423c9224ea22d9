"""The CRE suite: constrained design problems of Tanabe and Ishibuchi, 2020 (see ``real_world``)."""

from typing import Any

from jaxtyping import Float

from tensorrvea.problems.real_world import Constrained, Design, Quantity, Variable, columns_of, polynomial


class CRE21(Constrained):
    """Two-bar truss: volume of material against stress in one bar."""

    design_variables = (
        Variable("area 1", "m²", 1e-5, 100.0),
        Variable("area 2", "m²", 1e-5, 100.0),
        Variable("height", "m", 1.0, 3.0),
    )
    quantities = (Quantity("volume", "m³"), Quantity("stress 1", "kPa"))
    design_constraints = (Quantity("volume", "m³"), Quantity("stress 1", "kPa"), Quantity("stress 2", "kPa"))

    def design(self, x: Float[Any, "n d"]) -> Design:
        area_1, area_2, height = columns_of(x)
        length_1, length_2 = (16 + height**2) ** 0.5, (1 + height**2) ** 0.5
        volume = area_1 * length_1 + area_2 * length_2
        stress_1, stress_2 = 20 * length_1 / (height * area_1), 80 * length_2 / (height * area_2)
        return Design([volume, stress_1], [volume - 0.1, stress_1 - 1e5, stress_2 - 1e5])


class CRE22(Constrained):
    """Welded beam: cost of fabrication against deflection of the loaded end."""

    design_variables = (
        Variable("weld thickness", "in", 0.125, 5.0),
        Variable("weld length", "in", 0.1, 10.0),
        Variable("beam height", "in", 0.1, 10.0),
        Variable("beam width", "in", 0.125, 5.0),
    )
    quantities = (Quantity("cost", "USD"), Quantity("deflection", "in"))
    design_constraints = (
        Quantity("shear stress", "psi"),
        Quantity("bending stress", "psi"),
        Quantity("weld thicker than beam", "in"),
        Quantity("buckling load", "lb"),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        weld, length, height, width = columns_of(x)
        load, overhang = 6000.0, 14.0
        youngs_modulus, shear_modulus = 30e6, 12e6
        cost = 1.10471 * weld**2 * length + 0.04811 * height * width * (overhang + length)
        deflection = 4 * load * overhang**3 / (youngs_modulus * width * height**3)
        # Shear stress of the weld: the primary one, that of the moment, and their resultant.
        square = 0.25 * (weld + height) ** 2
        arm = (0.25 * length**2 + square) ** 0.5
        polar_moment = 2 * 2**0.5 * weld * length * (length**2 / 12 + square)
        primary = load / (2**0.5 * weld * length)
        secondary = load * (overhang + 0.5 * length) * arm / polar_moment
        shear = (primary**2 + primary * secondary * length / arm + secondary**2) ** 0.5
        bending = 6 * load * overhang / (width * height**2)
        slenderness = 0.5 * height / overhang * (youngs_modulus / (4 * shear_modulus)) ** 0.5
        buckling = 4.013 * youngs_modulus * height * width**3 / (6 * overhang**2) * (1 - slenderness)
        return Design([cost, deflection], [shear - 13_600, bending - 30_000, weld - width, load - buckling])


class CRE23(Constrained):
    """Disc brake: mass against stopping time."""

    design_variables = (
        Variable("inner radius", "mm", 55.0, 80.0),
        Variable("outer radius", "mm", 75.0, 110.0),
        Variable("engaging force", "N", 1000.0, 3000.0),
        Variable("friction surfaces", "", 11.0, 20.0),
    )
    quantities = (Quantity("mass", "kg"), Quantity("stopping time", "s"))
    design_constraints = (
        Quantity("distance between radii", "mm"),
        Quantity("pressure", "MPa"),
        Quantity("temperature"),
        Quantity("torque", "N m"),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        inner, outer, force, surfaces = columns_of(x)
        squares, cubes = outer**2 - inner**2, outer**3 - inner**3
        mass = 4.9e-5 * squares * (surfaces - 1)
        time = 9.82e6 * squares / (force * surfaces * cubes)
        limits = [
            20 - (outer - inner),
            force / (3.14 * squares) - 0.4,
            2.22e-3 * force * cubes / squares**2 - 1,
            900 - 2.66e-2 * force * surfaces * cubes / squares,
        ]
        return Design([mass, time], limits)


class CRE24(Constrained):
    """Speed reducer: volume of the gears and shafts against stress in the first shaft."""

    design_variables = (
        Variable("face width", "cm", 2.6, 3.6),
        Variable("module of teeth", "cm", 0.7, 0.8),
        Variable("teeth of the pinion", "", 17, 28, integer=True),
        Variable("length of shaft 1", "cm", 7.3, 8.3),
        Variable("length of shaft 2", "cm", 7.3, 8.3),
        Variable("diameter of shaft 1", "cm", 2.9, 3.9),
        Variable("diameter of shaft 2", "cm", 5.0, 5.5),
    )
    quantities = (Quantity("volume", "cm³"), Quantity("stress in shaft 1", "kgf/cm²"))
    design_constraints = (
        Quantity("bending stress of teeth", "1/cm³"),
        Quantity("contact stress of teeth", "1/cm³"),
        Quantity("deflection of shaft 1", "1/cm²"),
        Quantity("deflection of shaft 2", "1/cm²"),
        Quantity("pinion diameter", "cm"),
        Quantity("largest relative face width"),
        Quantity("smallest relative face width"),
        Quantity("diameter of shaft 1", "cm"),
        Quantity("diameter of shaft 2", "cm"),
        Quantity("stress in shaft 1", "kgf/cm²"),
        Quantity("stress in shaft 2", "kgf/cm²"),
    )

    def design(self, x: Float[Any, "n d"]) -> Design:
        width, module, teeth, length_1, length_2, shaft_1, shaft_2 = columns_of(x)
        gears = 0.7854 * width * module**2 * (10 / 3 * teeth**2 + 14.933 * teeth - 43.0934)
        bores, cubes = 1.508 * width * (shaft_1**2 + shaft_2**2), 7.477 * (shaft_1**3 + shaft_2**3)
        shafts = 0.7854 * (length_1 * shaft_1**2 + length_2 * shaft_2**2)
        pinion = module * teeth
        stress_1 = ((745 * length_1 / pinion) ** 2 + 1.69e7) ** 0.5 / (0.1 * shaft_1**3)
        stress_2 = ((745 * length_2 / pinion) ** 2 + 1.575e8) ** 0.5 / (0.1 * shaft_2**3)
        limits = [
            1 / (width * module * pinion) - 1 / 27,
            1 / (width * pinion**2) - 1 / 397.5,
            length_1**3 / (pinion * shaft_1**4) - 1 / 1.93,
            length_2**3 / (pinion * shaft_2**4) - 1 / 1.93,
            pinion - 40,
            width / module - 12,
            5 - width / module,
            1.9 + 1.5 * shaft_1 - length_1,
            1.9 + 1.1 * shaft_2 - length_2,
            stress_1 - 1300,
            stress_2 - 1100,
        ]
        return Design([gears - bores + cubes + shafts, stress_1], limits)


class CRE25(Constrained):
    """Gear train: error of the transmission ratio against the largest number of teeth."""

    design_variables = tuple(Variable(f"teeth of gear {i}", "", 12, 60, integer=True) for i in range(1, 5))
    quantities = (Quantity("ratio error"), Quantity("largest number of teeth"))
    design_constraints = (Quantity("relative ratio error"),)

    def design(self, x: Float[Any, "n d"]) -> Design:
        first, second, third, fourth = columns_of(x)
        error = abs(6.931 - third / first * (fourth / second))
        return Design([error, x.max(axis=1)], [error / 6.931 - 0.5])


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
        Quantity("pubic force", "kN"),
        Quantity("B-pillar velocity", "mm/ms"),
        Quantity("front door velocity", "mm/ms"),
    )
    weight = {(): 1.98, (1,): 4.9, (2,): 6.67, (3,): 6.98, (4,): 4.01, (5,): 1.78, (6,): 1e-5, (7,): 2.73}
    pubic_force = {(): 4.72, (4,): -0.5, (2, 3): -0.19}
    pillar_velocity = {(): 10.58, (1, 2): -0.674, (2,): -0.67275}
    door_velocity = {(): 16.45, (3, 7): -0.489, (5, 6): -0.843}
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
    quantities = (Quantity("cost of transport", "GBP/t"), Quantity("light ship weight", "t"), Quantity("minus cargo", "t"))
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


ALL = (CRE21, CRE22, CRE23, CRE24, CRE25, CRE31, CRE32, CRE51)
