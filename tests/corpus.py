"""Where the conformance corpus is: recordings of real runs, and what the reference answers for each."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = (ROOT / os.environ.get("FOOTPRINT_CORPUS", "../shared/conformance")).resolve()
