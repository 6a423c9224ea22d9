"""Fingerprints of functions and values, to tell whether two of them compute the same. Imports no JAX."""

from tensorrvea.fingerprint.walk import fingerprint, why_unknown

__all__ = ["fingerprint", "why_unknown"]
