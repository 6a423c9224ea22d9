"""The host's side of a run: arguments, schedule, evaluation, observers, and the loop over chunks of generations."""
