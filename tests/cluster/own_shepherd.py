"""A job attacks its own shepherd, which is a process of the job's user: a job cannot keep itself alive by disabling it."""

import os
import signal

from users import ALICE, Users
from rollcall_testing import processes
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

# The job's program: finds its shepherd and attacks it in the way that the first word names.
PROGRAM = """
import os, resource, signal, sys, time

def parent(pid):
    return int([line for line in open(f"/proc/{pid}/status") if line.startswith("PPid:")][0].split()[1])

shepherd = os.getpid()
while open(f"/proc/{shepherd}/comm").read().strip() != "shepherd":
    shepherd = parent(shepherd)
if sys.argv[1] == "limits":
    for name in ("NOFILE", "AS", "DATA", "FSIZE", "NPROC", "CPU", "STACK"):
        try:
            resource.prlimit(shepherd, getattr(resource, f"RLIMIT_{name}"), (0, 0))
            print(name, "taken", flush=True)
        except PermissionError:
            print(name, "refused", flush=True)
    print("groups of the job", *[line.split()[1:] for line in open("/proc/self/status") if line.startswith("Gid:")][0], flush=True)
if sys.argv[1] == "stop":
    while True:
        os.kill(shepherd, signal.SIGSTOP)
signal.pause()
"""


def write_program(users):
    path = os.path.join(users.bench.scratch, "against_its_shepherd.py")
    with open(path, "w", encoding="ascii") as file:
        file.write(PROGRAM)
    return f"exec python3 {path}"


def test_a_job_cannot_take_its_shepherds_limits(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        job = users.bsub(ALICE, f"{write_program(users)} limits", "-o", "out", "-m", "n1")
        batch.wait_for(job, "RUN")
        out = f"{users.places[ALICE]}/out"
        read = lambda: open(out, encoding="utf-8").read() if os.path.exists(out) else ""
        wait_until(lambda: "groups of the job" in read(), lambda: f"what the job says: {read()}")
        expect_equal(read().count(" refused"), 7, f"limits that the job could not take: {read()}")
        groups = read().split("groups of the job")[1].split()
        expect_equal(len(set(groups)), 1, f"groups of the job {groups}")
        batch.good("bstop", str(job))
        wait_until(lambda: all(processes.is_stopped(p.pid) for p in processes.all_processes() if "limits" in p.words), "bstop to reach the job")
        batch.good("bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("seven limits of its shepherd refused; bstop and bkill reach the job")


def test_a_job_that_stops_its_shepherd_without_end_is_ended(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        job = users.bsub(ALICE, f"{write_program(users)} stop", "-o", "out", "-m", "n1")
        batch.wait_for(job, "EXIT")
        wait_until(lambda: not [p for p in processes.all_processes() if p.alive and "stop" in p.words], "its processes to end")
    bench.saw("a loop of SIGSTOP ends the job")


def test_a_shepherd_waits_for_no_reader_of_its_users(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        users.run(ALICE, "mkfifo", "pipe")
        holder = users.begin(ALICE, "sh", "-c", "exec 3<>pipe; head -c 65536 /dev/zero >&3; echo full; exec sleep 1000")
        expect_equal(holder.stdout.readline(), "full\n", "a FIFO with no room")
        job = users.bsub(ALICE, "true", "-L", "/nonexistent/shell", "-o", "/dev/null", "-e", "pipe", "-m", "n1")
        batch.wait_for(job, "EXIT")
        holder.kill()
    bench.saw("a full FIFO as -e holds up no shepherd")


def test_res_carries_out_orders_that_a_shepherd_does_not_read(bench):
    """A shepherd may hang, as in a file system of its user. Here root has stopped it, and the guard, which would continue it."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        for begun_again in (False, True):
            job = users.bsub(ALICE, "exec sleep 1000", "-o", "out", "-m", "n1")
            batch.wait_for(job, "RUN")
            guard, shepherd = wait_until(lambda: processes.guard_and_shepherd(job), "guard and shepherd")
            if begun_again:
                batch.good("lsadmin", "resrestart", "n1")
                batch.wait_for_hosts()
            for pid in (guard, shepherd):
                processes.send(pid, signal.SIGSTOP)
            batch.good("bkill", "-s", "KILL", str(job))
            gone = lambda: not [p for p in processes.all_processes() if p.pid == shepherd and p.alive]
            wait_until(gone, lambda: f"RES to end the shepherd\n{batch.logs_text()}", 60)
            processes.send(guard, signal.SIGCONT)
            batch.wait_for(job, "EXIT")
            expect_in("its shepherd does not take the order to kill", batch.logs_text(), "log of RES")
            expect(not [p for p in processes.all_processes() if p.alive and p.words == ("sleep", "1000")], "what it ran")
    bench.saw("bkill ends a job whose shepherd stands still, also after a restart of RES")


main(hosts=2, patience=10)
