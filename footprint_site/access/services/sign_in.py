"""Links that sign somebody in once: for the first admin, and for whoever lost their password."""

from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode


class SignInTokenGenerator(PasswordResetTokenGenerator):
    """
    Tokens bound to the last sign-in, the password and the address of a person, so that any sign-in uses them up.

    They last as long as ``SIGN_IN_LINK_SECONDS`` says and need no table.
    """

    key_salt = "footprint_site.access.sign_in"

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        # To the microsecond, where Django's own cuts to the second: a link made and used within the second of the
        # last sign-in has to be used up too.
        last = user.last_login.isoformat() if user.last_login else ""
        return f"{user.pk}{user.password}{user.email}{last}{timestamp}"


_tokens = SignInTokenGenerator()


def sign_in_path(user: User) -> str:
    """Return the path of a link that signs *user* in once."""
    return reverse("sign-in-link", args=[urlsafe_base64_encode(str(user.pk).encode()), _tokens.make_token(user)])


def sign_in_link_user(*, uid: str, token: str) -> User | None:
    """Return the person whom the link would sign in, None when it does not work. Changes nothing."""
    user = User.objects.filter(pk=_primary_key(uid), is_active=True).first()
    return user if user is not None and _tokens.check_token(user, token) else None


def sign_in_link_use(*, uid: str, token: str) -> User | None:
    """Use the link up and return whom to sign in, None when it does not work or somebody was faster."""
    with transaction.atomic():
        # Under the row's lock two requests with one link cannot both find it unused.
        user = User.objects.select_for_update().filter(pk=_primary_key(uid), is_active=True).first()
        if user is None or not _tokens.check_token(user, token):
            return None
        user.last_login = timezone.now()
        user.save(update_fields=["last_login"])
    return user


def _primary_key(uid: str) -> int:
    try:
        return int(urlsafe_base64_decode(uid))
    except (ValueError, OverflowError):
        return -1
