"""Options with a fixed set of words. Errors suggest the nearest word, which tyro does not do for ``Literal``."""

from typing import Any, Literal, get_args, get_origin

from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from tensorrvea.checks import check_choice

CHOICES = ConstructorRegistry()


@CHOICES.primitive_rule
def literal_choice(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec | None:
    """Parse ``Literal`` strings; None leaves other types to tyro."""
    words: tuple[Any, ...] = get_args(info.type)
    if get_origin(info.type) is not Literal or not all(isinstance(word, str) for word in words):
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="{" + ",".join(words) + "}",
        instance_from_str=lambda given: check_choice("the value", given[0], words),
        is_instance=lambda value: value in words,
        str_from_instance=lambda value: [str(value)],
    )
