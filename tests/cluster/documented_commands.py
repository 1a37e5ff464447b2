"""Every command line of README.md, docs/admin.md, docs/your-own-elim.md and the man pages is typed as it stands, or has a reason in
NOT_RUN.

A scene types the lines of one part of a document into a shell on one or more hosts. The test provides what surrounds the lines: the
hosts, /opt and /var/backups of their own, `ssh` (the cluster's remote shell), `vi` (which makes the edit that the line's comment
describes), and programs named my_program, app or ring."""

import contextlib
import os
import select
import shutil
import subprocess
from dataclasses import dataclass

from rollcall_testing import documents, shelter
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.one_host import Munged
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.slurm import Slurm
from rollcall_testing.waiting import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOBODY = 65534

QUICKSTART = "installs packages and builds for minutes; continuous integration runs it, io_quickstart_refusals its refusals"
BENCH = "a measurement of minutes on a quiet machine; bench_* tests run the programs in small"
NOT_RUN = {
    "./quickstart": QUICKSTART,
    "./quickstart test": QUICKSTART,
    "./quickstart lease": QUICKSTART,
    "bench/batch --runs 2": BENCH,
    "bench/launch --runs 9": BENCH,
    "bench/lim": BENCH,
    "build/release/bench/bench_schedule": BENCH,
    "build/release/bench/bench_job_memory": BENCH,
    "LSF_RESOURCES=scratch ELIM_ABORT_VALUE=99 ./elim.scratch": "goes on until Ctrl-C; melim runs the same file",
    "lsload --watch": "goes on until Ctrl-C; io_ls_commands runs it on a terminal",
    "systemctl link /opt/rollcall/lib/systemd/system/lim.service && systemctl enable --now lim":
        "no systemd runs on the hosts; docs_install_tree has systemd-analyze verify the units",
}
# Parts whose lines another test types.
ELSEWHERE = {("admin.md", "Other clusters"): "cluster_peers, which has two clusters",
             ("admin.md", "Send overflow to the other department"): "cluster_forwarding, which has two clusters",
             ("admin.md", "Lend ten hosts to the other department"): "cluster_leases, which has two clusters",
             ("admin.md", "Users with another name there"): "cluster_forwarding_users, which does the same with accounts of the machine"}
SCENES = {}  # (document, title) -> the scenes that type its lines
TYPED = set()
UNFINISHED = set()


def types(*parts):
    """The scene types all lines below these titles of documents, but those of NOT_RUN."""

    def mark(scene):
        for part in parts:
            SCENES.setdefault(part, []).append(scene.__name__)
        UNFINISHED.add(scene.__name__)

        def run(bench):
            scene(bench)
            UNFINISHED.discard(scene.__name__)

        return run

    return mark


def all_lines(bench):
    return documents.commands(ROOT, set(os.listdir(bench.bin)))


def lines_of(bench, document, *titles, prompted=None):
    found = [line for line in all_lines(bench) if line.document == document and line.title in titles and line.text not in NOT_RUN]
    expect(found, f"{document}: no command line below {titles}")
    return [line for line in found if prompted is None or bool(line.host) == prompted]


@dataclass
class How:
    """What a line needs and shows. `until`: typed again until it shows that, for what takes a while."""

    status: int = 0
    says: str = ""
    answers: str = ""
    until: bool = False
    edit: str = ""


class Reader:
    """A shell on a host into which lines are typed. A context manager."""

    def __init__(self, bench, host, directory, user=None, **environment):
        self.bench, self.notes = bench, bench.fresh_directory("reader")
        line = ["sh"] if user is None else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "sh"]
        os.chmod(self.notes, 0o777)
        self.said = open(os.path.join(self.notes, "said"), "w+", encoding="utf-8", errors="replace")
        self.shell = bench.cluster.host(host).popen(
            line, directory, env=dict(bench.cluster.environment, **environment), stdin=subprocess.PIPE, stdout=self.said,
            stderr=self.said, text=True)
        self.fifo = os.path.join(self.notes, "status")
        os.mkfifo(self.fifo)
        os.chmod(self.fifo, 0o666)
        self.statuses = open(os.open(self.fifo, os.O_RDWR), encoding="ascii")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.stdin.close()
        try:
            self.shell.wait(20)
        except subprocess.TimeoutExpired:
            self.shell.kill()  # what it still runs, the runner ends
        finally:
            self.statuses.close()
            self.said.close()

    def type(self, text, how=How()):
        def once():
            self.said.seek(0)
            self.said.truncate()
            answers = os.path.join(self.notes, "answers")
            with open(answers, "w", encoding="utf-8") as file:
                file.write(how.answers)
            self.shell.stdin.write(f"{{\n{text}\n}} <{answers}; echo $? >{self.fifo}\n")
            self.shell.stdin.flush()
            ended = select.select([self.statuses], [], [], 60)[0]
            status = int(self.statuses.readline() or -1) if ended else None
            self.said.seek(0)
            return status, self.said.read()

        def fits(found):
            return found[0] == how.status and how.says in found[1]

        found = once()
        if how.until:
            fits(found) or wait_until(lambda: fits(once()), lambda: f"{text}: status {how.status} and {how.says!r}, last {once()}", 60)
        else:
            expect_equal(found[0], how.status, f"{text}: said {found[1][-2000:]!r}; status")
            expect_in(how.says, found[1], text)
        TYPED.add(text)
        return found[1]


