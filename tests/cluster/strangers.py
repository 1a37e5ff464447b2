"""Strangers on pam's port: refused, logged once for each address, and the job goes on to its end.

One host, no privilege needed. The strangers know the protocol's outside (docs/protocol.md) but have no key.
"""

import os
import resource
import socket
import struct

from rollcall_testing.job import fake, method_1, open_gate, pam, requires_pam
from rollcall_testing.programs import hold_report_against_notes, notes_in, wait_for_ready
from rollcall_testing.runner import Skip, cases, expect, expect_equal, main
from rollcall_testing.waiting import wait_until

CONNECTIONS = 5000
HANDSHAKE_SECONDS = 10  # how long a connection may stay without a proof


def frame(payload):
    return struct.pack(">I", len(payload)) + payload


HELLO = b"\x08\x01\x12\x20" + bytes(range(32))
PROOF = b"\x0a\x20" + bytes(32)

ATTACKS = {
    "garbage": os.urandom(1024),
    "a text": b"GET / HTTP/1.1\r\nHost: n1\r\n\r\n",
    "a length of 4 GiB": b"\xff\xff\xff\xff" + bytes(100),
    "a length of 0": b"\0\0\0\0",
    "257 bytes before a proof": frame(bytes(257)),
    "a Hello with a byte more": frame(HELLO + b"\0"),
    "a Hello and a wrong proof": frame(HELLO) + frame(PROOF),
    "a Hello and a record instead of a proof": frame(HELLO) + frame(bytes(60)),
    "a Hello of version 9": frame(b"\x08\x09" + HELLO[2:]),
}


def start_waiting(bench, *options, count=2):
    """A job of two tasks that wait for the gate; its port is open to strangers meanwhile."""
    notes = bench.fresh_directory()
    gate = os.path.join(notes, "gate")
    program = [bench.target, notes, "wait", gate]
    job = pam(bench, "-n", "2", *method_1(fake(bench, "--tasks", "2", *options), program))
    wait_for_ready(notes, count, job)
    return job, notes, gate


def call(job):
    return socket.create_connection(("127.0.0.1", job.port()), timeout=HANDSHAKE_SECONDS + 5)


def read_to_end(connection):
    """Everything pam answers until it closes; fails where it does not close in time."""
    answer = b""
    try:
        while data := connection.recv(65536):
            answer += data
    except ConnectionError:
        pass
    except TimeoutError:
        raise AssertionError("pam keeps the connection open") from None
    return answer


def finish(bench, job, notes, gate):
    """The job ends normally; one line names the strangers' address."""
    expect(not job.ended(), f"the job goes on\n{job.told()}")
    open_gate(gate)
    job.expect_exit(0)
    hold_report_against_notes(job.report, notes)
    expect_equal(len(job.report["tasks"]), 2, "tasks in the report")
    lines = [line for line in job.stderr.splitlines() if "127.0.0.1" in line]
    expect_equal(len(lines), 1, f"lines about strangers of 127.0.0.1\n{job.told()}\n")
    bench.saw(repr(lines[0]))


def memory_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1024


@cases(*ATTACKS)
def test_refused(bench, what):
    job, notes, gate = start_waiting(bench)
    with call(job) as connection:
        connection.sendall(ATTACKS[what])
        answer = read_to_end(connection)
    expect(len(answer) in (0, 4 + 88), f"nothing but a Challenge is answered: {answer!r}")
    finish(bench, job, notes, gate)


def test_half_a_frame_and_then_silence(bench):
    job, notes, gate = start_waiting(bench)
    with call(job) as connection, call(job) as silent:
        connection.sendall(frame(HELLO)[:10])
        expect_equal(read_to_end(connection), b"", "answer to half a frame")
        expect_equal(read_to_end(silent), b"", "answer to nothing at all")
    finish(bench, job, notes, gate)


def test_four_gigabytes_are_not_reserved(bench):
    job, notes, gate = start_waiting(bench)
    before = memory_of(job.pid)
    for _ in range(50):
        with call(job) as connection:
            connection.sendall(b"\xff\xff\xff\xff" + bytes(4096))
            read_to_end(connection)
    grown = memory_of(job.pid) - before
    expect(grown < 64 << 20, f"pam grew by {grown} bytes")  # a sanitizer keeps 8 MB of what was freed
    finish(bench, job, notes, gate)


def test_5000_connections_that_say_nothing(bench):
    """They are held open while a task registers: its TaskStarter gets through."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < CONNECTIONS + 500:
        raise Skip(f"this user may open only {hard} files, {CONNECTIONS + 500} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    second = os.path.join(bench.fresh_directory(), "second")
    job, notes, gate = start_waiting(bench, "--hold", "1", second, count=1)
    port = job.port()
    strangers = []
    try:
        for number in range(CONNECTIONS):
            # 127.0.0.1 for all: one address, one line. The port search of the kernel is spread over destinations.
            there, here = (f"127.0.0.{1 + number % 4}", port), ("127.0.0.1", 0)
            strangers.append(socket.create_connection(there, source_address=here))
        open_gate(second)
        wait_for_ready(notes, 2, job, seconds=20)
        expect(not job.ended(), f"the job goes on\n{job.told()}")
    finally:
        for stranger in strangers:
            stranger.close()
    bench.saw(f"a task registered beside {CONNECTIONS} connections")
    finish(bench, job, notes, gate)


def test_a_recorded_session_played_again(bench):
    """What a TaskStarter sent to this very pam, byte for byte: no new task, no word about the old one."""
    notes, recording = bench.fresh_directory(), bench.fresh_directory("recording")
    gate = os.path.join(notes, "gate")
    launcher = os.path.join(bench.build, "tests", "programs", "recording_launcher")
    program = ["sh", "-c", 'test "$PMI_RANK" = 0 && exec "$0" "$1" exit 0; exec "$0" "$1" wait "$2"']
    # Without a relay: what a TaskStarter behind one sends is not what pam gets.
    job = pam(bench, "-n", "2", "-g", launcher, recording, *program, bench.target, notes, gate, conf={"ROLLCALL_HOST_RELAY": "N"})
    recorded = os.path.join(recording, "recorded")
    wait_until(lambda: os.path.exists(recorded) or job.ended(), lambda: f"a recorded session\n{job.told()}", 15)
    wait_for_ready(notes, 1, job)
    with open(os.path.join(recording, "starter.bytes"), "rb") as file:
        session = file.read()
    expect(len(session) > 4 + 36 + 4 + 34, f"a whole session was recorded: {len(session)} bytes")
    expect(b"target" not in session, "the records are sealed: the task's words are not to be read in them")
    for part in (session, session[: 4 + 36 + 4 + 34], session[4 + 36 :]):
        with call(job) as connection:
            connection.sendall(part)
            read_to_end(connection)
    bench.saw(f"{len(session)} bytes of a finished session refused, whole and in parts")
    finish(bench, job, notes, gate)
    expect_equal(len(notes_in(notes)), 2, "tasks that ran")


main(requires=requires_pam)
