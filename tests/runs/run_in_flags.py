"""Start or resume a run with the flags of this process, and print the front's digest and the warnings as JSON."""

import hashlib
import json
import sys
import warnings

import tensorrvea as tr
from tensorrvea.runs import RunError


def main(directory: str, generations: str) -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            result = tr.resume(directory, generations=int(generations))
        except RunError:  # there is none yet
            result = tr.optimize(
                tr.problems.DTLZ2(objectives=3), tr.TensorRVEA(population=28), generations=int(generations), seed=1,
                directory=directory,
            )  # fmt: skip
    digest = hashlib.sha256(result.F.tobytes()).hexdigest()
    print(json.dumps({"digest": digest, "warnings": [str(one.message) for one in given]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
