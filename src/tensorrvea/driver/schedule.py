"""How long to search, how many generations to run at a time, and the share of the budget that each has spent."""

from dataclasses import dataclass, field

from tensorrvea.checks import check_integer, check_number

# A chunk takes about this long, for the progress bar to move and Ctrl-C to work.
CHUNK_SECONDS = 0.25
# Progress measured by the clock is never below this after the first population: float32's smallest normal number.
SMALLEST_PROGRESS = 2.0**-126


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long to search: a number of generations, of evaluations, or of seconds."""

    population: int
    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        given = list(self.given)
        if len(given) != 1:
            raise ValueError(f"give one of generations, evaluations and seconds as the budget, got {given or 'none'}")
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
        """The one of generations, evaluations and seconds that is set, by name."""
        each = {"generations": self.generations, "evaluations": self.evaluations, "seconds": self.seconds}
        return {name: value for name, value in each.items() if value is not None}

    @property
    def last(self) -> int | None:
        """t_max, the last generation; None if the clock decides."""
        if self.evaluations is not None:
            return self.evaluations // self.population - 1
        return self.generations


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

    @property
    def generation(self) -> int:
        """The last generation that is done; -1 before the first population."""
        return len(self.progress) - 1

    @property
    def elapsed(self) -> float:
        return self.seconds[-1] if self.seconds else 0.0

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent."""
        if self.budget.seconds is None:
            return self.generation >= self.last
        return self.generation > 0 and self.elapsed >= self.budget.seconds

    @property
    def last(self) -> int:
        """The last generation of a budget that is not in seconds."""
        assert self.budget.last is not None
        return self.budget.last

    def next_count(self, capacity: int) -> int:
        """Return the length of the next chunk, at most ``capacity``; 1 as long as the pace is not known."""
        if self.generation < 0 or not self.pace:
            return 1
        count = max(1, min(capacity, int(CHUNK_SECONDS / self.pace)))
        if self.every is not None:
            count = min(count, self.every - self.generation % self.every)
        if self.budget.seconds is None:
            return min(count, self.last - self.generation)
        # Progress is predicted from the pace of the chunk before. In a short chunk that is mostly the cost of the call,
        # and a much longer chunk would end long before the budget that it was given.
        left = self.budget.seconds - self.elapsed
        return max(1, int(min(count, 2 * self.length, left / self.pace)))

    def next_progress(self, count: int) -> list[float]:
        """Return the share of the budget that is spent at each of the next ``count`` generations."""
        if self.generation < 0:
            return [0.0]
        if self.budget.seconds is None:
            return [(self.generation + 1 + i) / self.last for i in range(count)]
        # Progress never decreases, though the pace may turn out to have been different.
        least = max(self.progress[-1], SMALLEST_PROGRESS)
        spent = [(self.elapsed + self.pace * (i + 1)) / self.budget.seconds for i in range(count)]
        return [min(max(share, least), 1.0) for share in spent]

    def add(self, progress: list[float], seconds: float) -> None:
        """Note that a chunk of generations is done and took this many seconds."""
        before, count = self.elapsed, len(progress)
        self.progress += progress
        self.seconds += [before + seconds * (i + 1) / count for i in range(count)]
        self.pace, self.length = seconds / count, count
