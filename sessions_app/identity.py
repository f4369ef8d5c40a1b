"""
The namespace of an identity: one text for each tenant, principal and conversation, and no text for two of them.

Source: the memory stores of agentfootprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

#: ``{tenant?, principal?, conversationId}``: texts. Other keys are ignored.
MemoryIdentity: TypeAlias = Mapping[str, Any]

#: What stands for a field that is not there.
_ABSENT: Final = "_"


def encode_identity_field(value: object) -> str:
    """
    Return *value* as one part of a namespace: ``_`` for None and the empty text.

    Only ``%``, ``/`` and a text that is exactly ``_`` are escaped. Spaces, dots and any other character, even a lone
    surrogate, stay as they are: this is an address, not a path and not a URL.

    Raises:
        TypeError: *value* is neither a text nor None. The message does not quote it: it may address a tenant.
    """
    if value is None or value == "":
        return _ABSENT
    if not isinstance(value, str):
        raise TypeError("a field of an identity is neither a text nor left out")
    if value == _ABSENT:
        return "%5F"
    return value.replace("%", "%25").replace("/", "%2F")


def identity_namespace(identity: MemoryIdentity) -> str:
    """
    Return the ``tenant/principal/conversation`` that *identity* names: always three parts.

    Two identities have one namespace only when they differ in nothing but a field that is missing, None or empty.

    Raises:
        TypeError: A field is neither a text nor left out.
    """
    return "/".join(encode_identity_field(identity.get(field)) for field in ("tenant", "principal", "conversationId"))
