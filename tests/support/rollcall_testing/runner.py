"""The runner: functions test_* of one file, run in order, each line saying what was checked.

A test file ends with `main(...)`. Every function test_NAME takes a Bench as its only argument; with @cases it is run
once for each case and takes the case as the second one. A failed check ends its test, not the file. Exit codes: 0 all
passed, 1 one failed or no test has the name that --only gives, 77 nothing could be run (CTest then says "skipped"); partial skips
are counted in the last line.
"""

import argparse
import os
import sys
import time
import traceback
from dataclasses import dataclass, field

from rollcall_testing import processes, shelter
from rollcall_testing.cluster import Cluster, ThisHost
from rollcall_testing.waiting import wait_until


class Skip(Exception):
    """This test cannot be run here; the text is the reason."""


@dataclass
class Bench:
    """What a test works with: where the programs are, where to write, and its hosts."""

    build: str
    scratch: str
    launcher: str
    cluster: Cluster
    patience: float
    checks: list = field(default_factory=list)
    number: int = 0

    @property
    def bin(self):
        return os.path.join(self.build, "bin")

    @property
    def sanitized(self):
        """Whether the programs have sanitizers: they do the same, several times slower."""
        return os.path.isdir(os.path.join(self.build, "findings"))

    @property
    def target(self):
        return os.path.join(self.build, "tests", "programs", "target")

    def mpi_target(self, mpi):
        return os.path.join(self.build, "tests", "programs", f"mpi_target.{mpi}")

    def fresh_directory(self, name="notes"):
        self.number += 1
        path = os.path.join(self.scratch, f"{name}.{self.number}")
        os.mkdir(path)
        return path

    def saw(self, text):
        """Notes what this test has checked, for its line of output."""
        self.checks.append(text)


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def expect_equal(found, expected, what):
    if found != expected:
        raise AssertionError(f"{what}: found {found!r}, expected {expected!r}")


def expect_in(part, whole, what):
    if part not in whole:
        raise AssertionError(f"{what}: {part!r} is not in:\n{whole}")


def expect_one_of(found, allowed, what):
    if found not in allowed:
        raise AssertionError(f"{what}: found {found!r}, expected one of {list(allowed)!r}")


def cases(*values):
    """Runs the test once for each value, which is its second argument."""
    if not values:
        raise ValueError("@cases without a value: the test would never run")

    def mark(function):
        function.cases = values
        return function

    return mark


def main(hosts=0, requires=None, patience=10):
    """Runs the calling file's tests. `hosts`: how many the cluster has, 0 for this machine as it is.

    `requires(bench)` may raise Skip for the whole file. `patience`: for how many seconds a test's processes may live
    on after it.
    """
    tests = {k: v for k, v in sys.modules["__main__"].__dict__.items() if k.startswith("test_")}
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--build", required=True, help="the build folder that holds bin/")
    parser.add_argument("--launcher", default="", help="openmpi or hydra, for the files that ask for one")
    parser.add_argument("--only", default="", help="run the tests whose name contains this")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    build = os.path.abspath(options.build)

    def run_all(scratch):
        bench = Bench(build, scratch, options.launcher, None, patience)
        bench.cluster = Cluster(scratch, hosts) if hosts else ThisHost(scratch)
        with bench.cluster:
            try:
                if requires:
                    requires(bench)
            except Skip as reason:
                print(f"SKIPPED: {reason}")
                return shelter.EXIT_SKIPPED
            except AssertionError as error:
                print(f"FAIL: {error}")
                return 1
            return _run_tests(bench, tests, options.only)

    shelter.run(run_all, needs_hosts=hosts > 0)


def _run_tests(bench, tests, only):
    count = {"ok": 0, "FAIL": 0, "skip": 0}
    for name, function in tests.items():
        for case in getattr(function, "cases", (None,)):
            title = name.removeprefix("test_").replace("_", " ") + (f" [{case}]" if case is not None else "")
            if only in title or only in name:
                count[_run_one(bench, title, function, () if case is None else (case,))] += 1
    print(f"{count['ok']} passed, {count['FAIL']} failed, {count['skip']} skipped")
    if not sum(count.values()):
        print(f"FAIL: no test has {only!r} in its name, expected one of: {', '.join(tests) or 'none, the file has no test'}")
        return 1
    if count["FAIL"]:
        return 1
    return 0 if count["ok"] else shelter.EXIT_SKIPPED


def _run_one(bench, title, function, arguments):
    bench.checks, begun = [], time.monotonic()
    verdict, text = "ok", ""
    try:
        function(bench, *arguments)
    except Skip as reason:
        verdict, text = "skip", str(reason)
    except AssertionError as error:
        verdict, text = "FAIL", f"{error}\n{_place_of(error)}"
    except Exception:  # a fault of the test is a failed test, not the end of the others
        verdict, text = "FAIL", traceback.format_exc()
    left = _clear_hosts(bench, give_time=verdict == "ok")
    if left and verdict == "ok":
        verdict, text = "FAIL", f"still alive {bench.patience} s after the test:\n  " + "\n  ".join(map(str, left))
    print(f"{verdict:4} {title} ({time.monotonic() - begun:.1f} s): {text or '; '.join(bench.checks)}")
    return verdict


def _place_of(error):
    frames = traceback.extract_tb(error.__traceback__)
    return "".join(f"  at {os.path.basename(f.filename)}:{f.lineno} {f.line}\n" for f in frames[1:])


def _clear_hosts(bench, give_time):
    """Waits until nothing that the test started is alive, ends the rest by id; returns what had to be ended."""
    left = bench.cluster.strangers()
    if left and give_time:
        try:
            wait_until(lambda: not bench.cluster.strangers(), "its processes to end", bench.patience)
        except AssertionError:
            pass
        left = bench.cluster.strangers()
    while bench.cluster.strangers():
        for process in bench.cluster.strangers():
            processes.send(process.pid, 9)
        time.sleep(0.02)
    return left
