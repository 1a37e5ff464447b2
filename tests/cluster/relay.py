"""Parallel jobs seen from mbatchd and from pam: what they use on every host, and one connection for all tasks of a host."""

import os
import re
import signal

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.job import open_gate
from rollcall_testing.programs import wait_for_ready
from rollcall_testing.runner import cases, expect, expect_equal, main
from rollcall_testing.waiting import given_seconds_until, wait_until

PER_HOST = 8
HOSTS = ("n1", "n2")
ESTABLISHED = "01"


def start_job(bench, batch, kind):
    """A parallel job with eight tasks on each host, which wait for a gate: its number, its notes, the gate."""
    notes = bench.fresh_directory()
    os.chmod(notes, 0o777)
    gate = os.path.join(notes, "gate")
    job = batch.bsub(f"mpirun.lsf {bench.target} {notes} wait {gate}", "-n", str(PER_HOST * len(HOSTS)), "-a", kind, "-R",
                     f"span[ptile={PER_HOST}]", "-o", f"{notes}/out.%J")
    wait_until(lambda: os.path.exists(f"{notes}/out.{job}") or batch.field(job) in ("EXIT", "DONE"),
               lambda: f"the job to start\n{batch.logs_text()}", 60)
    wait_for_ready(notes, PER_HOST * len(HOSTS), seconds=60)
    return job, notes, gate


def pams_connections(bench):
    """What pam's host has of established connections to pam's port, by the peer's address."""
    starters = bench.cluster.processes(processes.named("TaskStarter"))
    expect(starters, "TaskStarters run")
    words = starters[0].words
    port = int(words[words.index("-p") + 1].rsplit(":", 1)[1])
    pam = bench.cluster.processes(processes.named("pam"))
    expect_equal(len(pam), 1, "pams")
    head = bench.cluster.host(bench.cluster.host_of(pam[0]))
    lines = [line.split() for line in head.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout.splitlines()]
    return [w[2] for w in lines if w[1].endswith(f":{port:04X}") and w[3] == ESTABLISHED]


def end_job(batch, job, notes, gate):
    open_gate(gate)
    expect_equal(batch.wait_for(job, "DONE", "EXIT", seconds=60), "DONE", f"its end\n{batch.logs_text()}")
    with open(f"{notes}/out.{job}", encoding="utf-8") as file:
        text = file.read()
    expect_equal(sorted(re.findall(r"^\d{5} +(\w+) .* Done ", text, re.M)), sorted(HOSTS * PER_HOST), f"pam's table: {text}")


def finish_record(batch, job):
    """The line of lsb.acct that tells the job's end."""

    def found():
        with open(os.path.join(batch.work, "test", "logdir", "lsb.acct"), encoding="utf-8") as file:
            return next((line for line in file if line.split()[3:4] == [str(job)]), None)

    return wait_until(found, "JOB_FINISH in lsb.acct", 20)


@cases("mpich", "openmpi")
def test_pam_has_one_connection_for_each_host(bench, kind):
    with BatchCluster(bench, HOSTS, slots=PER_HOST, more_conf="ROLLCALL_TASK_RELAY=Y") as batch:
        job, notes, gate = start_job(bench, batch, kind)
        expect_equal(len(pams_connections(bench)), len(HOSTS), "connections to pam")
        end_job(batch, job, notes, gate)
    bench.saw(f"{PER_HOST * len(HOSTS)} tasks on {len(HOSTS)} hosts, {len(HOSTS)} connections to pam")


def test_a_shepherd_that_is_killed_takes_its_tasks_along(bench):
    """A shepherd that is killed takes its host's connection along; pam does not wait for tasks that the guard has ended."""
    with BatchCluster(bench, HOSTS, slots=PER_HOST) as batch:
        job, notes, _ = start_job(bench, batch, "mpich")
        there = bench.cluster.host("n2")
        both = there.processes(processes.named("shepherd"))
        inner = [p for p in both if p.parent in {q.pid for q in both}]
        expect_equal(len(inner), 1, f"shepherds below their guard in {both}")
        processes.send(inner[0].pid, signal.SIGKILL)
        given_seconds_until(lambda: not there.processes(processes.is_task), "the tasks of n2 are gone", 3)
        expect_equal(batch.wait_for(job, "DONE", "EXIT", seconds=30), "EXIT", f"its end\n{batch.logs_text()}")
        given_seconds_until(lambda: not bench.cluster.processes(processes.is_task), "no task is left anywhere", 5)
    bench.saw("no task on n2 within 3 s, the job EXIT, no task left")


