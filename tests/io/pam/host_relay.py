"""TaskStarters that start a relay themselves: one connection for all but the first, and what happens to the
job when the relay ends, is stopped, or its name is taken."""

import contextlib
import os
import signal
import socket
import stat

from rollcall_testing import processes
from rollcall_testing.job import expect_no_tasks, fake, method_1, open_gate, pam, requires_pam, wait_for_connections
from rollcall_testing.programs import hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import given_seconds_until, wait_until

TASKS = 8


NOBODY = 65534


def start_job(bench, tasks=TASKS, mode=None, launcher=None, conf=None):
    """A job whose tasks wait for a gate: job, notes, gate."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    program = [bench.target, notes, *(mode or ("wait", gate))]
    job = pam(bench, "-n", str(tasks), *method_1(launcher or fake(bench, "--tasks", tasks), program),
              conf=conf)
    return job, notes, gate


def waiting_job(bench, tasks=TASKS, mode=None, conf=None):
    job, notes, gate = start_job(bench, tasks, mode, conf=conf)
    wait_for_ready(notes, tasks, job)
    return job, notes, gate


def drawn_name(words):
    return words[words.index("-r") + 1]


def relays(name):
    """The relays that listen at this name."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        there = {f"socket:[{line.split()[6]}]" for line in file if line.rstrip().endswith(f"@rollcall/pam/{name}")}
    return [p for p in processes.all_processes()
            if processes.named("rollcall-relay")(p) and p.alive and not there.isdisjoint(open_files(p.pid))]


def open_files(pid):
    """What the descriptors of a process are, as the kernel names them; nothing where it is gone."""
    files = set()
    with contextlib.suppress(FileNotFoundError):
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                files.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return files


def relay_of(job):
    found = relays(drawn_name(job.starters()[0].words))
    expect_equal(len(found), 1, f"relays of the job\n{job.told()}")
    return found[0]


def expect_gone(relay):
    given_seconds_until(lambda: processes.read_process(relay.pid) is None, lambda: f"the end of {relay}", 2)


def end_well(job, notes, gate):
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)


def test_a_host_with_one_task_has_no_relay(bench):
    job, notes, gate = waiting_job(bench, tasks=1)
    wait_for_connections(job, 1)
    expect_equal(relays(drawn_name(job.starters()[0].words)), [], "relays")
    end_well(job, notes, gate)
    bench.saw("one connection, no relay")


def test_all_but_the_first_share_one_connection(bench):
    for tasks in (2, 64, 128):
        job, notes, gate = waiting_job(bench, tasks)
        wait_for_connections(job, 2)
        relay = relay_of(job)
        end_well(job, notes, gate)
        expect_gone(relay)
    bench.saw("2, 64 and 128 tasks, 2 connections; report and ends as the tasks have it; no relay behind the job")


def test_switched_off_every_task_has_a_connection(bench):
    job, notes, gate = waiting_job(bench, conf={"ROLLCALL_HOST_RELAY": "N"})
    wait_for_connections(job, TASKS)
    expect("-r" not in job.starters()[0].words, "no name of a relay")
    end_well(job, notes, gate)
    bench.saw(f"{TASKS} tasks, {TASKS} connections")


def test_two_jobs_of_one_user_have_a_relay_each(bench):
    first, second = waiting_job(bench), waiting_job(bench)
    names = {drawn_name(job.starters()[0].words) for job, _, _ in (first, second)}
    for job, _, _ in (first, second):
        wait_for_connections(job, 2)
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        text = file.read()
    expect(all(f"@rollcall/pam/{name}" in text for name in names), f"both of {names} listen")
    for one in (first, second):
        end_well(*one)
    bench.saw("both jobs ended well")


def test_signals_go_through_the_relay(bench):
    job, _, _ = waiting_job(bench, mode=("hang",))
    wait_for_connections(job, 2)
    relay = relay_of(job)
    job.signal(signal.SIGTERM)
    expect_no_tasks(job, 10)
    job.wait()
    expect_equal([t["signal"] for t in job.report["tasks"]], [signal.SIGTERM] * TASKS, "how the tasks ended")
    expect_gone(relay)
    bench.saw("TERM to pam ended every task of TERM, and the relay went with them")


