"""TaskStarters that speak to pam through the relay of a shepherd: one connection for all of them, and what happens to the job
when the relay ends. relay_host is that part of a shepherd alone, so that it can be killed without the rest."""

import contextlib
import hashlib
import os
import signal
import socket
import struct
import subprocess

from rollcall_testing import processes
from rollcall_testing.job import (connections_to, expect_no_tasks, fake, method_1, open_gate, pam, requires_pam,
                                  wait_for_connections)
from rollcall_testing.programs import hold_report_against_notes, wait_for_ready
from rollcall_testing.runner import expect, expect_equal, main
from rollcall_testing.waiting import wait_until

TASKS = 8


@contextlib.contextmanager
def relay_of(bench):
    """A relay; gives its process, whose `name` TaskStarters are told."""
    number = str(os.getpid() * 100 + bench.number)
    relay = subprocess.Popen([os.path.join(bench.build, "tests", "relay_host"), number], stdout=subprocess.PIPE, text=True)
    try:
        relay.name = relay.stdout.readline().strip()
        expect(relay.name, "relay_host listens")
        yield relay
    finally:
        relay.kill()
        relay.wait()


def waiting_job(bench, name, *modes):
    """A job whose tasks wait for a gate: job, notes, gate."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    launcher = fake(bench, "--tasks", TASKS)
    program = [bench.target, notes, *(modes or ("wait", gate))]
    environment = {"ROLLCALL_KEY_FILE": os.path.join(notes, "key"), "ROLLCALL_HOST_RELAY": "N"}
    if name:
        environment["ROLLCALL_RELAY"] = name
    job = pam(bench, "-n", str(TASKS), *method_1(launcher, program), environment=environment)
    wait_for_ready(notes, TASKS, job)
    return job, notes, gate


def end_well(job, notes, gate):
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)


def test_without_a_relay_every_task_has_a_connection(bench):
    job, notes, gate = waiting_job(bench, None)
    wait_for_connections(job, TASKS)
    end_well(job, notes, gate)
    bench.saw(f"{TASKS} tasks, {TASKS} connections")


def test_all_tasks_share_the_connection_of_the_relay(bench):
    with relay_of(bench) as relay:
        job, notes, gate = waiting_job(bench, relay.name)
        wait_for_connections(job, 1)
        end_well(job, notes, gate)
    bench.saw(f"{TASKS} tasks, 1 connection; report and ends as the tasks have it")


def test_a_relay_that_is_nowhere_is_passed_by(bench):
    job, notes, gate = waiting_job(bench, "rollcall/nobody/1.0.1/0")
    wait_for_connections(job, TASKS)
    end_well(job, notes, gate)
    bench.saw(f"{TASKS} connections of their own")


def test_signals_go_through_the_relay(bench):
    with relay_of(bench) as relay:
        job, notes, _ = waiting_job(bench, relay.name, "hang")
        wait_for_connections(job, 1)
        job.signal(signal.SIGTERM)
        expect_no_tasks(job, 10)
        job.wait()
        expect_equal([t["signal"] for t in job.report["tasks"]], [signal.SIGTERM] * TASKS, "how the tasks ended")
    bench.saw("TERM to pam ended every task of TERM")


def test_when_the_relay_is_killed_the_tasks_dial_pam(bench):
    with relay_of(bench) as relay:
        job, notes, gate = waiting_job(bench, relay.name)
        wait_for_connections(job, 1)
        relay.kill()
        relay.wait()
        wait_for_connections(job, TASKS)
        expect_equal(len(job.tasks()), TASKS, "tasks that live")
        end_well(job, notes, gate)
    bench.saw(f"{TASKS} connections of their own, no task lost, exit 0")


def test_when_pam_is_killed_the_tasks_end(bench):
    with relay_of(bench) as relay:
        job, _, _ = waiting_job(bench, relay.name)
        wait_for_connections(job, 1)
        # The launcher is to live on: it must be the refusal of pam's host that ends the tasks.
        launcher = [p for p in processes.children_of(job.pid) if "TaskStarter" not in p.words[0]][0]
        processes.send(launcher.pid, signal.SIGSTOP)
        job.signal(signal.SIGKILL)
        try:
            expect_no_tasks(job, 3)
        finally:
            processes.send(launcher.pid, signal.SIGKILL)
        job.wait()
    bench.saw("no task left while the launcher was stopped")


def test_a_starter_that_is_killed_behind_the_relay_is_missed(bench):
    with relay_of(bench) as relay:
        job, _, gate = waiting_job(bench, relay.name)
        wait_for_connections(job, 1)
        processes.send(job.starters("inner")[0].pid, signal.SIGKILL)
        wait_until(lambda: len(job.tasks()) == TASKS - 1, lambda: f"its task to be gone\n{job.told()}", 2)
        wait_for_connections(job, 1)
        open_gate(gate)
        job.wait()
        states = sorted(t["state"] for t in job.report["tasks"])
        expect_equal(states, ["done"] * (TASKS - 1) + ["lost"], "states in the report")
    bench.saw("its task was gone within 2 s and is lost in the report; the others ended well")


def test_a_relay_that_is_stopped_holds_no_task_up_for_ever(bench):
    with relay_of(bench) as relay:
        relay.send_signal(signal.SIGSTOP)
        job, notes, gate = waiting_job(bench, relay.name)
        wait_for_connections(job, TASKS)
        end_well(job, notes, gate)
    bench.saw("the tasks have dialed pam after their patience")


def relays_key(key_file, port):
    """The key of a pam's relays, as docs/protocol.md has it: what a TaskStarter makes of the user's key for its relay."""
    with open(key_file, encoding="ascii") as file:
        key = bytes.fromhex(file.read().strip())
    return hashlib.blake2b(b"rollcall relay key v1" + struct.pack(">H", port), key=key, digest_size=32).digest()


def dial_relay(name, text):
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(20)
    peer.connect(b"\0" + name.encode())
    peer.sendall(struct.pack(">I", len(text)) + text)
    return peer


def test_a_starter_that_breaks_the_protocol_is_refused_alone(bench):
    with relay_of(bench) as relay:
        job, notes, gate = waiting_job(bench, relay.name)
        wait_for_connections(job, 1)
        place = next(p for p in job.starters()).words
        place = place[place.index("-p") + 1].encode()
        good = place + b"\0" + relays_key(os.path.join(notes, "key"), job.port())
        for junk in (struct.pack(">I", 3) + b"\xff\xff\xff", b"\xff" * 200):
            peer = dial_relay(relay.name, good)
            expect_equal(len(peer.recv(20, socket.MSG_WAITALL)), 20, "bytes that say which pam it is")
            peer.sendall(junk)
            expect_equal(peer.recv(1), b"", "the end of the conversation")
        half = dial_relay(relay.name, good)
        half.sendall(b"\0\0\0\x24\x08")
        for text in (b"no place", place, place + b"\0" + b"k" * 31):
            expect_equal(dial_relay(relay.name, text).recv(1), b"", f"an end for {text}")
        expect_equal(dial_relay(relay.name, place + b"\0" + b"k" * 32).recv(1), b"", "an end for a wrong key")
        expect_equal(connections_to(job.port()), 1, "connections")
        end_well(job, notes, gate)
        job.expect_said("refused a connection from")
    bench.saw("refused alone: messages that are none, claims of 4 GiB, wrong keys; the job's tasks undisturbed")


main(requires=requires_pam)
