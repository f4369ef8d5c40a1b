"""Routes of the pages of sessions, conversations and memory."""

from django.urls import path

from recordings.views import conversations, memory, sessions

app_name = "seats"
urlpatterns = [
    path("conversations/", conversations.conversation_list, name="conversation-list"),
    path("conversations/<uuid:public_id>/", conversations.conversation_detail, name="conversation-detail"),
    path("conversations/<uuid:public_id>/memory/<int:store_pk>/", memory.memory_detail, name="memory-detail"),
    path("sessions/", sessions.session_list, name="session-list"),
    path("sessions/new/", sessions.session_create, name="session-new"),
    path("sessions/<uuid:public_id>/", sessions.session_detail, name="session-detail"),
    path("sessions/<uuid:public_id>/records/<int:record_pk>/", sessions.session_record, name="session-record"),
    path("sessions/<uuid:public_id>/open/", sessions.session_open, name="session-open"),
    path("sessions/<uuid:public_id>/close/", sessions.session_close, name="session-close"),
    path("sessions/<uuid:public_id>/delete/", sessions.session_confirm_delete, name="session-delete"),
]
