"""Evolutionary multiobjective optimisation as one compiled tensor program."""

__version__ = "0.1.0"
