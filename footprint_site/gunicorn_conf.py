"""How the web server runs: ``gunicorn -c python:footprint_site.gunicorn_conf footprint_site.wsgi``."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "footprint_site.settings")

from django.conf import settings  # the settings module has to be named first

bind = f"{settings.HOST}:{settings.PORT}"
workers = 2
worker_class = "gthread"
threads = 4
graceful_timeout = 30
# A header that is far too long gets our own answer, not a page of the server's.
limit_request_field_size = 131_072
# Off: a key sent in a URL by mistake must not end in a log.
accesslog = None
loglevel = "warning"


def when_ready(server: object) -> None:
    """Say where to go, now that somebody listens there."""
    print(os.environ.get("FOOTPRINT_GREETING", ""), flush=True)
