"""What a compiled program for an accelerator does in a generation: kernels, loops, conditionals, bytes and operations.

The program is XLA's optimised text, as ``compiled.as_text()`` has it. A fusion is a kernel; so is every operation
outside of one that computes or copies. Loops with a known number of steps count that many times. Of other loops and of
conditionals, the host has to know how they go on: they are counted apart, and a cost is given at the least (no step of
these loops, the cheapest branch) and at the most (one step of each, the most expensive branch).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from math import ceil, log2, prod
from operator import attrgetter

# Operations that are no kernels: names for values, and what the compiler resolves.
FREE = {
    "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "opt-barrier", "add-dependency",
    "partition-id", "replica-id", "copy-done", "async-done", "while", "conditional", "call",
}  # fmt: skip
# Operations inside of a fusion that compute nothing.
MOVING = FREE | {
    "broadcast", "reshape", "transpose", "slice", "dynamic-slice", "dynamic-update-slice", "gather", "scatter",
    "concatenate", "pad", "iota", "copy", "reverse", "bitcast-convert", "fusion",
}  # fmt: skip
READS_A_PART = ("gather", "dynamic-slice", "slice")
WRITES_A_PART = {"dynamic-update-slice": 1, "scatter": 2}
"""Operations that change their first operand in place, and which operand is written."""
# XLA sorts blocks of at most this many rows and bytes in one kernel each, and merges blocks in others.
SORTED_BLOCK, SHARED_MEMORY = 4096, 49_152

SIZES = {"pred": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "bf16": 2, "s32": 4, "u32": 4, "f32": 4,
         "s64": 8, "u64": 8, "f64": 8}  # fmt: skip
ARRAY = re.compile(r"(\w+)\[([\d,]*)\]")
COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
INSTRUCTION = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = (.*)$")
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')


@dataclass
class Instruction:
    """An operation, with the arrays it returns as (bytes per element, number of elements)."""

    name: str
    opcode: str
    arrays: list[tuple[int, int]]
    operands: list[str]
    attributes: str
    is_root: bool

    @property
    def bytes(self) -> int:
        return sum(size * elements for size, elements in self.arrays)

    @property
    def elements(self) -> int:
        return max((elements for _, elements in self.arrays), default=0)

    @property
    def trips(self) -> int | None:
        """How often a loop runs, if the compiler knows."""
        match = TRIPS.search(self.attributes)
        return int(match[1]) if match else None

    def called(self, *names: str) -> list[str]:
        """Return the computations that an attribute names."""
        found: list[str] = []
        for name in names:
            for match in re.finditer(rf"\b{name}=(?:\{{([^}}]*)\}}|%?([\w.\-]+))", self.attributes):
                found += re.findall(r"[\w.\-]+", match[1] or match[2])
        return found


@dataclass
class Cost:
    """What is executed, and how long its kernels take at least, each by its bytes or by its operations."""

    kernels: int = 0
    loops: int = 0
    """Loops whose number of steps depends on data."""
    conditionals: int = 0
    sorts: int = 0
    library_calls: int = 0
    bytes: float = 0
    operations: float = 0
    seconds: float = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def __mul__(self, times: int) -> "Cost":
        return Cost(*(getattr(self, name) * times for name in self.__dataclass_fields__))


@dataclass
class Program:
    """A compiled program.

    Args:
      text: XLA's optimised text.
      bandwidth: bytes per second of the device's memory.
      speed: operations per second.
    """

    text: str
    bandwidth: float = 1e12
    speed: float = 1e14
    computations: dict[str, dict[str, Instruction]] = field(init=False)
    entry: str = field(init=False)

    def __post_init__(self) -> None:
        self.computations = {}
        for line in self.text.splitlines():
            if match := COMPUTATION.match(line):
                current = self.computations.setdefault(match[1], {})
                if line.startswith("ENTRY"):
                    self.entry = match[1]
            elif match := INSTRUCTION.match(line):
                instruction = parse(match[2], match[3], is_root=bool(match[1]))
                current[instruction.name] = instruction
        self.cost = cache(self._cost)

    def generation(self) -> tuple[Cost, Cost]:
        """Return the cost of a generation, at the least and at the most: of the body of the outermost loop.

        The loop over generations itself is not in it.
        """
        loops = [i for i in self.computations[self.entry].values() if i.opcode == "while"]
        body = max(loops, key=lambda loop: len(loop.arrays)).called("body")[0]
        return self.cost(body, least=True), self.cost(body, least=False)

    def kernels(self, computation: str) -> Iterator[tuple[Instruction, Cost]]:
        """Yield the kernels of a computation, without those of loops and conditionals in it."""
        for instruction in self.computations[computation].values():
            if instruction.opcode not in FREE:
                yield instruction, self.kernel_cost(instruction, self.computations[computation])

    def _cost(self, computation: str, *, least: bool) -> Cost:
        total = Cost()
        cost = partial(self.cost, least=least)
        for instruction in self.computations[computation].values():
            if instruction.opcode == "while":
                (body,), (condition,) = instruction.called("body"), instruction.called("condition")
                if instruction.trips is not None:
                    total += (cost(body) + cost(condition)) * instruction.trips
                else:
                    total += Cost(loops=1) + cost(condition) + (Cost() if least else cost(body) + cost(condition))
            elif instruction.opcode == "conditional":
                names = instruction.called("true_computation", "false_computation", "branch_computations")
                pick: Callable = min if least else max
                total += Cost(conditionals=1) + pick(map(cost, names), key=attrgetter("kernels"))
            elif instruction.opcode in ("call", "async-start"):
                for name in instruction.called("to_apply", "calls"):
                    total += cost(name)
            elif instruction.opcode not in FREE:
                total += self.kernel_cost(instruction, self.computations[computation])
        return total

    def kernel_cost(self, instruction: Instruction, around: dict[str, Instruction]) -> Cost:
        """Return the cost of one kernel, or of the kernels of a sort."""
        read = sum(around[name].bytes for name in instruction.operands if name in around)
        moved, operations, launches = read + instruction.bytes, instruction.elements, 1
        if instruction.opcode == "fusion":
            (name,) = instruction.called("calls")
            moved, operations = self.fusion_bytes(name), self.operations(name)
        is_sort = self.contains_sort(instruction)
        if is_sort:
            stages = ceil(log2(max(instruction.elements, 2)))
            launches = sort_launches(instruction.elements, sum(size for size, _ in instruction.arrays))
            moved, operations = moved * launches, instruction.elements * stages * (stages + 1) // 2
        seconds = max(moved / self.bandwidth, operations / self.speed)
        is_call = instruction.opcode == "custom-call"
        return Cost(launches, 0, 0, int(is_sort), int(is_call), moved, operations, seconds)

    def contains_sort(self, instruction: Instruction) -> bool:
        inside = [i for name in instruction.called("calls") for i in self.computations[name].values()]
        return any(i.opcode == "sort" for i in (instruction, *inside))

    def operations(self, computation: str) -> int:
        """Return the number of arithmetic operations of a fusion."""
        total = 0
        instructions = self.computations[computation]
        for instruction in instructions.values():
            if instruction.opcode == "fusion":
                total += sum(map(self.operations, instruction.called("calls")))
            elif instruction.opcode in ("reduce", "reduce-window"):
                total += max((instructions[name].elements for name in instruction.operands), default=0)
            elif instruction.opcode not in MOVING:
                total += instruction.elements
        return total

    def fusion_bytes(self, computation: str) -> int:
        """Return the bytes that a fusion reads and writes; of arrays that it reads or writes in part, this part."""
        instructions = self.computations[computation]
        users: dict[str, list[Instruction]] = {}
        for instruction in instructions.values():
            for name in instruction.operands:
                users.setdefault(name, []).append(instruction)

        def read(instruction: Instruction) -> int:
            used = 0
            for user in users.get(instruction.name, []):
                is_first = user.operands[:1] == [instruction.name]
                if user.opcode in READS_A_PART and is_first:
                    used += user.bytes
                elif user.opcode in WRITES_A_PART and is_first:
                    continue
                elif user.opcode == "bitcast":
                    used += read(user)
                else:
                    return instruction.bytes
            return min(used, instruction.bytes)

        def written(instruction: Instruction) -> int:
            if instruction.opcode == "tuple":
                return sum(written(instructions[name]) for name in instruction.operands)
            if instruction.opcode == "bitcast":
                return written(instructions[instruction.operands[0]])
            if instruction.opcode in WRITES_A_PART:
                return min(
                    instruction.bytes, instructions[instruction.operands[WRITES_A_PART[instruction.opcode]]].bytes
                )
            return instruction.bytes

        roots = [instruction for instruction in instructions.values() if instruction.is_root]
        parameters = [instruction for instruction in instructions.values() if instruction.opcode == "parameter"]
        return sum(map(read, parameters)) + sum(map(written, roots))


def parse(name: str, definition: str, *, is_root: bool) -> Instruction:
    """Parse what follows the equals sign of an instruction: type, opcode(operands), attributes."""
    end = closing(definition, 0) if definition.startswith("(") else definition.index(" ") - 1
    kind, rest = definition[: end + 1], definition[end + 1 :].lstrip()
    # The layout may follow the type of an array after a space, never that of a tuple.
    opcode, _ = rest.split("(", 1)
    last = closing(rest, len(opcode))
    inside = rest[len(opcode) + 1 : last]
    operands = [] if opcode in ("constant", "parameter") else re.findall(r"%([\w.\-]+)", inside)
    kind = re.sub(r"/\*.*?\*/", "", kind)
    arrays = [
        (SIZES.get(dtype, 0), prod(map(int, filter(None, shape.split(","))))) for dtype, shape in ARRAY.findall(kind)
    ]
    return Instruction(name, opcode.strip(), arrays, operands, rest[last + 1 :], is_root)


def closing(text: str, start: int) -> int:
    """Return where the parenthesis at ``start`` is closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError(f"the program has an open parenthesis in {text[:80]!r}")


def sort_launches(rows: int, row_bytes: int) -> int:
    """Return the kernels of XLA's bitonic sort: one that sorts blocks, and then some to merge them, stage by stage.

    >>> sort_launches(4096, 12), sort_launches(8192, 12), sort_launches(32_768, 12), sort_launches(32_768, 16)
    (1, 3, 10, 15)
    """
    block = min(SORTED_BLOCK, SHARED_MEMORY // row_bytes)
    beyond = max(0, ceil(log2(max(rows, 2))) - int(log2(block)))
    return 1 + sum(stage + 1 for stage in range(1, beyond + 1))
