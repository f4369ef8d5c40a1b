"""The people and programs of the tests. All are made by the services, so none is an impossible row."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from footprint_site.access.models import ApiKey, Role, Scope, Workspace
from footprint_site.access.services.keys import api_key_create
from footprint_site.access.services.workspaces import membership_create, workspace_create

PASSWORD = "correct horse battery"
MAKER = "tests"


@dataclass(frozen=True)
class People:
    """Alice manages the workspace, Irene investigates in it, Bob views it. Mallory manages another one."""

    workspace: Workspace
    elsewhere: Workspace
    alice: User
    irene: User
    bob: User
    mallory: User
    root: User

    @property
    def by_part(self) -> dict[str, User]:
        """Who plays which part in the table of routes."""
        return {
            "viewer": self.bob,
            "investigator": self.irene,
            "admin": self.alice,
            "stranger": self.mallory,
            "superuser": self.root,
        }


def make_people() -> People:
    workspace = workspace_create(slug="brew", name="Brew & Bean", actor=MAKER)
    elsewhere = workspace_create(slug="other", name="Elsewhere", actor=MAKER)
    people = People(
        workspace=workspace,
        elsewhere=elsewhere,
        alice=User.objects.create_user("alice", password=PASSWORD),
        irene=User.objects.create_user("irene", password=PASSWORD),
        bob=User.objects.create_user("bob", password=PASSWORD),
        mallory=User.objects.create_user("mallory", password=PASSWORD),
        root=User.objects.create_superuser("root", password=PASSWORD),
    )
    membership_create(workspace=workspace, user=people.alice, role=Role.ADMIN, actor=MAKER)
    membership_create(workspace=workspace, user=people.irene, role=Role.INVESTIGATOR, actor=MAKER)
    membership_create(workspace=workspace, user=people.bob, role=Role.VIEWER, actor=MAKER)
    membership_create(workspace=elsewhere, user=people.mallory, role=Role.ADMIN, actor=MAKER)
    return people


def make_key(workspace: Workspace, *scopes: Scope, **fields: Any) -> tuple[ApiKey, str]:
    return api_key_create(workspace=workspace, name="tests", scopes=scopes or list(Scope), actor=MAKER, **fields)


def signed_in(user: User | None) -> Client:
    """A browser of *user*; of nobody for None."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
