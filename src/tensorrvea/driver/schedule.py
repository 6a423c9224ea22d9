"""How long to search, how many generations to run at a time, and the share of the budget that each has spent."""

from dataclasses import dataclass, field

from tensorrvea.checks import check_integer, check_number

# A chunk takes about this long: short, for the progress bar to move and Ctrl-C to work, and yet several generations of
# a large population, since each call allocates memory, whose pages cost more than computing with them.
CHUNK_SECONDS = 1.0
# Progress measured by the clock is never below this after the first population: float32's smallest normal number.
SMALLEST_PROGRESS = 2.0**-126


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long to search: a number of generations, of evaluations, or of seconds; of several, whichever ends first."""

    population: int
    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not self.given:
            raise ValueError("give at least one of generations, evaluations and seconds as the budget, got none")
        if self.generations is not None:
            object.__setattr__(self, "generations", check_integer("generations", self.generations, minimum=1))
        if self.evaluations is not None:
            least, why = 2 * self.population, f"two generations of {self.population}"
            evaluations = check_integer("evaluations", self.evaluations, minimum=least, why=why)
            object.__setattr__(self, "evaluations", evaluations)
        if self.seconds is not None:
            check_number("seconds", self.seconds, minimum=0.0, open_minimum=True, scalar=True)
            object.__setattr__(self, "seconds", float(self.seconds))

    @property
    def given(self) -> dict[str, int | float]:
        """Those of generations, evaluations and seconds that are set, by name."""
        each = {"generations": self.generations, "evaluations": self.evaluations, "seconds": self.seconds}
        return {name: value for name, value in each.items() if value is not None}

    @property
    def last(self) -> int | None:
        """t_max, the last generation; None if the clock alone decides."""
        ends = [self.generations] if self.generations is not None else []
        if self.evaluations is not None:
            ends.append(self.evaluations // self.population - 1)
        return min(ends, default=None)


@dataclass
class Schedule:
    """The generations that are done, with the progress and the time of each, and how many come next."""

    budget: Budget
    every: int | None = None
    """Chunks end at multiples of this many generations, if it is given."""
    progress: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    pace: float = 0.0
    """Seconds per generation in the last chunk; 0 before the first."""
    length: int = 1
    """Generations in the last chunk."""
    is_extended: bool = False
    """Whether the budget was enlarged since the last generation, so that progress falls back once."""

    @property
    def generation(self) -> int:
        """The last generation that is done; -1 before the first population."""
        return len(self.progress) - 1

    @property
    def elapsed(self) -> float:
        return self.seconds[-1] if self.seconds else 0.0

    def __str__(self) -> str:
        """Say how far the run got, as in "generation 4 of 15"."""
        if self.generation < 0:
            return "before the first generation"
        parts = [f"generation {self.generation}"]
        if self.budget.last is not None:
            parts[0] += f" of {self.budget.last}"
        if self.budget.seconds is not None:
            parts.append(f"{self.elapsed:.3g} of {self.budget.seconds:g} s")
        return ", ".join(parts)

    @property
    def is_spent(self) -> bool:
        """Whether a part of the budget is spent."""
        return bool(self.spent)

    @property
    def spent(self) -> str:
        """The name of the part of the budget that is spent; empty if none is."""
        budget = self.budget
        if budget.last is not None and self.generation >= budget.last:
            return "generations" if budget.last == budget.generations else "evaluations"
        if budget.seconds is not None and self.generation > 0 and self.elapsed >= budget.seconds:
            return "seconds"
        return ""

    def next_count(self, capacity: int) -> int:
        """Return the length of the next chunk, at most ``capacity``; 1 as long as the pace is not known."""
        if self.generation < 0 or not self.pace:
            return 1
        count = max(1, min(capacity, int(CHUNK_SECONDS / self.pace)))
        if self.every is not None:
            count = min(count, self.every - self.generation % self.every)
        if self.budget.last is not None:
            count = min(count, self.budget.last - self.generation)
        if self.budget.seconds is None:
            return count
        # Progress is predicted from the pace of the chunk before. In a short chunk that is mostly the cost of the call,
        # and a much longer chunk would end long before the budget that it was given.
        left = self.budget.seconds - self.elapsed
        return max(1, int(min(count, 2 * self.length, left / self.pace)))

    def next_progress(self, count: int) -> list[float]:
        """Return the share of the budget that is spent at each of the next ``count`` generations.

        Of a budget with several parts, it is the share of the part that is ahead.
        """
        if self.generation < 0:
            return [0.0]
        last, seconds = self.budget.last, self.budget.seconds
        counted = [0.0] * count if last is None else [(self.generation + 1 + i) / last for i in range(count)]
        if seconds is None:
            return counted
        # Progress never decreases, though the pace may turn out to have been different.
        least = SMALLEST_PROGRESS if self.is_extended else max(self.progress[-1], SMALLEST_PROGRESS)
        timed = [(self.elapsed + self.pace * (i + 1)) / seconds for i in range(count)]
        return [min(max(share, other, least), 1.0) for share, other in zip(timed, counted, strict=True)]

    def add(self, progress: list[float], seconds: float) -> None:
        """Note that a chunk of generations is done and took this many seconds."""
        before, count = self.elapsed, len(progress)
        self.progress += progress
        self.seconds += [before + seconds * (i + 1) / count for i in range(count)]
        self.pace, self.length, self.is_extended = seconds / count, count, False
