"""The shelter: what a test program runs in, so that it cannot leave anything behind.

    guard      the process that CTest started: makes the scratch directory, waits, removes it
      keeper   reaps whatever falls to it, looks for leftovers when the tests are over
        tests  the test program itself

For tests that need hosts the keeper is process 1 of a PID namespace, and the three have mounts, network, host name and
System V memory of their own: when it ends, the kernel ends every process below it and removes the interfaces and
mounts, whatever happened to the tests. This needs root, or user namespaces that are open to the user. Other tests need
no privilege: there the keeper is a subreaper, which gets every orphan of the tests.

A SIGTERM to the guard ends everything in the same way. A live process that the tests left is an error (exit 1).
"""

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

from rollcall_testing import processes

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

EXIT_SKIPPED = 77  # CTest's SKIP_RETURN_CODE

_libc = ctypes.CDLL(None, use_errno=True)


class NoHosts(Exception):
    """This machine cannot make hosts for us; the text says what was refused or is missing."""


def _call(name, *arguments):
    if getattr(_libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def enter_own_namespaces():
    """Gives this process and its children mounts, network, names and PIDs of their own, or raises NoHosts."""
    flags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
    user, group = os.geteuid(), os.getegid()
    for program, package in (("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")):
        if not shutil.which(program):
            raise NoHosts(f"{program} is not installed (Debian package {package})")
    try:
        _call("unshare", flags if user == 0 else flags | CLONE_NEWUSER)
        if user != 0:
            _be_root_of_own_users(user, group)
        _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    except OSError as error:
        raise NoHosts(f"cannot make network namespaces as user {user}: {error.strerror}") from None


def _be_root_of_own_users(user, group):
    for file, line in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as out:
            out.write(line)


def users_are_the_machines():
    """False in a user namespace, where root is root of nothing but his own."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return file.read().split() == ["0", "0", "4294967295"]


def run(tests, needs_hosts):
    """Runs tests(scratch directory) -> exit code in a shelter; exits with that code."""
    scratch = tempfile.mkdtemp(prefix="rollcall-test.")
    os.chmod(scratch, 0o755)
    code = 1
    try:
        code = _guard(tests, scratch, needs_hosts)
    except NoHosts as reason:
        print(f"SKIPPED: {reason}")
        code = EXIT_SKIPPED
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(code)


def _guard(tests, scratch, needs_hosts):
    if needs_hosts:
        enter_own_namespaces()
    asked_to_end = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda n, _: asked_to_end.append(n))
    keeper = os.fork()
    if keeper == 0:
        os._exit(_keeper(tests, scratch, needs_hosts))
    status = None
    while status is None:
        if asked_to_end:
            _end_keeper(keeper, needs_hosts)
        pid, word = os.waitpid(keeper, os.WNOHANG)
        status = word if pid else None
        time.sleep(0.02)
    if asked_to_end:
        print(f"ended by {signal.Signals(asked_to_end[0]).name}; everything that was started has been removed")
        return 128 + asked_to_end[0]
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1


def _end_keeper(keeper, needs_hosts):
    """A killed process 1 takes its namespace along; a mere subreaper's descendants are ended one by one first."""
    if not needs_hosts:
        processes.send(keeper, signal.SIGSTOP)
        processes.end_tree_below(keeper)
    processes.send(keeper, signal.SIGKILL)


def _keeper(tests, scratch, needs_hosts):
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if needs_hosts:
        _call("mount", b"proc", b"/proc", b"proc", 0, None)
    else:
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    runner = os.fork()
    if runner == 0:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        code = 1
        try:
            code = tests(scratch)
        except BaseException:  # no caller is left that would print it
            traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(code)
    return _code_with_leftovers(_wait_and_reap(runner))


def _wait_and_reap(runner):
    """Reaps everybody until `runner` ends; its exit code."""
    while True:
        pid, status = os.wait()
        if pid == runner:
            return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1


def _code_with_leftovers(code):
    """The tests have ended: whoever is still alive now was left behind by them."""
    processes.reap()
    left = processes.tree_below(os.getpid())
    for process in left:
        print(f"LEFT BEHIND: {process}")
    sys.stdout.flush()
    processes.end_tree_below(os.getpid())
    return 1 if left and code == 0 else code