def tools(bench, **programs):
    """A directory for PATH with `ssh`, `vi` and these programs: text, or the path of another."""
    directory = bench.fresh_directory("tools")
    for name, text in dict(programs, ssh=bench.cluster.agent, vi='#!/bin/sh\nexec sh -eu "$0.does" "$@"\n').items():
        path = os.path.join(directory, name)
        if text.startswith("/"):
            os.symlink(text, path)
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    return directory


def clone(bench):
    """A directory like a built clone: build/release and the files that the lines name."""
    top = bench.fresh_directory("clone")
    os.mkdir(os.path.join(top, "build"))
    os.symlink(bench.build, os.path.join(top, "build", "release"))
    return top


def programs_in(directory, *names, text="#!/bin/sh\necho ran\n"):
    for name in names:
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(directory, name), 0o755)


def opt_of_our_own(bench):
    """/opt and /var/backups of the hosts, shared by them; what is below /opt/rollcall is the caller's to install."""
    shared = bench.fresh_directory("shared")
    for name in ("opt", "backups", "spool"):
        os.mkdir(os.path.join(shared, name))
    for host in bench.cluster.hosts:
        for name, place in (("opt", "/opt"), ("backups", "/var/backups"), ("spool", "/var/spool")):
            done = host.run(["mount", "--bind", os.path.join(shared, name), place])
            if done.returncode != 0:
                raise Skip(f"cannot mount on {place}: {done.stderr}")
    return os.path.join(shared, "opt", "rollcall")


def test_every_line_is_typed_or_has_a_reason(bench):
    lines = all_lines(bench)
    texts = {line.text for line in lines}
    without = [f"{line.place}: {line.text}" for line in lines
               if line.text not in NOT_RUN and (line.document, line.title) not in {**SCENES, **ELSEWHERE}]
    expect(not without, "no scene types these lines, and NOT_RUN has no reason for them:\n  " + "\n  ".join(without))
    stale = [text for text in NOT_RUN if text not in texts]
    expect(not stale, f"NOT_RUN has reasons for lines that no document has: {stale}")
    gone = [part for part in (*SCENES, *ELSEWHERE) if part not in {(line.document, line.title) for line in lines}]
    expect(not gone, f"scenes for parts without a command line: {gone}")
    expect_equal(len(NOT_RUN), 11, "lines that have a reason not to be typed")
    bench.saw(f"{len(texts)} lines of {len({line.document for line in lines})} documents; {len(NOT_RUN)} have a reason")


@types(("README.md", "One host, ten lines"), ("lsf_daemons.8.scd", "EXAMPLES"))
def test_one_host(bench):
    how = {"lsf_daemons start": How(says="mbatchd: started"), "cat out.1": How(says="Successfully completed."),
           "bsub -K hostname": How(says="Job is finished"), "lsf_daemons stop": How(says="mbatchd: stopped")}
    with Reader(bench, "n1", clone(bench), HOME=bench.fresh_directory("home")) as reader:
        try:
            for line in lines_of(bench, "README.md", "One host, ten lines"):
                if line.text == "lsf_daemons stop":
                    for other in lines_of(bench, "lsf_daemons.8.scd", "EXAMPLES", prompted=False):
                        other.text in TYPED or reader.type(other.text, how.get(other.text, How()))
                reader.type(line.text, how.get(line.text, How()))
        finally:
            reader.type("lsf_daemons status >/dev/null 2>&1 || true; lsf_daemons stop || true")
    bench.saw("from nothing to a job's output")


def launchers_environment(bench):
    return {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1", "MANPAGER": "cat",
            "PATH": f"{tools(bench, mpirun='/usr/bin/mpirun.openmpi')}:{bench.bin}:{bench.cluster.environment['PATH']}"}


def requires_launchers():
    for program, package in (("mpirun.openmpi", "openmpi-bin"), ("mpiexec.hydra", "mpich"), ("pdsh", "pdsh"), ("man", "man-db"), ("cmake", "cmake")):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed (Debian package {package})")


