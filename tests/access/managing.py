"""Members of a workspace, and what its admins set about them on its page."""

from django.test import Client
from django.urls import reverse

from footprint_site.access.models import Membership


def member(username: str) -> Membership:
    return Membership.objects.get(workspace__slug="brew", user__username=username)


def set_role(client: Client, username: str, role: str):
    return client.post(reverse("access:member-role", args=["brew", member(username).public_id]), {"role": role})


def set_active(client: Client, username: str, answer: str):
    url = reverse("access:member-active", args=["brew", member(username).public_id])
    return client.post(url, {"is_active": answer})