def test_when_the_relay_is_killed_the_tasks_dial_pam(bench):
    job, notes, gate = waiting_job(bench)
    wait_for_connections(job, 2)
    processes.send(relay_of(job).pid, signal.SIGKILL)
    wait_for_connections(job, TASKS)
    expect_equal(len(job.tasks()), TASKS, "tasks that live")
    end_well(job, notes, gate)
    bench.saw(f"{TASKS} connections of their own, no task lost, exit 0")


def test_when_pam_is_killed_the_tasks_and_the_relay_end(bench):
    job, _, _ = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    # The launcher is to live on: it must be the refusal of pam's host that ends the tasks.
    launcher = [p for p in processes.children_of(job.pid) if "TaskStarter" not in p.words[0]][0]
    processes.send(launcher.pid, signal.SIGSTOP)
    job.signal(signal.SIGKILL)
    try:
        expect_no_tasks(job, 3)
        expect_gone(relay)
    finally:
        processes.send(launcher.pid, signal.SIGKILL)
    job.wait()
    bench.saw("no task and no relay left while the launcher was stopped")


def test_when_all_task_starters_are_killed_the_relay_ends(bench):
    job, _, _ = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    for which in ("outer", "inner"):
        for starter in job.starters(which):
            processes.send(starter.pid, signal.SIGKILL)
    expect_no_tasks(job)
    expect_gone(relay)
    job.wait()
    bench.saw("tasks and relay gone within 2 s")


def test_the_first_may_end_before_the_others(bench):
    """Who started the relay is killed: the relay is no child of it, and serves the others."""
    job, _, gate = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    direct = [p for p in job.starters("inner") if not unix_peers(p.pid)]
    expect_equal(len(direct), 1, "TaskStarters without the relay")
    processes.send(direct[0].pid, signal.SIGKILL)
    given_seconds_until(lambda: len(job.tasks()) == TASKS - 1, lambda: f"its task to be gone\n{job.told()}", 2)
    wait_for_connections(job, 1)
    expect(processes.read_process(relay.pid), "the relay lives")
    open_gate(gate)
    job.wait()
    states = sorted(t["state"] for t in job.report["tasks"])
    expect_equal(states, ["done"] * (TASKS - 1) + ["lost"], "states in the report")
    bench.saw("its task is lost in the report; the others ended well through the relay")


def unix_peers(pid):
    """Whether a process has a stream of Unix sockets to the relay: its only one, since both levels talk by packets."""
    inodes = open_files(pid)
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        streams = [line.split() for line in list(file)[1:]]
    return [w[6] for w in streams if w[4] == "0001" and f"socket:[{w[6]}]" in inodes]


def test_a_relay_that_is_stopped_loses_nothing(bench):
    job, notes, gate = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    processes.send(relay.pid, signal.SIGSTOP)
    open_gate(gate)
    given_seconds_until(lambda: not job.tasks(), lambda: f"the tasks to end\n{job.told()}", 10)
    processes.send(relay.pid, signal.SIGCONT)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    expect_gone(relay)
    bench.saw("what the tasks said last was told when the relay went on")


def test_a_relay_that_is_killed_with_last_words_in_it_loses_nothing(bench):
    job, notes, gate = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    processes.send(relay.pid, signal.SIGSTOP)
    open_gate(gate)
    given_seconds_until(lambda: not job.tasks(), lambda: f"the tasks to end\n{job.told()}", 10)
    processes.send(relay.pid, signal.SIGKILL)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    bench.saw("the tasks' ends were told to pam on connections of their own, once each")


