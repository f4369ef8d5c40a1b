"""Django's admin: accounts are managed there, everything else is only looked at."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.urls import reverse

from footprint_site.access.models import AuditLine
from tests.people import make_key, signed_in


@pytest.mark.parametrize("model", [model for model in admin.site._registry if model._meta.app_label == "access"])
def test_what_services_write_is_not_edited(model, people, rf: RequestFactory):
    make_key(people.workspace)
    request = rf.get("/")
    request.user = people.root
    client = signed_in(people.root)
    name = f"admin:access_{model._meta.model_name}"

    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    assert client.get(reverse(f"{name}_add")).status_code == 403
    if row := model.objects.first():
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert client.post(reverse(f"{name}_change", args=[row.pk]), {}).status_code == 403
        assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def test_no_digest_is_shown(people):
    row, _ = make_key(people.workspace)

    page = signed_in(people.root).get(reverse("admin:access_apikey_change", args=[row.pk]))

    assert row.prefix in page.text
    assert row.key_sha256 not in page.text


def test_deactivating_an_account_leaves_an_audit_line(people):
    fields = {"username": "bob", "is_active": "", "date_joined_0": "2026-01-01", "date_joined_1": "00:00"}

    signed_in(people.root).post(reverse("admin:auth_user_change", args=[people.bob.pk]), fields)

    assert not User.objects.get(username="bob").is_active
    line = AuditLine.objects.get(action="user_change")
    assert (line.actor, line.target) == ("root", "bob: deactivated person")


def test_an_account_is_not_deleted(people):
    response = signed_in(people.root).post(reverse("admin:auth_user_delete", args=[people.bob.pk]), {"post": "yes"})

    assert response.status_code == 403
    assert User.objects.filter(username="bob").exists()
