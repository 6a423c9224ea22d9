"""Counting what a compiled program executes, on a program that is written by hand."""

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parent.parent / "benchmarks" / "compiled_program.py"

PROGRAM = """HloModule jit_chunk

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

%fused_row (p: f32[100,4], i: s32[]) -> f32[1,4] {
  %p = f32[100,4]{1,0} parameter(0)
  %i = s32[] parameter(1)
  %zero = s32[] constant(0)
  ROOT %row = f32[1,4]{1,0} dynamic-slice(%p, %i, %zero), dynamic_slice_sizes={1,4}
}

%fused_double (p: f32[100,4]) -> f32[100,4] {
  %p = f32[100,4]{1,0} parameter(0)
  ROOT %double = f32[100,4]{1,0} add(%p, %p)
}

%fused_write (p: f32[100,4], r: f32[1,4], i: s32[]) -> f32[100,4] {
  %p = f32[100,4]{1,0} parameter(0)
  %r = f32[1,4]{1,0} parameter(1)
  %i = s32[] parameter(2)
  %zero = s32[] constant(0)
  ROOT %written = f32[100,4]{1,0} dynamic-update-slice(%p, %r, %i, %zero)
}

%fused_sum (p: f32[100,4]) -> f32[] {
  %p = f32[100,4]{1,0} parameter(0)
  %zero = f32[] constant(0)
  ROOT %total = f32[] reduce(%p, %zero), dimensions={0,1}, to_apply=%add
}

%known_body (s: (s32[], f32[100,4])) -> (s32[], f32[100,4]) {
  %s = (s32[], f32[100,4]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %x = f32[100,4]{1,0} get-tuple-element(%s), index=1
  %doubled = f32[100,4]{1,0} fusion(%x), kind=kLoop, calls=%fused_double, metadata={op_name="body(x)"}
  %next = s32[] add(%i, %i)
  ROOT %t = (s32[], f32[100,4]{1,0}) tuple(%next, %doubled)
}

%known_condition (s: (s32[], f32[100,4])) -> pred[] {
  %s = (s32[], f32[100,4]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  ROOT %less = pred[] compare(%i, %i), direction=LT
}

%unknown_body (s: (f32[100,4])) -> (f32[100,4]) {
  %s = (f32[100,4]{1,0}) parameter(0)
  %x = f32[100,4]{1,0} get-tuple-element(%s), index=0
  %doubled = f32[100,4]{1,0} fusion(%x), kind=kLoop, calls=%fused_double
  ROOT %t = (f32[100,4]{1,0}) tuple(%doubled)
}

%unknown_condition (s: (f32[100,4])) -> pred[] {
  %s = (f32[100,4]{1,0}) parameter(0)
  %x = f32[100,4]{1,0} get-tuple-element(%s), index=0
  %total = f32[] fusion(%x), kind=kInput, calls=%fused_sum
  ROOT %positive = pred[] compare(%total, %total), direction=GT
}

%expensive (x: f32[100,4]) -> f32[100,4] {
  %x = f32[100,4]{1,0} parameter(0)
  %once = f32[100,4]{1,0} fusion(%x), kind=kLoop, calls=%fused_double
  ROOT %twice = f32[100,4]{1,0} fusion(%once), kind=kLoop, calls=%fused_double
}

%cheap (x: f32[100,4]) -> f32[100,4] {
  ROOT %x = f32[100,4]{1,0} parameter(0)
}

%by_key (a: s32[], b: s32[], c: f32[], d: f32[]) -> pred[] {
  %a = s32[] parameter(0)
  %b = s32[] parameter(1)
  %c = f32[] parameter(2)
  %d = f32[] parameter(3)
  ROOT %less = pred[] compare(%a, %b), direction=LT
}

%generation (s: (s32[], f32[100,4], /*index=2*/s32[8192], f32[8192])) -> (s32[], f32[100,4], s32[8192], f32[8192]) {
  %s = (s32[], f32[100,4]{1,0}, /*index=2*/s32[8192]{0}, f32[8192]{0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %x = f32[100,4]{1,0} get-tuple-element(%s), index=1
  %keys = s32[8192]{0} get-tuple-element(%s), index=2
  %values = f32[8192]{0} get-tuple-element(%s), index=3
  %row = f32[1,4]{1,0} fusion(%x, %i), kind=kLoop, calls=%fused_row
  %start = (s32[], f32[100,4]{1,0}) tuple(%i, %x)
  %five = (s32[], f32[100,4]{1,0}) while(%start), condition=%known_condition, body=%known_body, \
backend_config={"known_trip_count":{"n":"5"}}
  %five_x = f32[100,4]{1,0} get-tuple-element(%five), index=1
  %state = (f32[100,4]{1,0}) tuple(%five_x)
  %some = (f32[100,4]{1,0}) while(%state), condition=%unknown_condition, body=%unknown_body
  %some_x = f32[100,4]{1,0} get-tuple-element(%some), index=0
  %flag = pred[] compare(%i, %i), direction=LT
  %chosen = f32[100,4]{1,0} conditional(%flag, %some_x, %some_x), true_computation=%expensive, false_computation=%cheap
  %sorted = (s32[8192]{0}, f32[8192]{0}) sort(%keys, %values), dimensions={0}, to_apply=%by_key
  %sorted_keys = s32[8192]{0} get-tuple-element(%sorted), index=0
  %sorted_values = f32[8192]{0} get-tuple-element(%sorted), index=1
  %written = f32[100,4]{1,0} fusion(%chosen, %row, %i), kind=kLoop, calls=%fused_write
  ROOT %t = (s32[], f32[100,4]{1,0}, s32[8192]{0}, f32[8192]{0}) tuple(%i, %written, %sorted_keys, %sorted_values)
}

%more (s: (s32[], f32[100,4], s32[8192], f32[8192])) -> pred[] {
  %s = (s32[], f32[100,4]{1,0}, s32[8192]{0}, f32[8192]{0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  ROOT %less = pred[] compare(%i, %i), direction=LT
}

ENTRY %main (x: f32[100,4], keys: s32[8192], values: f32[8192]) -> (s32[], f32[100,4], s32[8192], f32[8192]) {
  %x = f32[100,4]{1,0} parameter(0), sharding={replicated}
  %keys = s32[8192]{0} parameter(1)
  %values = f32[8192]{0} parameter(2)
  %zero = s32[] constant(0)
  %start = (s32[], f32[100,4]{1,0}, s32[8192]{0}, f32[8192]{0}) tuple(%zero, %x, %keys, %values)
  ROOT %run = (s32[], f32[100,4]{1,0}, s32[8192]{0}, f32[8192]{0}) while(%start), condition=%more, body=%generation
}
"""
ARRAY = 100 * 4 * 4


