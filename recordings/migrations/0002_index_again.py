from django.db import migrations


def drop_index(apps, schema_editor):
    """Remove what is derived; the worker makes it again in its new shape from the blobs."""
    for name in ("Presence", "Piece", "Text", "Epoch", "NotServed"):
        rows = apps.get_model("recordings", name).objects.all()
        rows._raw_delete(rows.db)
    apps.get_model("recordings", "Recording").objects.filter(status="ready").update(status="received", index_version=0)


class Migration(migrations.Migration):

    dependencies = [
        ('recordings', '0001_recordings_and_their_index'),
    ]

    operations = [
        migrations.RunPython(drop_index, migrations.RunPython.noop),
    ]
