"""Routes below ``/api/v1/recordings/``."""

from django.urls import include, path

from recordings.api import context, trail, views

app_name = "recordings-api"

# /api/v1/recordings/<id>/
recording_urls = [
    path("", views.RecordingDetail.as_view(), name="detail"),
    path("raw/", views.RecordingRaw.as_view(), name="raw"),
    path("epochs/", views.EpochList.as_view(), name="epochs"),
    path("epochs/<int:position>/context/", context.EpochContext.as_view(), name="context"),
    path("pieces/<str:piece_id>/text/", context.PieceText.as_view(), name="piece-text"),
    path("diff/", context.ContextDiff.as_view(), name="diff"),
    path("trail/", trail.PhraseTrail.as_view(), name="trail"),
    path("claims/", trail.AnswerClaimList.as_view(), name="claims"),
    path("state/", context.StateAtCommit.as_view(), name="state"),
]
urlpatterns = [
    path("", views.RecordingList.as_view(), name="list"),
    path("<uuid:public_id>/", include(recording_urls)),
]
