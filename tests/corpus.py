"""
The conformance corpus: recordings of real runs, and what the reference answers for each.

It is found through ``FOOTPRINT_CORPUS``. Where it is not there, its tests are not collected, and ``bin/test`` says so.
"""

import gzip
import hashlib
import json
import math
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from recordings.timetravel import UNDEFINED, Recording, decode_recording

ROOT = Path(__file__).resolve().parent.parent
CORPUS = (ROOT / os.environ.get("FOOTPRINT_CORPUS", "../shared/conformance")).resolve()

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"there is no conformance corpus in {CORPUS}")

#: The names of the recordings that are there as envelopes too.
ENVELOPES = sorted(path.name.split(".")[0] for path in (CORPUS / "envelopes").glob("*.envelope.json"))


@cache
def recording_files() -> dict[str, Path]:
    """Every recording by its name, the long ones included."""
    files = [path for folder in ("recordings", "perf") for path in sorted((CORPUS / folder).glob("*.json*"))]
    return {path.name.split(".")[0]: path for path in files}


def read_bytes(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@cache
def recording_named(name: str) -> Recording:
    """The recording, decoded once for all tests: no question may change it."""
    return decode_recording(read_bytes(recording_files()[name]))


def envelope_named(name: str) -> Recording:
    return decode_recording((CORPUS / "envelopes" / f"{name}.envelope.json").read_bytes())


@cache
def golden(name: str) -> Any:
    """What is in ``golden/NAME.json``; None when there is no such file."""
    path = CORPUS / "golden" / f"{name}.json"
    return json.loads(path.read_bytes()) if path.exists() else None


def golden_names(suffix: str = "") -> list[str]:
    """The recordings that have a golden file ``NAME{suffix}.json``."""
    return [name for name in recording_files() if (CORPUS / "golden" / f"{name}{suffix}.json").exists()]


def stable_json(value: Any) -> str:
    """The stable JSON that the goldens hash: sorted keys, no spaces, numbers and escapes as JavaScript writes them."""
    if isinstance(value, dict):
        # JavaScript sorts by UTF-16 units, and drops what is undefined.
        keys = sorted(
            (key for key in value if value[key] is not UNDEFINED), key=lambda k: k.encode("utf-16-be", "surrogatepass")
        )
        return "{" + ",".join(f"{stable_json(key)}:{stable_json(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join("null" if item is UNDEFINED else stable_json(item) for item in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return _js_string(value) if isinstance(value, str) else json.dumps(value)


def utf16(text: str) -> bytes:
    """A key that sorts texts as JavaScript does, and is two bytes a unit."""
    return text.encode("utf-16-be", "surrogatepass")


def _js_string(text: str) -> str:
    """JSON.stringify of a text: it escapes what JSON has to, and lone surrogates."""
    text = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def quick_stable_json(value: Any) -> str:
    """The same in a hundredth of the time, for values without odd numbers, keys and surrogates."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=lambda _: None)


def encoded(value: Any) -> Any:
    """*value* as the goldens spell it when it is short."""
    return {"undefined": True} if value is UNDEFINED else {"value": value}


def matches(value: Any, expected: dict[str, Any]) -> bool:
    """Whether *value* is what the golden says: the value, its absence, or the digest of a long one."""
    if "sha256" not in expected:
        return same(encoded(value), expected)
    if "length" in expected and len(value) != expected["length"]:
        return False
    return any(
        (hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), len(utf16(text)) // 2)
        == (expected["sha256"], expected["chars"])
        for text in (spell(value) for spell in (quick_stable_json, stable_json))
    )


def same(a: Any, b: Any) -> bool:
    """Equality of JSON: unlike Python's, it tells true from 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b) and isinstance(a, str) == isinstance(b, str)


def revived(value: Any) -> Any:
    """A value of the tables, where ``{"$undefined": true}`` and ``{"$number": "NaN"}`` stand for what JSON lacks."""
    if isinstance(value, dict):
        if value == {"$undefined": True}:
            return UNDEFINED
        return float(value["$number"]) if "$number" in value else {key: revived(child) for key, child in value.items()}
    return [revived(child) for child in value] if isinstance(value, list) else value
