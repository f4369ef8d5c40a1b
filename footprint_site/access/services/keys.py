"""API keys: made, checked, revoked."""

import hashlib
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from footprint_site.access.audit import audit
from footprint_site.access.models import ApiKey, Scope, Workspace

#: What a key looks like: a public prefix, then 256 random bits in base64url.
KEY_PATTERN = re.compile(r"(fp_[0-9a-f]{10})_[A-Za-z0-9_-]{43}", re.ASCII)
_USE_IS_NOTED_EVERY = timedelta(minutes=1)
_NO_SUCH_KEY_SHA256 = hashlib.sha256(b"no key").hexdigest()


def api_key_create(
    *,
    workspace: Workspace,
    name: str,
    scopes: Collection[Scope],
    actor: User | str,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """
    Make a key. Returns its row and the key itself, which is kept nowhere and cannot be shown again.

    Args:
        scopes: One or more.
        actor: The person, or the command, that asked for it.
        expires_at: The moment from which it is refused; None for never.
    """
    prefix = f"fp_{secrets.token_hex(5)}"
    key = f"{prefix}_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        row = ApiKey.objects.create(
            workspace=workspace,
            name=name,
            prefix=prefix,
            key_sha256=_digest(key),
            can_ingest=Scope.INGEST in scopes,
            can_read=Scope.READ in scopes,
            created_by=actor if isinstance(actor, User) else None,
            expires_at=expires_at,
        )
        audit("api_key_create", actor=actor, target=f"{prefix}: {', '.join(row.scopes)}", workspace=workspace)
    return row, key


def api_key_revoke(*, key: ApiKey, actor: User) -> None:
    """Refuse *key* from the next request on. A second revocation changes nothing."""
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now()):
            audit("api_key_revoke", actor=actor, target=key.prefix, workspace=key.workspace)


def api_key_check(presented: str) -> ApiKey | None:
    """
    Return the active key that *presented* is, or None.

    Whatever is wrong with it, one digest is computed, one query made and one comparison in constant time done, so
    that the answer tells nothing by when it comes.
    """
    match = KEY_PATTERN.fullmatch(presented)
    digest = _digest(presented)
    prefix = match[1] if match else ""
    row = ApiKey.objects.select_related("workspace").filter(prefix=prefix).first()
    is_same = secrets.compare_digest(digest, row.key_sha256 if row else _NO_SUCH_KEY_SHA256)
    if row is None or not is_same or row.state != "active":
        return None
    return row


def api_key_note_use(*, key: ApiKey) -> bool:
    """Note that *key* was used now. Returns whether this was its first use within the minute."""
    now = timezone.now()
    is_due = Q(last_used_at=None) | Q(last_used_at__lt=now - _USE_IS_NOTED_EVERY)
    return bool(ApiKey.objects.filter(is_due, pk=key.pk).update(last_used_at=now))


def api_key_flag_leaks(*, query_string: str) -> list[ApiKey]:
    """Mark every real key in *query_string* as leaked, and return those keys, active or not."""
    leaked = []
    for match in KEY_PATTERN.finditer(query_string):
        row = ApiKey.objects.select_related("workspace").filter(prefix=match[1]).first()
        if row is not None and secrets.compare_digest(_digest(match[0]), row.key_sha256):
            ApiKey.objects.filter(pk=row.pk, leaked_at=None).update(leaked_at=timezone.now())
            leaked.append(row)
    return leaked


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
