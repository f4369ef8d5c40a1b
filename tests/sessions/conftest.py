"""Fixtures for sessions and memory."""

import pytest

from footprint_site.access.models import Workspace
from tests.sessions.asking import Asker


@pytest.fixture
def asker(workspace: Workspace) -> Asker:
    return Asker(workspace)
