"""Where people reach this installation, for links that are printed instead of served."""

from django.conf import settings

_LOCAL_NAMES = {"", "0.0.0.0", "::", "[::]"}  # noqa: S104  # compared with, not bound to


def site_address() -> str:
    """Return scheme, host and port without a final slash: ``http://127.0.0.1:8000``."""
    if settings.HTTPS:
        return f"https://{settings.ALLOWED_HOSTS[0]}"
    host = "127.0.0.1" if settings.HOST in _LOCAL_NAMES else settings.HOST
    return f"http://{host}:{settings.PORT}"
