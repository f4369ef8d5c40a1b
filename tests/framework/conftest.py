"""One server for all tests here, on the kind of database that the tests run on."""

from collections.abc import Iterator

import pytest

from tests.framework.agents import ENGINE, ENGINE_VERSION, Service, engine_version
from tests.framework.databases import empty_database
from tests.sessions.test_turn_reserve_http import running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    if engine_version() != ENGINE_VERSION:
        pytest.fail(f"There is no footprintjs {ENGINE_VERSION} in {ENGINE}: run bin/test, which fetches it from npm.")
    with empty_database() as variables, running(tmp_path_factory.mktemp("framework"), **variables) as server:
        yield Service(server.port, server.key)
