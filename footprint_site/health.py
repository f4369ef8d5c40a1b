"""For whoever watches the server: is the process alive, and can it work."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from footprint_site.api_errors import RETRY_AFTER_SECONDS


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers at all. Asks nothing of the database."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when requests can be served, else 503; each check says ``ok`` or what is wrong, without secrets."""
    checks = {"database": _database(), "data_folder": _data_folder()}
    is_ready = all(state == "ok" for state in checks.values())
    response = JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)
    if not is_ready:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _database() -> str:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except Error:
        return "does not answer"
    return f"{len(missing)} migrations missing: run bin/run or manage.py migrate" if missing else "ok"


def _data_folder() -> str:
    probe = settings.DATA_DIR / ".readyz"
    try:
        probe.write_bytes(b"ok")
        probe.unlink(missing_ok=True)
    except OSError as error:
        return f"not writable: {error.strerror}"
    return "ok"
