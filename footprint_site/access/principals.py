"""Who asks: a signed-in person, nobody, or a program that holds an API key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from django.contrib.auth.models import AnonymousUser, User

if TYPE_CHECKING:
    from footprint_site.access.models import ApiKey


@dataclass(frozen=True)
class KeyHolder:
    """A program: it sees the one workspace of its key and is nobody in the database."""

    key: ApiKey

    is_authenticated = True
    is_active = True
    is_anonymous = False
    is_staff = False
    is_superuser = False
    pk = None

    def __str__(self) -> str:
        return f"key {self.key.prefix}"


Viewer: TypeAlias = User | AnonymousUser | KeyHolder
