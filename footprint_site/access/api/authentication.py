"""``Authorization: Bearer KEY``."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from footprint_site.access.audit import audit
from footprint_site.access.models import ApiKey
from footprint_site.access.principals import KeyHolder
from footprint_site.access.services.keys import api_key_check, api_key_flag_leaks, api_key_note_use


class BearerKeyAuthentication(BaseAuthentication):
    """
    Lets the holder of an active key in. A request without ``Authorization`` is left to the next way in.

    A key in the URL is refused even when it is right, and flagged: it is in logs and histories by now.
    """

    def authenticate(self, request: Request) -> tuple[KeyHolder, ApiKey] | None:
        leaked = api_key_flag_leaks(query_string=request.META.get("QUERY_STRING", ""))
        for key in leaked:
            actor = KeyHolder(key)
            audit(
                "api_key_leak",
                actor=actor,
                target="in a URL",
                outcome="denied",
                workspace=key.workspace,
                request=request,
            )
        if leaked or "api_key" in request.query_params:
            raise AuthenticationFailed
        if "HTTP_AUTHORIZATION" not in request.META:
            return None
        scheme, _, presented = get_authorization_header(request).decode("latin-1").partition(" ")
        # The check runs for another scheme too: its answer takes as long.
        row = api_key_check(presented.strip())
        if row is None or scheme.lower() != "bearer":
            raise AuthenticationFailed
        holder = KeyHolder(row)
        is_first_in_a_while = api_key_note_use(key=row)
        audit(
            "api_key_use",
            actor=holder,
            target=f"{request.method} {request.path}",
            workspace=row.workspace,
            request=request,
            keep=is_first_in_a_while,
        )
        return holder, row

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Footprint"'
