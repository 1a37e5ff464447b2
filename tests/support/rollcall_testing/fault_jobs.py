"""Jobs whose host fails at one moment of their life, and what must hold for them afterwards.

    job = FaultJob(bench, batch, kind="blaunch", moment="start", host="n3", asking="n1")
    job.prepare()          what has to be there before the fault: submitted, held, or running
    job.before_fault()     the change whose work the fault meets
    job.during_fault()     the change that is asked for while the fault lasts; nobody waits for its answer
    job.after_fault()      opens its gate
    job.check(loses_jobs)  waits for its end: run as often as it may, with its own code, in the state that fits

Every run appends a line to files of the job's own, so that a test counts runs and tasks without asking anybody.
"""

import os
import re
import subprocess

from rollcall_testing.files import read_if_there
from rollcall_testing.job import open_gate
from rollcall_testing.programs import ids_in
from rollcall_testing.runner import expect, expect_equal
from rollcall_testing.waiting import wait_until

MOMENTS = ("submission", "dispatch", "start", "run", "end", "requeue")
KINDS = ("serial", "rerun", "blaunch", "openmpi", "mpich")
PARALLEL = ("blaunch", "openmpi", "mpich")
CODE = 3  # of serial jobs
SECONDS = 90  # limit for every wait after the fault: TCP's pauses grow while a link loses packets

WAIT = "while [ ! -e {gate} ]; do sleep 0.1; done"
COMMANDS = {
    "serial": f"echo ran >>{{notes}}/ran; {WAIT}; exit {CODE}",
    "rerun": f"echo ran >>{{notes}}/ran; {WAIT}; exit {CODE}",
    "blaunch": ("echo ran >>{notes}/ran; blaunch -z \"$(sort -u $LSB_DJOB_HOSTFILE | xargs)\" "
                f"'echo task >>{{notes}}/tasks; {WAIT}'; exit $?"),
    # Several mpirun that begin at once on one host race for Open MPI's folder in TMPDIR.
    "openmpi": "echo ran >>{notes}/ran; mkdir -p {notes}/tmp; TMPDIR={notes}/tmp mpirun.lsf {mpi} {notes} waits {gate}",
    "mpich": "echo ran >>{notes}/ran; mpirun.lsf {mpi} {notes} waits {gate}",
}


class FaultJob:
    """`host` fails; `other` does not; commands are given on `asking`, submissions at the moment of the same name on `host`."""

    def __init__(self, bench, batch, kind, moment, host, other, asking):
        self.bench, self.batch, self.kind, self.moment = bench, batch, kind, moment
        self.host, self.other, self.asking = host, other, asking
        self.notes = bench.fresh_directory()
        self.gate = os.path.join(self.notes, "gate")
        self.number, self.pending, self.requeued = None, None, False

    def __str__(self):
        return f"{self.kind} at {self.moment}, job {self.number}"

    # --- what the job is

    def words(self, *more):
        mpi = self.bench.mpi_target(self.kind) if self.kind in ("openmpi", "mpich") else ""
        command = COMMANDS[self.kind].format(notes=self.notes, gate=self.gate, mpi=mpi)
        where = ["-m", self.host]
        if self.kind in PARALLEL:
            where = ["-n", "2", "-m", f"{self.other} {self.host}", "-R", "span[ptile=1]"]
        kind = {"rerun": ["-q", "rerun"], "openmpi": ["-a", "openmpi"], "mpich": ["-a", "mpich"]}.get(self.kind, [])
        return ["bsub", *where, *kind, "-o", f"{self.notes}/out", "-e", f"{self.notes}/errors", *more, command]

    def runs(self):
        return read_if_there(f"{self.notes}/ran").count("ran\n")

    def tasks(self):
        if self.kind == "blaunch":
            return read_if_there(f"{self.notes}/tasks").count("task\n")
        return len(ids_in(self.notes, "ready"))

    def is_ready(self):
        return self.runs() > 0 and (self.kind not in PARALLEL or self.tasks() >= 2)

    def told(self):
        """What an engineer needs to see when this job failed."""
        parts = [f"{self} on {self.host}: ran {self.runs()} times, {self.tasks()} tasks"]
        if self.number:
            parts.append(self.batch.user("bjobs", "-l", str(self.number), host=self.asking).stdout)
            parts.append(self.batch.user("bhist", "-l", str(self.number), host=self.asking).stdout)
        parts += [f"--- {name}\n{read_if_there(os.path.join(self.notes, name))[-1500:]}" for name in ("out", "errors", "said")]
        return "\n".join(parts + [self.batch.logs_text()])

    # --- what is done with it

    def take_number(self, said):
        found = re.match(r"Job <(\d+)>", said)
        self.number = int(found.group(1)) if found else None

    def submit(self, *more):
        self.take_number(self.batch.good(*self.words(*more), host=self.asking))

    def ask(self, words, host):
        """Starts a command in the background: it makes one change, however often its links break."""
        with open(f"{self.notes}/said", "wb") as said:
            self.pending = self.bench.cluster.host(host).popen(
                words, env=self.batch.environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def prepare(self):
        if self.moment in ("dispatch", "start"):
            self.submit("-H")
        elif self.moment in ("run", "end", "requeue"):
            self.submit()

    def wait_until_prepared(self):
        if self.moment in ("run", "end", "requeue"):
            wait_until(self.is_ready, self.told, SECONDS)

    def before_fault(self):
        if self.moment == "start":
            self.batch.good("bresume", str(self.number), host=self.asking)
        elif self.moment == "end":
            open_gate(self.gate)

    def during_fault(self):
        if self.moment == "submission":
            self.ask(self.words(), self.host)
        elif self.moment in ("dispatch", "requeue"):
            self.ask(["bresume" if self.moment == "dispatch" else "brequeue", str(self.number)], self.asking)

    def after_fault(self):
        if self.pending:
            wait_until(lambda: self.pending.poll() is not None, lambda: f"the command to end\n{self.told()}", SECONDS)
        if self.moment == "submission":
            self.take_number(read_if_there(f"{self.notes}/said"))
        elif self.moment == "requeue":
            self.requeued = self.pending.returncode == 0
        open_gate(self.gate)

    # --- what is true of it at the end

    def expect_command_done(self, loses_jobs):
        """What was asked during the fault is done. bsub may die with its host; a lost job cannot be requeued."""
        if self.pending and not loses_jobs:
            expect_equal(self.pending.returncode, 0, f"the command during the fault\n{self.told()}")

    def ended(self):
        return self.batch.field(self.number, "stat") in ("DONE", "EXIT")

    def check(self, loses_jobs):
        self.expect_command_done(loses_jobs)
        if self.number is None:
            expect(self.moment == "submission" and loses_jobs, f"no job number\n{self.told()}")
            return
        wait_until(self.ended, self.told, SECONDS)
        state, code = self.batch.field(self.number, "stat exit_code").split()
        rightly = (state, code) == (("DONE", "-") if self.kind in PARALLEL else ("EXIT", str(CODE)))
        starts = self.runs()
        if loses_jobs and self.kind != "rerun" and not rightly:
            expect(state == "EXIT" and starts <= 1 + self.requeued, self.told())
            return
        expect(rightly, f"its end: {state} {code}\n{self.told()}")
        most = 1000 if self.kind == "rerun" else 1 + self.requeued
        # A job that was requeued before its first command ran has run once.
        expect(1 <= starts <= most, self.told())
        if self.kind in PARALLEL and starts == 1:
            expect_equal(self.tasks(), 2, f"tasks\n{self.told()}")
