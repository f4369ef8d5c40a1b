"""Read-only lists of recordings; what is in them is shown by the pages, escaped and masked."""

from django.contrib import admin

from footprint_site.admin import ReadOnlyAdmin
from recordings.models import Recording


@admin.register(Recording)
class RecordingAdmin(ReadOnlyAdmin):
    """Recordings by what is stored about them, without their content."""

    list_display = ["public_id", "workspace", "status", "n_commits", "n_epochs", "n_bytes", "revision", "created_at"]
    list_filter = ["workspace", "status", "relation", "form"]
    list_select_related = ["workspace"]
    fields = [
        "public_id",
        "workspace",
        "sha256",
        "n_bytes",
        "filename",
        "uploaded_by",
        "created_at",
        "status",
        "error",
        "index_version",
        "form",
        "n_commits",
        "n_epochs",
        "revision",
        "relation",
        "is_complete",
        "n_dropped_events",
    ]
