"""Fingerprints of functions and values, to tell whether two of them compute the same. Imports no JAX."""

from tensorrvea.fingerprint.walk import fingerprint, identity, why_unknown

__all__ = ["fingerprint", "identity", "why_unknown"]