@pytest.fixture(scope="module")
def module():
    specification = importlib.util.spec_from_file_location("compiled_program", PATH)
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def test_kernels_loops_and_branches_of_a_generation_are_counted(module):
    least, most = module.Program(PROGRAM).generation()
    # The row, five steps of two kernels and a condition, the condition of the other loop, a flag, a sort, the writing.
    sort = module.sort_launches(8192, 8)
    assert sort == 3
    assert least.kernels == 1 + 5 * 3 + 2 + 1 + sort + 1
    assert most.kernels == least.kernels + 3 + 2
    assert (least.loops, least.conditionals, least.sorts) == (most.loops, most.conditionals, most.sorts) == (1, 1, 1)


def test_bytes_are_those_that_a_kernel_reads_and_writes(module):
    program = module.Program(PROGRAM)
    moved = {name: program.fusion_bytes(name) for name in ("fused_row", "fused_double", "fused_write", "fused_sum")}
    # A row of 16 bytes and its number; in place, only the row is written.
    assert moved == {
        "fused_row": 16 + 4 + 16, "fused_double": 2 * ARRAY, "fused_write": 16 + 4 + 16, "fused_sum": ARRAY + 4
    }  # fmt: skip
    assert (program.operations("fused_double"), program.operations("fused_sum")) == (400, 400)
    assert program.operations("fused_row") == 0


def test_a_kernel_takes_as_long_as_its_bytes_or_its_operations(module):
    by_bytes = module.Program(PROGRAM, bandwidth=1e6, speed=1e12)
    by_operations = module.Program(PROGRAM, bandwidth=1e12, speed=1e6)
    (kernel, cost), *_ = by_bytes.kernels("expensive")
    assert (kernel.name, cost.seconds) == ("once", pytest.approx(2 * ARRAY / 1e6))
    (_, cost), *_ = by_operations.kernels("expensive")
    assert cost.seconds == pytest.approx(400 / 1e6)


def test_a_sort_of_more_rows_takes_more_kernels(module):
    assert [module.sort_launches(2**k, 12) for k in (4, 12, 13, 15)] == [1, 1, 3, 10]
    assert module.sort_launches(32_768, 16) == 15
