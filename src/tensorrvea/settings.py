"""Frozen keyword-only dataclasses that are also pytrees: how algorithms and operators hold their settings."""

import dataclasses
from typing import Any, TypeVar, dataclass_transform

import jax

T = TypeVar("T")


def static(default: Any = dataclasses.MISSING) -> Any:
    """A field that sets a shape or chooses code, so that another value compiles again."""
    return dataclasses.field(default=default, metadata={"static": True})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(static, dataclasses.field))
def settings(cls: type[T]) -> type[T]:
    """Makes a class of settings: numbers are leaves (one can vmap over them), what is static or text is not.

    JAX rebuilds such objects with tracers, None and axis numbers in the place of numbers. The argument checks of
    ``__post_init__`` are not run then.
    """
    cls = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    fields = [(field.name, bool(field.metadata.get("static"))) for field in dataclasses.fields(cls)]  # type: ignore[arg-type]

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
