"""What the calls of a recording were not served."""

from recordings.timetravel import NotServed, all_epoch_locations, not_served_at


def missing(recording) -> list[list[NotServed]]:
    return [not_served_at(recording, location) for location in all_epoch_locations(recording)]


def summary(items) -> list[tuple]:
    return [(item.kind, item.id, item.reason, item.text, item.since) for item in items]
