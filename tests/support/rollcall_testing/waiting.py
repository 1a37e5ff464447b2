"""Waiting in tests: for a condition, with a deadline, never for a fixed time."""

import time

PAUSE_SECONDS = 0.02


class WaitedInVain(AssertionError):
    """A deadline has passed; the text says for what."""


def wait_until(condition, what, seconds=10.0):
    """Calls condition() until it is true and returns what it returned; fails after `seconds` and says `what`.

    `what` is a text, or a function that makes one when it is needed.
    """
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            text = what() if callable(what) else what
            raise WaitedInVain(f"waited {seconds:g} s for: {text}")
        time.sleep(PAUSE_SECONDS)


def seconds_until(condition, what, seconds=10.0):
    """The same, and returns how long it took."""
    begun = time.monotonic()
    wait_until(condition, what, seconds)
    return time.monotonic() - begun
