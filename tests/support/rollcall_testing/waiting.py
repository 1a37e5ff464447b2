"""Waiting in tests: for a condition, with a deadline, never for a fixed time."""

import time

PAUSE_SECONDS = 0.02
LONGEST_TURN_SECONDS = 0.1  # one look and one pause; any longer time was taken by the machine


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


def given_seconds_until(condition, what, seconds):
    """For what is promised within a time: the same, but time in which this test itself was kept from running is not counted.

    A machine that is busy with other tests, or stands still, keeps the programs of a test as much as the test.
    """
    given = 0.0
    while True:
        begun = time.monotonic()
        if condition():
            return given
        if given > seconds:
            text = what() if callable(what) else what
            raise WaitedInVain(f"not within the {seconds:g} s that are promised: {text}")
        time.sleep(PAUSE_SECONDS)
        given += min(time.monotonic() - begun, LONGEST_TURN_SECONDS)
