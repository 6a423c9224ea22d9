"""What XLA compiles, by whatever way it is asked to."""

import jax


class Compilations:
    """Counts them."""

    def __init__(self):
        self.count = 0
        jax.monitoring.register_event_duration_secs_listener(self.listen)

    def listen(self, event: str, *_: object, **__: object) -> None:
        self.count += event == "/jax/core/compile/backend_compile_duration"
