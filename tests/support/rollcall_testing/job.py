"""One run of pam on a host: started, watched, waited for, and what it left to read.

Every run has a watchdog: wait() fails after its seconds and shows what was said and who is still alive. Standard output
and error go to files, so that no full pipe can stop a job.
"""

import json
import os
import signal
import subprocess

from rollcall_testing import processes, schema
from rollcall_testing.runner import expect_equal, expect_one_of
from rollcall_testing.waiting import given_seconds_until, wait_until


class Job:
    """`words` is the whole command line; see pam() for the usual way to make one."""

    def __init__(self, bench, words, host=None, environment=None, stdin=subprocess.DEVNULL, directory=None, **how):
        self.bench, self.words = bench, list(words)
        self.host = host or bench.cluster.head
        self.directory = bench.fresh_directory("job")
        self.report_file = None
        values = dict(bench.cluster.environment, **(environment or {}))
        with open(self._file("stdout"), "wb") as out, open(self._file("stderr"), "wb") as err:
            self.process = self.host.popen(
                self.words,
                directory,
                env={k: v for k, v in values.items() if v is not None},
                stdin=stdin,
                stdout=how.pop("stdout", out),
                stderr=how.pop("stderr", err),
                **how,
            )

    def _file(self, name):
        return os.path.join(self.directory, name)

    @property
    def pid(self):
        return self.process.pid

    def ended(self):
        return self.process.poll() is not None

    def wait(self, seconds=30):
        """The exit code as a shell shows it (128+n for a signal)."""
        wait_until(self.ended, lambda: "\n  ".join([f"the end\n{self.told()}\nalive:", *map(str, self.bench.cluster.strangers())]), seconds)
        code = self.process.returncode
        return 128 - code if code < 0 else code

    def expect_exit(self, code, seconds=30):
        found = self.wait(seconds)
        if isinstance(code, int):
            expect_equal(found, code, f"exit code\n{self.told()}\n")
        else:
            expect_one_of(found, code, f"exit code\n{self.told()}\n")
        return self

    def signal(self, number):
        os.kill(self.pid, number)

    @property
    def stdout(self):
        with open(self._file("stdout"), "rb") as file:
            return file.read()

    @property
    def stderr(self):
        with open(self._file("stderr"), encoding="utf-8", errors="replace") as file:
            return file.read()

    @property
    def report(self):
        """pam's JSON report; fails where there is none, or where it is not as docs/report.schema.json says."""
        try:
            with open(self.report_file, encoding="utf-8") as file:
                report = json.load(file)
        except (FileNotFoundError, json.JSONDecodeError) as error:
            raise AssertionError(f"no report: {error}\n{self.told()}") from None
        problems = schema.problems(report)
        if problems:
            raise AssertionError(f"the report does not fit its schema: {'; '.join(problems[:5])}\n{self.told()}")
        return report

    def told(self):
        """What an engineer needs to see when this run failed."""
        state = "runs" if self.process.returncode is None else f"ended with {self.process.returncode}"
        said = self.stderr
        if len(said) > 4000:  # a complaint comes first, the report's table last
            said = f"{said[:2000]}\n...\n{said[-2000:]}"
        return f"command: {' '.join(self.words)}\n{state}; stdout {self.stdout[:300]!r}\nstderr:\n{said}"

    def expect_said(self, *parts):
        """Each part is somewhere in what came to stderr."""
        for part in parts:
            if part not in self.stderr:
                raise AssertionError(f"nothing said {part!r}\n{self.told()}")

    # The job's processes by what they are, at this moment.

    def tasks(self):
        return self.bench.cluster.processes(processes.is_task)

    def starters(self, which="outer"):
        """The TaskStarters, outer or inner: an inner one is the child of an outer one."""
        both = self.bench.cluster.processes(processes.named("TaskStarter"))
        pids = {p.pid for p in both}
        return [p for p in both if (p.parent in pids) == (which == "inner")]

    def front(self, launcher):
        """The launcher's own process: the one of its name that is nearest to pam."""
        found = [p for p in processes.tree_below(self.pid) if launcher.is_front(p)]
        return found[0] if found else None

    def port(self):
        """pam's port, as TaskStarter was told it; for tests of strangers."""
        starter = wait_until(self.starters, lambda: f"a TaskStarter\n{self.told()}", 10)[0]
        words = starter.words
        return int(words[words.index("-p") + 1].rsplit(":", 1)[1])


def site(bench, **parameters):
    """Environment of a site whose lsf.conf holds these parameters."""
    directory = bench.fresh_directory("conf")
    with open(os.path.join(directory, "lsf.conf"), "w", encoding="ascii") as file:
        file.writelines(f"{name}={value}\n" for name, value in parameters.items())
    return {
        "LSF_ENVDIR": directory,
        "LSF_BINDIR": bench.bin,
        "LSF_SERVERDIR": os.path.join(bench.build, "etc"),
        "PATH": f"{bench.bin}:{bench.cluster.environment['PATH']}",
    }


def pam(bench, *words, environment=None, conf=None, **how):
    """Starts pam with a report. `conf`: the parameters of lsf.conf."""
    values = site(bench, **(conf or {}))
    values.update(environment or {})
    report = os.path.join(bench.fresh_directory("report"), "report.json")
    job = Job(bench, [os.path.join(bench.bin, "pam"), "--report", report, *words], environment=values, **how)
    job.report_file = report
    return job


def method_1(launcher_words, job_words):
    """pam -g N, N counted."""
    return ["-g", str(len(launcher_words)), *launcher_words, *job_words]


def fake(bench, *options):
    """The words of tests/fakes/fake_launcher with these options."""
    return [os.path.join(bench.build, "tests", "programs", "fake_launcher"), *map(str, options)]


def run(bench, launcher, job_words, *options, **how):
    """pam by Method 1; `options` are pam's own."""
    return pam(bench, *options, *method_1(launcher, job_words), **how)


def open_gate(path):
    """Makes the file that a task in the mode `wait` waits for."""
    with open(path, "w", encoding="ascii"):
        pass


def expect_no_tasks(job, seconds=2.0):
    """No process of a task is alive any more, on any host."""
    given_seconds_until(lambda: not job.tasks(), lambda: f"no task alive: {job.tasks()}\n{job.told()}", seconds)


ESTABLISHED = "01"  # of /proc/net/tcp


def connections_to(port):
    """How many connections that port of this host has taken and still has."""
    count = 0
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as file:
            for words in (line.split() for line in list(file)[1:]):
                count += int(words[1].rsplit(":", 1)[1], 16) == port and words[3] == ESTABLISHED
    return count


def wait_for_connections(job, wanted, seconds=10):
    port = job.port()
    given_seconds_until(lambda: connections_to(port) == wanted,
                        lambda: f"{wanted} connections to pam, there are {connections_to(port)}\n{job.told()}", seconds)


def requires_pam(bench):
    """For main(): a missing pam is a failure, never a skip."""
    for name in ("pam", "TaskStarter"):
        if not os.access(os.path.join(bench.bin, name), os.X_OK):
            raise AssertionError(f"{bench.bin}/{name} is not there: build it first")


