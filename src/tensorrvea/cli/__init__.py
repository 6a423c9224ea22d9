"""The command line: ``tensorrvea run | resume | reproduce | list | show | report | plot``."""

from tensorrvea.cli.main import main

__all__ = ["main"]
