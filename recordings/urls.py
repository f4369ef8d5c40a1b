"""Routes of the pages."""

from django.urls import path

from recordings.views.deleting import recording_confirm_delete
from recordings.views.investigation import recording_detail
from recordings.views.lists import recording_list
from recordings.views.piece import piece_detail
from recordings.views.remembered import recording_memory
from recordings.views.state import recording_state
from recordings.views.uploads import recording_new

app_name = "recordings"
urlpatterns = [
    path("", recording_list, name="recording-list"),
    path("new/", recording_new, name="recording-new"),
    path("<uuid:public_id>/", recording_detail, name="recording-detail"),
    path("<uuid:public_id>/state/", recording_state, name="recording-state"),
    path("<uuid:public_id>/memory/", recording_memory, name="recording-memory"),
    path("<uuid:public_id>/delete/", recording_confirm_delete, name="recording-delete"),
    path("<uuid:public_id>/pieces/<str:piece_id>/", piece_detail, name="piece-detail"),
]
