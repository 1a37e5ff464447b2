"""What lsb files say for some hours comes into force and goes by mbatchd's clock, by the text that was read.

The clock is one of its own: a library in its programs adds what the test says (tests/programs/stepped_clock.c).
"""

import os
import struct
import time

from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.runner import expect_in, main
from rollcall_testing.waiting import wait_until

HOUR = 3600


def test_a_queue_has_another_priority_in_its_hour(bench):
    now = time.localtime().tm_hour * 60 + time.localtime().tm_min
    word = lambda minute: f"{minute % 1440 // 60}:{minute % 60:02}"
    late = f"#if time({word(now + 30)}-{word(now + 90)})\nPRIORITY = 77\n#else\nPRIORITY = 33\n#endif\n"
    with BatchCluster(bench, ["n1"], queues=f"Begin Queue\nQUEUE_NAME = normal\n{late}End Queue\n") as batch:
        clock = os.path.join(batch.top, "clock")

        def set_clock(seconds):
            with open(os.open(clock, os.O_WRONLY | os.O_CREAT, 0o644), "wb", buffering=0) as file:
                file.write(struct.pack("=q", seconds))

        set_clock(0)
        batch.kill_daemon("mbatchd", "n1")
        library = os.path.join(bench.build, "tests", "programs", "libstepped_clock.so")
        batch.more_environment = {"LD_PRELOAD": library, "STEPPED_CLOCK": clock}
        batch.start_daemon("mbatchd", "n1")
        priority = lambda: batch.user("bqueues", "normal").stdout.splitlines()[-1].split()[1]
        wait_until(lambda: priority() == "33", lambda: f"33 before its hour: {priority()}", 20)
        batch.write_batch("lsb.queues", "Begin Queue\n")  # half edited; nobody has asked for that to be read
        for step, expected in ((HOUR, "77"), (0, "33"), (HOUR, "77")):
            set_clock(step)
            wait_until(lambda: priority() == expected,
                       lambda: f"{expected}, the clock set to {step}: {batch.daemon_log_text('mbatchd', 'n1')}", 40)
        expect_in("a #if time() of the files has changed what is in force", batch.daemon_log_text("mbatchd", "n1"), "the log")
    bench.saw("33, 77 in its hour, 33 after it, by the text that was read")


main(hosts=1)
