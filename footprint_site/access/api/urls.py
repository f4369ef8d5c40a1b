"""Routes below ``/api/v1/``."""

from django.urls import path

from footprint_site.access.api import views

app_name = "access-api"
urlpatterns = [
    path("me/", views.Me.as_view(), name="me"),
    path("workspaces/", views.WorkspaceList.as_view(), name="workspaces"),
]
