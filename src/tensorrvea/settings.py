"""Frozen keyword-only dataclasses that are also pytrees: how algorithms and operators hold their settings."""

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

import jax

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def static(default: Any = dataclasses.MISSING) -> Any:
    """Declare a field that sets a shape or chooses code, so that another value needs another compilation."""
    return dataclasses.field(default=default, metadata={"static": True})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(static, dataclasses.field))
def settings(cls: type[T]) -> type[T]:
    """Make a class of settings: fields are leaves (one can vmap over numbers), except static ones and strings.

    JAX rebuilds such objects with tracers, None and axis numbers in place of numbers, without the argument checks of
    ``__post_init__``.
    """
    cls = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    declared = dataclasses.fields(cast("type[DataclassInstance]", cls))
    fields = [(field.name, bool(field.metadata.get("static"))) for field in declared]

    def flatten_with_keys(instance: T) -> tuple[list, tuple]:
        leaves: list = []
        rest: list = []
        for name, is_static in fields:
            value = getattr(instance, name)
            if is_static or isinstance(value, str):
                rest.append((name, value))
            else:
                leaves.append((jax.tree_util.GetAttrKey(name), value))
        return leaves, tuple(rest)

    def unflatten(rest: tuple, leaves: Any) -> T:
        instance = object.__new__(cls)
        known = dict(rest)
        values = iter(leaves)
        for name, _ in fields:
            object.__setattr__(instance, name, known[name] if name in known else next(values))
        return instance

    jax.tree_util.register_pytree_with_keys(cls, flatten_with_keys, unflatten)
    return cls
