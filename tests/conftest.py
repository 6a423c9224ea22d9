"""What all tests share: shapes are checked at run time, from the annotations of the library itself."""

import jaxtyping
from typechecker import CHECKED

jaxtyping.install_import_hook(CHECKED, "typechecker.check")
