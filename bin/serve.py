"""
Prepare the installation, then run the web server and the background worker until one is told to stop.

The worker is started again when it dies. The web server is not: its end is the end of the run, with its exit code.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
import types

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WEB = [sys.executable, "-m", "gunicorn", "-c", "python:footprint_site.gunicorn_conf", "footprint_site.wsgi"]
WORKER = [sys.executable, "manage.py", "work"]
PREPARE = [sys.executable, "manage.py", "prepare"]
STOP_SECONDS = 35
PR_SET_PDEATHSIG = 1


class StoppedError(Exception):
    """A signal asked the run to end."""


def stop(number: int, frame: types.FrameType | None) -> None:
    """Turn the first signal into an exception, and ignore the ones that impatient hands send after it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise StoppedError


def die_with_parent() -> None:
    """In the child: end when the parent is killed, and let the parent alone hear Ctrl-C."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(command: list[str], **more_environment: str) -> "subprocess.Popen[bytes]":
    """Start *command* at the root."""
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | more_environment, preexec_fn=die_with_parent)


def serve(greeting: str) -> int:
    """Run both until the web server ends. It prints *greeting* once it listens. Returns its exit code."""
    web = start(WEB, FOOTPRINT_GREETING=greeting)
    worker = start(WORKER)
    try:
        while web.poll() is None:
            if worker.poll() is not None:
                print("The background worker ended and is started again.", file=sys.stderr)
                worker = start(WORKER)
            time.sleep(0.5)
        return web.returncode
    finally:
        for child in (web, worker):
            if child.poll() is None:
                child.terminate()
        for child in (web, worker):
            try:
                child.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def main() -> int:
    """Prepare and serve. Returns the exit code."""
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        prepared = subprocess.run(PREPARE, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
        return prepared.returncode or serve(prepared.stdout.rstrip())
    except StoppedError:
        print("Stopped.", file=sys.stderr)
        return 0


if __name__ == "__main__":
    sys.exit(main())
