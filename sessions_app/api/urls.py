"""Routes below ``/api/v1/``. Identities and ids of others travel in bodies, never here."""

from django.urls import include, path

from sessions_app.api import conversations, memory, records, sessions

app_name = "sessions-api"

# /memory/
memory_urls = [
    path("get/", memory.Get.as_view(), name="memory-get"),
    path("put/", memory.Put.as_view(), name="memory-put"),
    path("put-many/", memory.PutMany.as_view(), name="memory-put-many"),
    path("put-if-version/", memory.PutIfVersion.as_view(), name="memory-put-if-version"),
    path("list/", memory.List.as_view(), name="memory-list"),
    path("delete/", memory.Delete.as_view(), name="memory-delete"),
    path("forget/", memory.Forget.as_view(), name="memory-forget"),
    path("seen/", memory.Seen.as_view(), name="memory-seen"),
    path("record-signature/", memory.RecordSignature.as_view(), name="memory-record-signature"),
    path("feedback/", memory.Feedback.as_view(), name="memory-feedback"),
    path("get-feedback/", memory.GetFeedback.as_view(), name="memory-get-feedback"),
]
# /conversations/<uuid>/
conversation_urls = [
    path("", conversations.ConversationDetail.as_view(), name="conversation"),
    path("turns/", conversations.TurnsOfConversation.as_view(), name="conversation-turns"),
    path("entries/", conversations.EntriesOfConversation.as_view(), name="conversation-entries"),
]
close = sessions.IncarnationClose.as_view()

urlpatterns = [
    path("memory/", include(memory_urls)),
    path("turns/", conversations.TurnReserve.as_view(), name="turns"),
    path("conversations/", conversations.ConversationList.as_view(), name="conversations"),
    path("conversations/<uuid:public_id>/", include(conversation_urls)),
    path("sessions/", sessions.SessionList.as_view(), name="sessions"),
    path("sessions/records/keep/", records.Keep.as_view(), name="record-keep"),
    path("sessions/records/recall/", records.Recall.as_view(), name="record-recall"),
    path("sessions/<uuid:public_id>/", sessions.SessionDetail.as_view(), name="session"),
    path("sessions/<uuid:public_id>/incarnations/<uuid:incarnation_id>/close/", close, name="incarnation-close"),
    path("incarnations/<uuid:incarnation_id>/close/", close, name="incarnation-close-by-id"),
]
