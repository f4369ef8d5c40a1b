"""Routes of the pages."""

from django.urls import path

from recordings import views

app_name = "recordings"
urlpatterns = [
    path("", views.recording_list, name="recording-list"),
    path("new/", views.recording_new, name="recording-new"),
    path("<uuid:public_id>/", views.recording_detail, name="recording-detail"),
    path("<uuid:public_id>/delete/", views.recording_confirm_delete, name="recording-delete"),
]
