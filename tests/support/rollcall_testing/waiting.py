"""Waiting in tests: for a condition, with a deadline, never for a fixed time.

A deadline counts the time that this test was given: a machine that is busy with other tests, or stands still, keeps the programs of a
test as much as the test.
"""

import time

PAUSE_SECONDS = 0.02
LONGEST_TURN_SECONDS = 0.1  # that count of one look and one pause: a look that is a command takes less on a machine of its own
LONGEST_STRETCH = 5  # times the deadline; what has not come by then hangs


class WaitedInVain(AssertionError):
    """A deadline has passed; the text says for what."""


def wait_until(condition, what, seconds=10.0):
    """Calls condition() until it is true and returns what it returned; fails after `seconds` and says `what`.

    `what` is a text, or a function that makes one when it is needed.
    """
    return _wait(condition, what, seconds, "waited")[0]


def seconds_until(condition, what, seconds=10.0):
    """The same, and returns how long it took."""
    begun = time.monotonic()
    wait_until(condition, what, seconds)
    return time.monotonic() - begun


def given_seconds_until(condition, what, seconds):
    """For what is promised within a time: the same, and returns how much of it the test was given."""
    return _wait(condition, what, seconds, "promised:")[1]


def _wait(condition, what, seconds, word):
    given = 0.0
    first = time.monotonic()
    while True:
        begun = time.monotonic()
        found = condition()
        if found:
            return found, given
        passed = begun - first
        if given > seconds or passed > LONGEST_STRETCH * seconds:
            text = what() if callable(what) else what
            raise WaitedInVain(f"{word} {seconds:g} s for (given {given:.1f} of the {passed:.1f} s that passed): {text}")
        time.sleep(PAUSE_SECONDS)
        given += min(time.monotonic() - begun, LONGEST_TURN_SECONDS)
