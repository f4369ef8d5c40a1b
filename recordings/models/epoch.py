"""The calls of a recording, and what each was not served."""

from django.db import models
from django.urls import reverse

from footprint_site.access.models import Workspace
from recordings.fields import RecordedJson, RecordedText
from recordings.models.recording import Recording


class Epoch(models.Model):
    """One call of the model. Null means not recorded; a count that was not reported is never 0."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="epochs")
    position = models.PositiveIntegerField(help_text="Among all calls of the recording, from 1.")
    number = models.FloatField(help_text="As the run named it.")
    lane = models.PositiveIntegerField(help_text="Its index in the lanes of the recording.")
    call_runtime_stage_id = RecordedText()
    call_index = models.PositiveIntegerField()
    subflow_scope = RecordedText(null=True)
    basis = models.CharField(max_length=12)
    run_basis = models.CharField(max_length=12)
    has_run_log = models.BooleanField()
    model = RecordedText(null=True)
    provider = RecordedText(null=True)
    input_tokens = models.FloatField(null=True)
    output_tokens = models.FloatField(null=True)
    duration_ms = models.FloatField(null=True)
    has_failed = models.BooleanField()
    error = RecordedText(null=True)
    tool_calls = RecordedJson(null=True)
    said = RecordedText(null=True, help_text="The words of the answer.")
    by_source = RecordedJson(default=dict, help_text="Characters served, by source.")
    n_pieces = RecordedJson(default=list, help_text="Pieces served, by slot.")
    n_chars = RecordedJson(default=list, help_text="Characters served, by slot.")
    n_gone = models.PositiveIntegerField(default=0, help_text="Messages of the epoch before that are not served here.")
    marks = RecordedJson(default=list, help_text="What happened here: error, evicted, memory.")
    previous_position = models.PositiveIntegerField(null=True, help_text="Of the epoch before it in its lane.")
    next_position = models.PositiveIntegerField(null=True)
    system_state = models.CharField(max_length=10)
    messages_state = models.CharField(max_length=10)
    tools_state = models.CharField(max_length=10)
    forced_tool = RecordedText(null=True)
    withheld = models.CharField(max_length=20, null=True)  # noqa: DJ001  # null: nothing was withheld
    request_only = RecordedJson(default=list)
    gaps = RecordedJson(default=list)
    receipt = RecordedJson(null=True)

    class Meta:
        ordering = ["recording", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "recording", "position"], name="recordings_epoch_unique_position"
            )
        ]

    def __str__(self) -> str:
        return f"epoch {self.position}"

    def get_absolute_url(self) -> str:
        path = reverse("recordings:recording-detail", args=[self.recording.public_id])
        return f"{path}?epoch={self.position}"


class NotServed(models.Model):
    """Something that was there and did not reach the calls from one epoch through another."""

    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")
    recording = models.ForeignKey(Recording, on_delete=models.CASCADE, related_name="not_served")
    lane = models.PositiveIntegerField(help_text="Its index in the lanes of the recording.")
    first_position = models.PositiveIntegerField()
    last_position = models.PositiveIntegerField()
    order = models.PositiveIntegerField()
    kind = models.CharField(max_length=10)
    facts = RecordedJson()
    text = RecordedText(null=True)

    class Meta:
        ordering = ["recording", "lane", "order"]
        indexes = [models.Index(fields=["recording", "lane", "first_position"], name="recordings_notserved_span")]

    def __str__(self) -> str:
        return f"{self.kind} from epoch {self.first_position}"
