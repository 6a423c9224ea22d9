"""The command line: ``tensorrvea run | resume | check | reproduce | list | show | report | plot | export``."""

from tensorrvea.cli.main import main

__all__ = ["main"]
