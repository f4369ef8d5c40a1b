"""A real Chromium. Any error on a page, in its console or on its wire fails the test."""

import os
import shutil
from collections.abc import Callable

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page

from recordings.models import Recording
from tests.e2e.bringing import bring
from tests.people import People, make_people, signed_in

# Playwright's synchronous interface runs a loop in the thread of the test.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
ABORTED = "net::ERR_ABORTED"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    if not CHROMIUM:
        pytest.fail("No Chromium: apt-get install -y --no-install-recommends chromium")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture
def faults() -> list[str]:
    """What went wrong on the pages of this test; one that expects something takes it out."""
    return []


@pytest.fixture
def page(page: Page, faults: list[str]):
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("console", lambda message: faults.append(f"console: {message.text}"))
    # What was on its way when the page was left is no fault.
    page.on("requestfailed", lambda request: request.failure == ABORTED or faults.append(f"failed: {request.url}"))
    yield page
    assert not faults, faults


@pytest.fixture
def people(transactional_db: None) -> People:
    return make_people()


@pytest.fixture
def enter(live_server, context) -> Callable[[User], None]:
    """Put somebody's session into the browser."""

    def put(user: User) -> None:
        key = signed_in(user).cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])

    return put


@pytest.fixture
def imported(people: People) -> Recording:
    """A recording that is here already."""
    return bring(people.workspace)
