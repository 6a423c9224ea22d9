"""A counter of XLA compilations."""

import jax


class Compilations:
    """Count all XLA compilations of this process."""

    def __init__(self):
        self.count = 0
        jax.monitoring.register_event_duration_secs_listener(self.listen)

    def listen(self, event: str, *_: object, **__: object) -> None:
        self.count += event == "/jax/core/compile/backend_compile_duration"
