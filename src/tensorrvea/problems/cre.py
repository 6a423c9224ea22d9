"""The CRE suite: constrained design problems of Tanabe and Ishibuchi, 2020 (see ``real_world``)."""

from typing import Any

from jaxtyping import Float

from tensorrvea.problems.cre_systems import CRE31, CRE32, CRE51
from tensorrvea.problems.real_world import Constrained, Design, Quantity, Variable, columns_of


class CRE21(Constrained):
    """Two-bar truss: volume of material against stress in one bar."""

    design_variables = (
        Variable("area 1", "m²", 1e-5, 100.0),
        Variable("area 2", "m²", 1e-5, 100.0),
        Variable("height", "m", 1.0, 3.0),
    )
    quantities = (Quantity("volume", "m³"), Quantity("stress 1", "kPa"))
    design_constraints = (
        Quantity("volume limit", "m³"),
        Quantity("stress 1 limit", "kPa"),
        Quantity("stress 2 limit", "kPa"),
    )

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
        Quantity("room on shaft 1", "cm"),
        Quantity("room on shaft 2", "cm"),
        Quantity("stress in shaft 1 limit", "kgf/cm²"),
        Quantity("stress in shaft 2 limit", "kgf/cm²"),
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


ALL = (CRE21, CRE22, CRE23, CRE24, CRE25, CRE31, CRE32, CRE51)
