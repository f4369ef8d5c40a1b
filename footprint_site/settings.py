"""
Settings, read from the environment (and from ``.env`` at the root) with the prefix ``FOOTPRINT_``.

Every variable is described in ``.env.example``; a test compares the two.
"""

from pathlib import Path
from typing import Any

import django_stubs_ext
from csp.constants import NONE, SELF
from environs import Env

from footprint_site.database import database_config
from footprint_site.secret import read_or_make_secret_key

# Lets Django classes be written with their type parameters, as in ModelForm[Workspace].
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env(prefix="FOOTPRINT_")
env.read_env(str(BASE_DIR / ".env"), recurse=False)

DEBUG = env.bool("DEBUG", False)
DATA_DIR = Path(env.str("DATA_DIR", "") or BASE_DIR / ".footprint").expanduser().resolve()
SECRET_KEY = env.str("SECRET_KEY", "") or read_or_make_secret_key(DATA_DIR)
HOST = env.str("HOST", "127.0.0.1")
PORT = env.int("PORT", 8000)
HTTPS = env.bool("HTTPS", False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])

INSTALLED_APPS = [
    "footprint_site.apps.FootprintAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "rest_framework",
    "template_partials",
    "footprint_site.apps.FootprintSiteConfig",
    "footprint_site.access",
    "sessions_app",
    "recordings",
]
MIDDLEWARE = [
    # First, so that static files and refusals of the ones below carry the policy too.
    "csp.middleware.CSPMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "footprint_site.middleware.SignInRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "footprint_site.urls"
WSGI_APPLICATION = "footprint_site.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "footprint_site.templating.WellFormedTemplates",
        "NAME": "django",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["template_partials.templatetags.partials"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "footprint_site.context.site",
            ],
        },
    }
]

# Storage
DATABASES = {"default": database_config(env.str("DATABASE_URL", ""), DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "blobs": {"BACKEND": "recordings.blobs.BlobFolder", "OPTIONS": {"location": DATA_DIR / "blobs"}},
}
# Recordings: how large they may be, on the wire and decompressed, and up to which size the answer waits for the index.
RECORDING_MAX_WIRE_BYTES = env.int("RECORDING_MAX_WIRE_BYTES", 256 * 1024 * 1024)
RECORDING_MAX_BYTES = env.int("RECORDING_MAX_BYTES", 256 * 1024 * 1024)
RECORDING_INDEX_AT_ONCE_BYTES = env.int("RECORDING_INDEX_AT_ONCE_BYTES", 8 * 1024 * 1024)
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# People
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "start"
LOGOUT_REDIRECT_URL = "sign-in"
SIGN_IN_LINK_SECONDS = 24 * 60 * 60
INVITATION_SECONDS = 7 * 24 * 60 * 60
PASSWORD_RESET_TIMEOUT = SIGN_IN_LINK_SECONDS

# Sign-in limits. One person behind one address: a stranger cannot lock somebody else out of the whole site.
AXES_FAILURE_LIMIT = env.int("SIGN_IN_ATTEMPTS", 5)
AXES_COOLOFF_TIME = env.int("SIGN_IN_COOLOFF_MINUTES", 15) / 60
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "footprint_site.access.views.sign_in.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Cookies and transport
_cookie_prefix = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_cookie_prefix}footprint_session"
SESSION_COOKIE_AGE = 7 * 24 * 60 * 60
CSRF_COOKIE_NAME = f"{_cookie_prefix}footprint_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "footprint_site.errors.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "footprint_site.access.api.authentication.BearerKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["footprint_site.access.api.permissions.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "footprint_site.api.JsonOnly",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_PAGINATION_CLASS": "footprint_site.api.PathPagination",
    "DEFAULT_THROTTLE_CLASSES": [],
    "EXCEPTION_HANDLER": "footprint_site.api.exception_handler",
    "PAGE_SIZE": 100,
    # Recorded text may hold lone surrogates, which only escapes can carry.
    "UNICODE_JSON": False,
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "footprint": {"level": "INFO"},
        # Our own audit line says the same with fewer words.
        "axes": {"level": "ERROR"},
        "django_tasks_db": {"level": "WARNING"},
    },
}