def late_launcher(bench, start):
    """A launcher that begins when the file `start` is there: its words."""
    path = os.path.join(bench.fresh_directory(), "late")
    with open(path, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nwhile [ ! -e "{start}" ]; do sleep 0.05; done\nexec "$@"\n')
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return [path, *fake(bench, "--tasks", TASKS)]


def taken_by_nobody(name):
    """A listening socket at this name, of another user: the kernel says who made it listen."""
    squatter = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.seteuid(NOBODY)
    try:
        squatter.bind(b"\0rollcall/pam/" + name.encode())
        squatter.listen(64)
    finally:
        os.seteuid(0)
    return squatter


def test_a_name_that_another_user_took_is_passed_by(bench):
    if os.geteuid() != 0:
        bench.skip("needs root for a second user")
    start = os.path.join(bench.fresh_directory(), "start")
    job, notes, gate = start_job(bench, launcher=late_launcher(bench, start))
    late = lambda: [p for p in processes.children_of(job.pid) if "-r" in p.words]
    wait_until(late, lambda: f"the launcher\n{job.told()}", 10)
    with taken_by_nobody(drawn_name(late()[0].words)):
        open_gate(start)
        wait_for_ready(notes, TASKS, job)
        wait_for_connections(job, TASKS)
        end_well(job, notes, gate)
    bench.saw(f"{TASKS} connections of their own, exit 0")


@contextlib.contextmanager
def liar(name):
    """A process of another user at this name, who says to everybody that he is a relay that pam has proved itself to, and floods."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.setresuid(NOBODY, NOBODY, NOBODY)
            signal.alarm(60)
            squatter = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            squatter.bind(b"\0rollcall/pam/" + name.encode())
            squatter.listen(64)
            os.write(told, b"x")
            held = []
            while True:
                peer, _ = squatter.accept()
                held.append(peer)
                peer.setblocking(False)
                with contextlib.suppress(OSError):
                    peer.sendall(b"\0\0\0\x10" + b"i" * 16 + b"\0\0\0\4told" + b"\xff" * (1 << 20))
        os._exit(0)
    try:
        expect_equal(os.read(ready, 1), b"x", "the liar listens")
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(told)


def test_another_user_who_says_that_he_is_the_relay_is_passed_by(bench):
    if os.geteuid() != 0:
        bench.skip("needs root for a second user")
    start = os.path.join(bench.fresh_directory(), "start")
    job, notes, gate = start_job(bench, launcher=late_launcher(bench, start))
    late = lambda: [p for p in processes.children_of(job.pid) if "-r" in p.words]
    wait_until(late, lambda: f"the launcher\n{job.told()}", 10)
    with liar(drawn_name(late()[0].words)):
        open_gate(start)
        wait_for_ready(notes, TASKS, job)
        wait_for_connections(job, TASKS)
        end_well(job, notes, gate)
    bench.saw(f"{TASKS} connections of their own, exit 0")


def knocks_of_nobody(name, count):
    """Connections of another user to the relay, each with words that ask for a pam."""
    ask = b"127.0.0.1:9\0" + b"k" * 32
    peers = []
    os.seteuid(NOBODY)
    try:
        for _ in range(count):
            peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            peer.settimeout(20)
            peer.connect(b"\0rollcall/pam/" + name.encode())
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has been closed already
                peer.sendall(len(ask).to_bytes(4, "big") + ask)
            peers.append(peer)
    finally:
        os.seteuid(0)
    return peers


def closed(peer):
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def test_another_user_who_floods_the_relay_gets_nothing(bench):
    if os.geteuid() != 0:
        bench.skip("needs root for a second user")
    job, notes, gate = waiting_job(bench)
    wait_for_connections(job, 2)
    relay = relay_of(job)
    name = drawn_name(job.starters()[0].words)
    for _ in range(4):
        peers = knocks_of_nobody(name, 500)
        expect(all(closed(peer) for peer in peers), "every connection of another user is closed")
        for peer in peers:
            peer.close()
    expect_equal(relay_of(job).pid, relay.pid, "the relay")
    expect_equal(len(os.listdir(f"/proc/{relay.pid}/fd")), TASKS + 1, "descriptors of the relay")
    wait_for_connections(job, 2)
    end_well(job, notes, gate)
    bench.saw("2000 connections closed unanswered, the job undisturbed")


def test_another_user_who_knocks_at_the_only_task_of_a_host_makes_no_lasting_relay(bench):
    if os.geteuid() != 0:
        bench.skip("needs root for a second user")
    job, notes, gate = waiting_job(bench, tasks=1)
    name = drawn_name(job.starters()[0].words)
    expect(closed(knocks_of_nobody(name, 1)[0]), "the connection of another user is closed")
    given_seconds_until(lambda: relays(name) == [], lambda: f"no relay, there is {relays(name)}", 2)
    end_well(job, notes, gate)
    bench.saw("the relay that it started ended at once")


main(requires=requires_pam)
