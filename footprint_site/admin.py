"""Django's admin, for superusers only, behind our own sign-in."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse


class FootprintAdminSite(admin.AdminSite):
    """There is one way to sign in, with its limits and audit lines, and it is not the admin's."""

    site_header = site_title = "Footprint admin"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.user.is_authenticated and not self.has_permission(request):
            raise Http404
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows to look at: what is written by services, or never changes, is not edited here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False
