"""One of a few words, as an option: a typing slip gets a hint of the nearest, which tyro does not give for these."""

from typing import Any, Literal, get_args, get_origin

from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from tensorrvea.checks import check_choice

CHOICES = ConstructorRegistry()


@CHOICES.primitive_rule
def one_of(kind: PrimitiveTypeInfo) -> PrimitiveConstructorSpec | None:
    """For ``Literal`` words; other types are not ours."""
    words: tuple[Any, ...] = get_args(kind.type)
    if get_origin(kind.type) is not Literal or not all(isinstance(word, str) for word in words):
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="{" + ",".join(words) + "}",
        instance_from_str=lambda given: check_choice("it", given[0], words),
        is_instance=lambda value: value in words,
        str_from_instance=lambda value: [str(value)],
    )
