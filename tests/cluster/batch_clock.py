"""Rules that follow mbatchd's clock: conditions of lsb files for some hours, on the text as read; pauses of jobs that end at once.

The clock is one of its own: a library in its programs adds what the test says (tests/programs/stepped_clock.c).
"""

import os
import re
import struct
import time

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

HOUR = 3600


class SteppedClock:
    """mbatchd of the cluster, started again with a clock that is so many seconds ahead."""

    def __init__(self, bench, batch):
        self.batch, self.path = batch, os.path.join(batch.top, "clock")
        self.set(0)
        library = os.path.join(bench.build, "tests", "programs", "libstepped_clock.so")
        batch.more_environment = {"LD_PRELOAD": library, "STEPPED_CLOCK": self.path}
        self.restart()

    def restart(self):
        self.batch.kill_daemon("mbatchd", "n1")
        self.batch.start_daemon("mbatchd", "n1")

    def set(self, seconds):
        self.ahead = seconds
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o644), "wb", buffering=0) as file:
            file.write(struct.pack("=q", seconds))


def test_a_queue_has_another_priority_in_its_hour(bench):
    now = time.localtime().tm_hour * 60 + time.localtime().tm_min
    word = lambda minute: f"{minute % 1440 // 60}:{minute % 60:02}"
    late = f"#if time({word(now + 30)}-{word(now + 90)})\nPRIORITY = 77\n#else\nPRIORITY = 33\n#endif\n"
    with BatchCluster(bench, ["n1"], queues=f"Begin Queue\nQUEUE_NAME = normal\n{late}End Queue\n") as batch:
        clock = SteppedClock(bench, batch)
        priority = lambda: batch.user("bqueues", "normal").stdout.splitlines()[-1].split()[1]
        wait_until(lambda: priority() == "33", lambda: f"33 before its hour: {priority()}", 20)
        batch.write_batch("lsb.queues", "Begin Queue\n")  # half edited; without badmin reconfig mbatchd must not read it
        for step, expected in ((HOUR, "77"), (0, "33"), (HOUR, "77")):
            clock.set(step)
            wait_until(lambda: priority() == expected,
                       lambda: f"{expected}, the clock set to {step}: {batch.daemon_log_text('mbatchd', 'n1')}", 40)
        expect_in("a #if time() of the files has changed what is in force", batch.daemon_log_text("mbatchd", "n1"), "the log")
    bench.saw("33, 77 in its hour, 33 after it, by the text that was read")


REQUEUING = "Begin Queue\nQUEUE_NAME = normal\nREQUEUE_EXIT_VALUES = 77\nEnd Queue\n"


def test_a_job_that_ends_at_once_is_started_at_a_growing_distance(bench):
    with BatchCluster(bench, ["n1"], queues=REQUEUING, params="MAX_REQUEUE_PAUSE = 1000") as batch:
        clock = SteppedClock(bench, batch)
        batch.wait_for_hosts()
        notes = os.path.join(bench.fresh_directory(), "starts")

        def starts():
            if not os.path.exists(notes):
                return 0
            with open(notes, encoding="ascii") as file:
                return len(file.read().split())

        job = batch.bsub(f"echo x >>{notes}; exit 77", "-o", "/dev/null")
        history = lambda: re.sub(r"\n {21}", "", batch.user("bhist", "-l", str(job)).stdout)  # as it was before it was cut into lines
        told = lambda: [int(found) for found in re.findall(r"it starts again after (\d+) s", history())]
        pauses = [1, 2, 4, 8, 16, 32, 64, 128]
        for number, pause in enumerate(pauses):
            # The first requeue is at once, so that two starts come before the first pause.
            wait_until(lambda: told() == pauses[:number + 1], lambda: f"a pause of {pause} s: {history()}", 20)
            if pause >= 64:  # shorter ones may be over by themselves
                expect_equal(starts(), number + 2, f"starts before the pause of {pause} s is over")
                expect_in("waits for its next start", batch.good("bjobs", "-p", str(job)), "what it pends for")
            if pause < pauses[-1]:
                clock.set(clock.ahead + pause)
        other = batch.bsub("true", "-o", "/dev/null")
        batch.wait_for(other, "DONE")  # the job alone pauses
        clock.restart()
        batch.wait_for_hosts()
        expect_in("waits for its next start", batch.good("bjobs", "-p", str(job)), "what it pends for after a restart")
        expect_equal(starts(), len(pauses) + 1, "starts")
        batch.good("brun", "-m", "n1", str(job))
        begun = len(pauses) + 1
        wait_until(lambda: starts() > begun, lambda: f"brun to start it: {batch.user('bjobs', '-l', str(job)).stdout}", 20)
        batch.good("bkill", str(job))
    bench.saw(f"{len(pauses) + 1} starts, pauses {pauses} s, kept over a restart; brun ended one")


main(hosts=1)
