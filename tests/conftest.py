"""Fixtures for everything."""

import pytest
from django.test import Client

from footprint_site.access.models import Workspace
from tests.people import People, make_people, signed_in


@pytest.fixture
def people(db: None) -> People:
    return make_people()


@pytest.fixture
def workspace(people: People) -> Workspace:
    return people.workspace


@pytest.fixture
def as_alice(people: People) -> Client:
    return signed_in(people.alice)


@pytest.fixture
def as_bob(people: People) -> Client:
    return signed_in(people.bob)


@pytest.fixture
def as_mallory(people: People) -> Client:
    return signed_in(people.mallory)
