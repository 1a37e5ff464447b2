"""Time that passes as a test says, for one program: what pam waits minutes for comes in a moment, and a busy machine hits no
limit. See tests/programs/flying_clock.c.
"""

import os
import struct

FAST = 100  # seconds in one


class FlyingClock:
    """`environment` goes to the program. Until fly() its time is the machine's."""

    def __init__(self, bench, program="pam"):
        library = os.path.join(bench.build, "tests", "programs", "libflying_clock.so")
        if not os.path.exists(library):
            raise AssertionError(f"{library} is not there: build it first")
        self.path = os.path.join(bench.fresh_directory("clock"), "numbers")
        self.rate, self.jumped = 1, 0
        self._write()
        self.environment = {"LD_PRELOAD": library, "FLYING_CLOCK": self.path, "FLYING_PROGRAM": program}

    def fly(self):
        """From now on five minutes pass in three seconds: what the program is about to hear it hears in time."""
        self.rate = FAST
        self._write()

    def walk(self):
        """From now on a second is one again."""
        self.rate = 1
        self._write()

    def jump(self, seconds):
        """As for a program that is stopped for so long."""
        self.jumped += seconds
        self._write()

    def _write(self):
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o644), "wb", buffering=0) as file:
            file.write(struct.pack("=qq", self.rate, self.jumped))
