"""What a service says when it refuses."""


class RefusedError(Exception):
    """The request is well formed but not acceptable now; the message tells people why and what to do."""


class LastAdminError(RefusedError):
    """Somebody has to be left who can manage the workspace."""

    def __init__(self) -> None:
        super().__init__("This is the last admin of the workspace. Make somebody else an admin first.")


class LinkSpentError(RefusedError):
    """The link of an invitation does not work, or no longer."""

    def __init__(self) -> None:
        super().__init__("This invitation was used, withdrawn, or is too old. Ask for a new one.")


class AlreadyMemberError(RefusedError):
    """The invited person is in already."""

    def __init__(self, username: str, workspace: str) -> None:
        super().__init__(f"{username} is already a member of {workspace}. The invitation was not used.")