@types(("README.md", "pam before your own mpirun"))
def test_pam_before_your_own_mpirun(bench):
    requires_launchers()
    opt_of_our_own(bench)
    top = clone(bench)
    programs_in(top, "my_program")
    with open(os.path.join(top, "input.dat"), "w", encoding="ascii"):
        pass
    shutil.copy(os.path.join(bench.bin, "generic_pjl_wrapper"), os.path.join(top, "my_own_wrapper"))
    with Reader(bench, "n1", top, **launchers_environment(bench)) as reader:
        for line in lines_of(bench, "README.md", "pam before your own mpirun"):
            if "srun" in line.text:
                continue
            says = "" if not line.text.startswith(("pam", "LSF_PJL")) else "./my_program" if "dry-run" in line.text else "ran\n"
            reader.type(line.text, How(says=says))
    bench.saw("each way to start a launcher ran my_program")


@types(("README.md", "pam before your own mpirun"))
def test_pam_before_srun(bench):
    top, typed = clone(bench), 0
    programs_in(top, "my_program")
    with Slurm(bench) as slurm, Reader(bench, "n1", top, **slurm.environment, **launchers_environment(bench)) as reader:
        for line in lines_of(bench, "README.md", "pam before your own mpirun"):
            if "srun" in line.text:
                expect_equal(reader.type(line.text).count("ran\n"), 8, f"tasks of {line.text}")
                typed += 1
    expect(typed, "no line of README.md's part on pam names srun")
    bench.saw("8 tasks of srun")


@types(("pam.1.scd", "EXAMPLES"), ("mpirun.lsf.1.scd", "EXAMPLES"))
def test_examples_of_pam(bench):
    requires_launchers()
    top = clone(bench)
    # They run for a moment, as programs do: mpiexec.hydra was killed by SIGPIPE, on a busy machine, where the tasks of one host had
    # ended before those of the next began.
    programs_in(top, "app", "ring", "hello", "greetings", text="#!/bin/sh\nsleep 0.5\necho ran\n")
    environment = launchers_environment(bench)
    environment["PATH"] = f"{top}:{environment['PATH']}"
    with Reader(bench, "n1", top, LSF_PJL_TYPE="openmpi", LSB_HOSTS="n1 n2", **environment) as reader:
        for line in lines_of(bench, "pam.1.scd", "EXAMPLES") + lines_of(bench, "mpirun.lsf.1.scd", "EXAMPLES"):
            says = "srun" if "dry-run" in line.text else "n4: n4" if "pdsh" in line.text else "ran\n"
            if not line.is_file:
                reader.type(line.text, How(says=says))
    bench.saw("each ran its program")


@types(("mpirun.lsf.1.scd", "EXAMPLES"))
def test_job_scripts_of_mpirun(bench):
    requires_launchers()
    with BatchCluster(bench, ["n1", "n2"], slots=4) as batch:
        top = bench.fresh_directory("day")
        programs_in(top, "ring", "xmeshfem3D")
        with Reader(bench, "n1", top, **batch.environment()) as reader:
            for line in lines_of(bench, "mpirun.lsf.1.scd", "EXAMPLES"):
                if line.is_file:
                    reader.type("bsub -K -oo out; cat out", How(answers=line.text + "\n", says="ran\n"))
                    TYPED.add(line.text)
    bench.saw("each script is a job that ran its program")


@types(("README.md", "A site's cluster"), ("README.md", "What works and what is refused"), ("README.md", "Measured"))
def test_a_users_day(bench):
    requires_launchers()
    with BatchCluster(bench, [f"n{k}" for k in range(1, 5)], slots=2) as batch:
        top = bench.fresh_directory("day")
        programs_in(top, "app", text="#!/bin/sh\necho hello\nexec sleep 1000\n")
        how = {"bpeek 1": How(says="hello", until=True), "bjobs -l": How(says="Job <1>"), "bkill 1": How(says="being terminated"),
               "bhist -l 1": How(says="Submitted from host <n1>")}
        with Reader(bench, "n1", top, **batch.environment()) as reader:
            for line in lines_of(bench, "README.md", "A site's cluster", "What works and what is refused", "Measured"):
                reader.type(line.text, how.get(line.text, How()))
        batch.wait_for(1, "EXIT")
    bench.saw("a parallel job on four hosts, looked at and killed")


def edits(munge):
    """What the administrator does in vi, in the order of the page."""
    rows = "n1 ! ! 1 - - (mg rack=r1) ()\\nn2 ! ! 1 - - (mg rack=r1) ()"
    return [
        f"sed -i '/^host[A-D] /d; s/^End Host/{rows}\\nEnd Host/; s/#EXINTERVAL=15/EXINTERVAL=1/; s/lsfadmin/root/' \"$1\"",
        f"sed -i 's|hostA hostB|n1 n2|; s|hostA|n1|; s|^#ROLLCALL_MUNGE_SOCKET=.*|ROLLCALL_MUNGE_SOCKET={munge}|' \"$1\"",
        "sed -i 's/^End Host/n3 ! ! 1 - - (rack=r2) ()\\nEnd Host/' \"$1\"",
        "sed -i '/^n3 /d' \"$1\"",
    ]


