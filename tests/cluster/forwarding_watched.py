"""What is seen of a job in another cluster from where it was submitted: what it uses, and the commands that wait for its end."""

import re

from forwarding import two
from forwarding_choice import history, long_of
from forwarding_orders import begin
from rollcall_testing.federation import ALICE
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

MEGABYTES = 60
BUSY = """import os, sys, time
held = bytearray({size} << 20)
while time.process_time() < 1.5: pass
while not os.path.exists(sys.argv[1]): time.sleep(0.1)
"""


def seconds_in(words):
    found = re.search(r"(\d+)", words)
    return int(found.group(1)) if found else 0


def test_what_a_forwarded_job_uses_is_shown_where_it_was_submitted(bench):
    with two(bench) as clusters:
        west, east = clusters["west"], clusters["east"]
        place = west.places[ALICE]
        with open(f"{place}/busy.py", "w", encoding="ascii") as file:
            file.write(BUSY.format(size=MEGABYTES))
        job = west.bsub(f"python3 {place}/busy.py {place}/go", "-q", "send", "-o", "/dev/null")
        west.wait_for(job, "RUN")
        wait_until(lambda: seconds_in(west.field(job, "cpu_used")) >= 1, lambda: f"{long_of(west, job)}\n{west.logs_text()}", 60)
        there = west.field(job, "dstjobid")
        long = long_of(west, job)
        expect_in(": Resource usage collected.\n", long, "bjobs -l")
        expect(re.search(r"The CPU time used is [1-9]\d* seconds\.", long), f"bjobs -l: {long}")
        held = re.search(r"MEM: (\d+)(\.\d+)? Mbytes;  SWAP: ", long)
        expect(held and int(held.group(1)) >= MEGABYTES, f"memory in bjobs -l: {long}")
        expect(seconds_in(west.field(job, "mem")) >= MEGABYTES, west.field(job, "mem max_mem"))
        wait_until(lambda: west.field(job, "mem nthreads") == east.field(there, "mem nthreads"),
                   lambda: f"{long_of(west, job)}{long_of(east, there)}", 30)
        open(f"{place}/go", "w", encoding="ascii").close()
        west.wait_for(job, "DONE")
        cpu = [re.search(r"The CPU time used is ([\d.]+) seconds", long_of(side, number)).group(1) for side, number in
               ((west, job), (east, there))]
        expect_equal(cpu[0], cpu[1], "CPU time at the end, in west and in east")
        peak = [re.search(r"MAX MEM: (\S+ \S+);", history(side, number)).group(1) for side, number in ((west, job), (east, there))]
        expect_equal(peak[0], peak[1], "MAX MEM of bhist -l")
    bench.saw(f"{held.group(0)} in bjobs -l; {cpu[0]} s at its end in both clusters")


def test_bwait_and_bsub_k_of_forwarded_jobs_end_with_them(bench):
    with two(bench, slots={"east": 8}) as clusters:
        west = clusters["west"]
        place = west.places[ALICE]
        wait = f"until [ -e {place}/go ]; do sleep 0.1; done"
        good = west.bsub(wait, "-q", "send", "-o", "/dev/null")
        bad = west.bsub(f"{wait}; exit 3", "-q", "send", "-o", "/dev/null")
        for job in (good, bad):
            west.wait_for(job, "RUN")
        waiting = {words: begin(west, *words) for words in (
            ("bwait", "-w", f"done({good})"), ("bwait", "-w", f"exit({bad},3)"), ("bwait", "-w", f"ended({good}) && ended({bad})"),
            ("bwait", "-w", f"done({bad})"), ("bsub", "-K", "-q", "send", "-o", "/dev/null", f"{wait}; exit 9"))}
        started = west.run("bwait", "-w", f"started({good})")
        expect_equal(started.returncode, 0, f"started: {started.stdout}{started.stderr}")
        wait_until(lambda: west.field(bad + 1) == "RUN", west.logs_text, 30)
        expect_equal([one.poll() for one in waiting.values()], [None] * len(waiting), "all of them wait")
        open(f"{place}/go", "w", encoding="ascii").close()
        said = {words: one.communicate(timeout=120)[0] for words, one in waiting.items()}
        codes = [one.returncode for one in waiting.values()]
        expect_equal(codes, [0, 0, 0, 255, 9], f"exit codes: {said}")
        expect_equal([west.field(job, "stat exit_code") for job in (good, bad, bad + 1)], ["DONE -", "EXIT 3", "EXIT 9"], "bjobs")
    bench.saw("bwait: done, exit and ended hold, done of a job that exits never will; -K has the exit code")


def requires(_):
    needs_users()


if __name__ == "__main__":
    main(hosts=3, requires=requires)
