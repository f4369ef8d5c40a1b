"""Every route of the site."""

from django.contrib import admin
from django.urls import include, path

from footprint_site import health, theme, views
from footprint_site.access.views import account, sign_in

urlpatterns = [
    path("", views.start, name="start"),
    path("sign-in/", sign_in.SignIn.as_view(), name="sign-in"),
    path("sign-in/link/<str:uid>/<str:token>/", sign_in.sign_in_link, name="sign-in-link"),
    path("sign-out/", sign_in.SignOut.as_view(), name="sign-out"),
    path("account/", account.account, name="account"),
    path("account/password/", account.PasswordChange.as_view(), name="password-change"),
    path("account/theme/", theme.theme_choose, name="theme"),
    path("", include("footprint_site.access.urls")),
    path("recordings/", include("recordings.urls")),
    path("", include("recordings.seat_urls")),
    path("api/v1/", include("footprint_site.access.api.urls")),
    path("api/v1/", include("sessions_app.api.urls")),
    path("api/v1/recordings/", include("recordings.api.urls")),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("favicon.ico", views.favicon, name="favicon"),
]

handler400 = "footprint_site.errors.bad_request"
handler403 = "footprint_site.errors.permission_denied"
handler404 = "footprint_site.errors.not_found"
handler500 = "footprint_site.errors.server_error"