ADMIN = ("Install on many hosts", "systemd, or not", "Logs", "Add a host", "Drain a host", "Remove a host", "Upgrade with jobs running", "Back up",
         "Restore, or begin with an empty store", "A full disk", "What each daemon's death means")


@types(*(("admin.md", title) for title in ADMIN), ("lsf_daemons.8.scd", "EXAMPLES"))
def test_the_administrators_page(bench):
    requires_launchers()
    if not shelter.users_are_the_machines():
        raise Skip("the page is for root and another user, and here root has a user namespace of one user")
    opt_of_our_own(bench)
    home, place = bench.fresh_directory("home"), tools(bench)
    os.symlink(clone(bench), os.path.join(home, "rollcall"))
    path = f"{place}:/opt/rollcall/bin:{bench.cluster.environment['PATH']}"
    how = {"lsadmin ckconfig; badmin ckconfig": How(says="No errors found."), "lsload; bhosts": How(says="n2                 ok", until=True),
           "bhosts n3": How(says="n3 ", until=True), "bjobs -u all -m n3": How(says="No unfinished job found"),
           "badmin hforget n1 n2": How(answers="y\ny\n"), "lsload": How(says="n2")}
    with contextlib.ExitStack() as stack:
        edit = iter(edits(stack.enter_context(Munged(bench)).socket))
        stack.callback(stop_daemons, bench)
        readers = {(host, user): stack.enter_context(Reader(bench, host, "/opt", NOBODY if user == "$" else None, HOME=home, PATH=path))
                   for host in ("n1", "n3") for user in ("#", "$")}
        for line in lines_of(bench, "admin.md", *ADMIN):
            if line.text.startswith("vi "):
                with open(os.path.join(place, "vi.does"), "w", encoding="utf-8") as file:
                    file.write(next(edit))
            readers[line.host or "n1", line.user or "#"].type(line.text, how.get(line.text, How()))
        for line in lines_of(bench, "lsf_daemons.8.scd", "EXAMPLES", prompted=True):
            line.text in TYPED or readers[line.host, line.user].type(line.text, how.get(line.text, How()))
    bench.saw("all procedures of the page")


def stop_daemons(bench):
    for host in ("n1", "n2", "n3"):
        bench.cluster.host(host).run(["/opt/rollcall/bin/lsf_daemons", "stop"], env=bench.cluster.environment)


ELIM = ("Your own elim in five minutes", "1. Write it", "2. Define the index", "3. Drop it in", "When no value comes")


@types(*(("your-own-elim.md", title) for title in ELIM))
def test_your_own_elim(bench):
    requires_launchers()
    opt_of_our_own(bench)
    home = bench.fresh_directory("home")
    with contextlib.ExitStack() as stack:
        reader = stack.enter_context(Reader(bench, "n1", clone(bench), HOME=home, PATH=f"/opt/rollcall/bin:{bench.cluster.environment['PATH']}"))
        for text in ("cmake --install build/release --prefix /opt/rollcall", ". /opt/rollcall/conf/profile.lsf",
                     "lsf_daemons setup ~/cluster", "export LSF_ENVDIR=~/cluster/conf", "lsf_daemons start"):
            reader.type(text)
        stack.callback(reader.type, "lsf_daemons stop")
        for name, section, row in (("lsf.shared", "Resource", "RESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nscratch Numeric 30 N (MB)"),
                                   ("lsf.cluster.mycluster", "ResourceMap", "RESOURCENAME LOCATION\nscratch [default]")):
            with open(os.path.join(home, "cluster", "conf", name), "a", encoding="utf-8") as file:
                file.write(f"Begin {section}\n{row}\nEnd {section}\n")
        how = {"lsadmin reconfig": How(answers="y\n")}
        for line in lines_of(bench, "your-own-elim.md", *ELIM):
            if line.is_file:
                reader.type(f"cat >elim.scratch <<'END'\n{line.text}\nEND")
                TYPED.add(line.text)
            else:
                reader.type(line.text, how.get(line.text, How()))
        reader.type("lsload -l -I scratch | grep -q ' [0-9][0-9.]*$'", How(until=True))
    bench.saw("the index has a value")


def test_no_line_was_left_out(bench):
    if UNFINISHED:
        raise Skip(f"these scenes did not pass: {', '.join(sorted(UNFINISHED))}")
    left = [f"{line.place}: {line.text}" for line in all_lines(bench)
            if line.text not in NOT_RUN and line.text not in TYPED and (line.document, line.title) not in ELSEWHERE]
    expect(not left, "these lines were not typed:\n  " + "\n  ".join(left))
    bench.saw(f"{len(TYPED)} lines were typed")


main(hosts=4)
