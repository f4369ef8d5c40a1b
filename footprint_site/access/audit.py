"""The one function that writes audit lines."""

import json
import logging
from typing import TYPE_CHECKING, Literal, TypeAlias

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone

from footprint_site.access.models import AuditLine, Workspace
from footprint_site.access.principals import KeyHolder, Viewer

if TYPE_CHECKING:
    from rest_framework.request import Request

Outcome: TypeAlias = Literal["done", "denied", "failed"]
logger = logging.getLogger("footprint.audit")


def audit(
    action: str,
    *,
    actor: Viewer | str,
    outcome: Outcome = "done",
    target: str = "",
    workspace: Workspace | None = None,
    request: "HttpRequest | Request | None" = None,
    keep: bool = True,
) -> None:
    """
    Record that *actor* did *action*, in the log and in the database.

    Args:
        action: What was done, as ``noun_verb``: ``api_key_create``.
        actor: Who did it; a string for what is neither a person nor a key, such as a command.
        outcome: How it ended.
        target: What it was done to: a name or an id, never recorded content and never a secret.
        workspace: Whose admins may read the line.
        request: Where the address comes from.
        keep: False for what a stranger can repeat at will: such a line goes to the log alone, because a table that
            anybody can fill is a way to fill the disk.
    """
    line = AuditLine(
        at=timezone.now(),
        workspace=workspace,
        actor=_name(actor)[:200],
        action=action,
        target=_printable(target)[:300],
        outcome=outcome,
        address=request.META.get("REMOTE_ADDR") or None if request else None,
    )
    record = {
        "at": line.at.isoformat(),
        "who": line.actor,
        "what": action,
        "target": line.target,
        "outcome": outcome,
        "workspace": workspace.slug if workspace else None,
        "address": line.address,
    }
    # JSON, so that a name with a line break in it cannot forge a second line.
    logger.info("%s", json.dumps(record))
    if keep:
        line.save()


def _name(actor: Viewer | str) -> str:
    if isinstance(actor, str):
        return actor
    if isinstance(actor, User):
        return actor.username
    return str(actor) if isinstance(actor, KeyHolder) else "anonymous"


def _printable(text: str) -> str:
    # PostgreSQL refuses NUL in text, and both databases refuse lone surrogates.
    return text.encode("utf-8", "replace").decode().replace("\0", "␀")
