"""
A process that reserves turns until it is killed, and tells of each once it has it.

``python -m tests.sessions.reserving WORKSPACE_ID N_CONVERSATIONS N_THREADS``: a line ``CONVERSATION TURN RUN`` each.
"""

import itertools
import os
import random
import sys
import threading

import django
from django.db import OperationalError


def reserve_for_ever(workspace_id: int, n_conversations: int, name: str) -> None:
    from footprint_site.access.models import Workspace
    from sessions_app.services.turns import turn_reserve
    from sessions_app.services.writing import Identity, Writer

    writer = Writer(Workspace.objects.get(pk=workspace_id), None, name)
    for number in itertools.count():
        conversation = random.randrange(n_conversations)
        run_id = f"{name}-{number}"
        # Now and then the answer gets lost, and the run asks again.
        for _ in range(random.choice([1, 1, 1, 2])):
            try:
                reserved = turn_reserve(writer=writer, identity=Identity(f"chat {conversation}"), run_id=run_id)
            except OperationalError:
                continue
            os.write(1, f"{conversation} {reserved.turn} {run_id}\n".encode())


def main(workspace_id: str, n_conversations: str, n_threads: str) -> None:
    django.setup()
    for number in range(int(n_threads)):
        arguments = (int(workspace_id), int(n_conversations), f"{os.getpid()}.{number}")
        threading.Thread(target=reserve_for_ever, args=arguments).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