# A process of the job that floods the relay in every way: pams that take nothing, many of them, half a request, no request. It
# writes how many bytes it got rid of on each connection, and holds all of them open. What it sends are messages as TaskStarters
# write them: anything else would be let go at once if the relay happens to read it together with the request.
FLOOD = """
import os, select, socket, struct, sys
notes = sys.argv[1]
pam = socket.socket()
pam.bind(("127.0.0.1", 0))
pam.listen(64)
place = b"127.0.0.1:%d" % pam.getsockname()[1] + b"\\0" + b"k" * 32
asks = [struct.pack(">I", len(place)) + place] * {floods} + [b"\\0\\0\\1", b""] * {halves}
messages = (struct.pack(">I", 256) + b"f" * 256) * 256
held, most = [], 0
for ask in asks:
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.connect(b"\\0" + os.environ["ROLLCALL_RELAY"].encode())
    peer.sendall(ask)
    held.append(peer)
for peer in held[:{floods}]:
    sent = 0
    peer.setblocking(False)
    while sent < (256 << 20) and select.select([], [peer], [], 0.3)[1]:
        try:
            sent += peer.send(messages[sent % 260:])
        except BlockingIOError:
            pass
    most = max(most, sent)
with open(notes + "/flooded.new", "w") as file:
    file.write(str(most))
os.rename(notes + "/flooded.new", notes + "/flooded")
select.select([], [], [])
"""
FLOODS, HALVES = 20, 100
MOST_KB = 64 << 10  # of a shepherd; usually it has 4 MB


def resident_kb(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def test_a_flood_of_the_relay_harms_no_other_job(bench):
    with BatchCluster(bench, HOSTS, slots=PER_HOST + 1) as batch:
        notes = bench.fresh_directory()
        os.chmod(notes, 0o777)
        with open(f"{notes}/flood.py", "w", encoding="ascii") as file:
            file.write(FLOOD.format(floods=FLOODS, halves=HALVES))
        gate = os.path.join(notes, "gate")
        job = batch.bsub(f"python3 {notes}/flood.py {notes} & mpirun.lsf {bench.target} {notes} wait {gate}", "-n",
                         str(PER_HOST * len(HOSTS)), "-a", "mpich", "-R", f"span[ptile={PER_HOST}]", "-m", "n1+2 n2+1", "-o",
                         f"{notes}/out.%J")
        flooded = lambda: os.path.exists(f"{notes}/flooded")
        wait_until(flooded, lambda: f"the flood\n{batch.logs_text()}", 60)
        with open(f"{notes}/flooded", encoding="ascii") as file:
            sent = int(file.read())
        expect(sent < 2 << 20, f"{sent} bytes were taken from one that nobody reads")
        wait_for_ready(notes, PER_HOST * len(HOSTS), seconds=60)
        expect_equal(len(pams_connections(bench)), len(HOSTS), "connections to pam")
        head = bench.cluster.host("n1")
        shepherds = head.processes(processes.named("shepherd"))
        largest = max(resident_kb(p) for p in shepherds)
        expect(largest < MOST_KB, f"{largest} KB in the shepherd")
        done = batch.user("lsrun", "-m", "n1", "hostname", host="n2")
        expect_equal(done.stdout, "n1\n", f"RES of that host: {done.stderr}")
        batch.good("bstop", str(job))
        batch.wait_for(job, "USUSP")
        batch.good("bresume", str(job))
        batch.wait_for(job, "RUN")
        end_job(batch, job, notes, gate)
    bench.saw(f"{sent >> 10} KB were taken on one connection, {largest} KB in the shepherd; all tasks ended well")


def test_without_the_relay_every_task_has_a_connection(bench):
    with BatchCluster(bench, HOSTS, slots=PER_HOST, more_conf="ROLLCALL_TASK_RELAY=N") as batch:
        job, notes, gate = start_job(bench, batch, "mpich")
        expect_equal(len(pams_connections(bench)), PER_HOST * len(HOSTS), "connections to pam")
        end_job(batch, job, notes, gate)
    bench.saw(f"{PER_HOST * len(HOSTS)} connections")


def test_the_processes_of_all_hosts_are_known(bench):
    """bjobs tells the PIDs of every host, and what the job has used there is in lsb.acct when it is over."""
    with BatchCluster(bench, HOSTS, slots=PER_HOST, more_conf="LSF_HPC_EXTENSIONS=HOST_RUSAGE") as batch:
        job, notes, gate = start_job(bench, batch, "mpich")
        tasks = {p.pid for p in bench.cluster.processes(processes.is_task)}
        expect_equal(len(tasks), PER_HOST * len(HOSTS), "tasks")
        told = lambda: {int(n) for n in re.findall(r"\d+", batch.field(job, "pids"))}
        wait_until(lambda: tasks <= told(), lambda: f"the PIDs {sorted(tasks)} in {sorted(told())}", 30)
        text = batch.good("bjobs", "-l", str(job))
        for host in HOSTS:
            there = {p.pid for p in bench.cluster.host(host).processes(processes.is_task)}
            part = re.search(rf"HOST: {host}; MEM: [^H]*?CPU_TIME: \d+ seconds\n((?: *PGID: .*\n(?: +[\d ]+\n)*)+)", text)
            expect(part, f"{host} in {text}")
            shown = {int(n) for line in part[1].splitlines() for n in re.findall(r"\d+", line.split("PIDs:")[-1])}
            expect(there <= shown, f"the tasks {there} of {host} in {part[0]}")
        end_job(batch, job, notes, gate)
        record = finish_record(batch, job)
        for host in HOSTS:
            expect(re.search(rf" {host} \d+ \d+ [\d.]+ [\d.]+ ", record), f"{host} in {record}")
    bench.saw("every task's PID under its own host in bjobs -l; both hosts in JOB_FINISH")


if __name__ == "__main__":
    main(hosts=2, patience=10)
