"""Interactive jobs of the user `alice` of a Federation: bsub -I on pipes beside the test, each line of which is read with a deadline."""

import os
import pwd
import subprocess

from rollcall_testing.federation import ALICE
from rollcall_testing.files import read
from rollcall_testing.runner import expect, expect_equal
from rollcall_testing.waiting import wait_until


def alice_line(side):
    """What a shell of ours types to be Alice on the first host of the cluster."""
    account = pwd.getpwuid(ALICE)
    entering = " ".join(side.bench.cluster.host(side.names[0]).entering())
    return f"{entering} setpriv --reuid={ALICE} --regid={account.pw_gid} --init-groups -- env HOME={side.places[ALICE]} USER={account.pw_name}"


class Lines:
    """Of a pipe, which must have no buffer."""

    def __init__(self, pipe):
        self.pipe, self.unread, self.ended = pipe, b"", False
        os.set_blocking(pipe.fileno(), False)

    def _has_one(self):
        while not self.ended and b"\n" not in self.unread:
            more = self.pipe.read(65536)
            if more is None:
                return False
            self.unread, self.ended = self.unread + more, more == b""
        return True

    def next(self, seconds=60):
        """With its newline; what is behind the last one, and then "", at the end."""
        wait_until(self._has_one, lambda: f"a line; read so far {self.unread!r}", seconds)
        line, newline, self.unread = self.unread.partition(b"\n")
        return (line + newline).decode()


class Bsub:
    """A bsub of Alice's that runs beside the test."""

    def __init__(self, side, *words, stdin=subprocess.PIPE, **how):
        self.side = side
        self.process = subprocess.Popen(alice_line(side).split() + ["bsub", *words], env=side.environment(), cwd="/", bufsize=0, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
        self.output, self.errors = Lines(self.process.stdout), Lines(self.process.stderr)

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def wait(self, seconds=60):
        return self.process.wait(seconds)

    def errors_up_to(self, words):
        said = ""
        while words not in said:
            line = self.errors.next()
            expect(line, f"bsub has ended: {said} {self.side.logs_text()}")
            said += line
        return said


def expect_a_job_outlives_its_terminal(west, east, place, *options):
    """The mbatchd of east, on n2, dies under the first job of west, which bsub -I with `options` starts there: bsub loses the terminal, and has
    the job's exit code at last. What bsub says on standard error until it has lost the terminal."""
    command = f"echo begun; while [ ! -e {place}/go ]; do sleep 0.1; echo noise; done; echo end >{place}/end; exit 6"
    bsub = Bsub(west, "-I", *options, command, stdin=subprocess.DEVNULL)
    bsub.output.next()
    expect_equal(bsub.output.next(), "begun\n", "its output")
    east.kill_daemon("mbatchd", "n2")
    said = bsub.errors_up_to("goes on without its terminal")
    east.start_daemon("mbatchd", "n2")
    west.wait_for_connection("east")
    west.wait_for(1, "RUN")
    with open(f"{place}/go", "w", encoding="utf-8"):
        pass
    expect_equal(west.wait_for(1, "DONE", "EXIT"), "EXIT", west.logs_text())
    expect_equal(read(f"{place}/end"), "end\n", "what the job did behind the cut")
    expect_equal(bsub.wait(60), 6, "bsub has the job's exit code all the same")
    return said
