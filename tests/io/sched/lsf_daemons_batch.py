"""lsf_daemons with the real lim, res and mbatchd, on a cluster of this host made of the installed template as it is."""

import os
import pwd
import shutil
import socket
import subprocess

from rollcall_testing import processes
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.site import free_port
from rollcall_testing.waiting import wait_until

TEMPLATE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "samples", "templates", "one-host")
DAEMONS = ("lim", "res", "mbatchd")


class Site:
    """A context manager: TOP with etc, conf, log and work; the template with this host, this user, and ports of its own."""

    def __init__(self, bench):
        self.bench = bench
        self.top = bench.fresh_directory("lsf")
        os.chmod(self.top, 0o755)
        self.conf, self.log = os.path.join(self.top, "conf"), os.path.join(self.top, "log")
        shutil.copytree(TEMPLATE, self.conf)
        for name in ("etc", "log", "work", "jobs"):
            os.mkdir(os.path.join(self.top, name), 0o755)
        for name in (*DAEMONS, "melim", "shepherd"):
            shutil.copy(os.path.join(bench.bin, name), os.path.join(self.top, "etc", name))
        os.symlink(bench.bin, os.path.join(self.top, "bin"))
        self.rewrite("lsf.conf.in", "lsf.conf", ("@ROLLCALL_TOP@", self.top), ("=7869", f"={free_port()}"),
                     ("=6881", f"={free_port()}"), ("=6878", f"={free_port()}"),
                     ("/var/spool/rollcall", os.path.join(self.top, "jobs")))
        with open(os.path.join(self.conf, "lsf.conf"), "a", encoding="utf-8") as file:
            file.write("ROLLCALL_RESTART_DAEMONS=N\n")  # daemons that die are not started again
        self.rewrite("lsf.cluster.mycluster", "lsf.cluster.mycluster", ("myhost ", f"{socket.gethostname()} "),
                     ("lsfadmin", pwd.getpwuid(os.geteuid()).pw_name))
        self.environment = dict(bench.cluster.environment, LSF_ENVDIR=self.conf)

    def rewrite(self, source, to, *pairs):
        with open(os.path.join(self.conf, source), encoding="utf-8") as file:
            text = file.read()
        for old, new in pairs:
            expect_in(old, text, source)
            text = text.replace(old, new)
        with open(os.path.join(self.conf, to), "w", encoding="utf-8") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("lsf_daemons", "stop")

    def run(self, command, *words):
        return subprocess.run([os.path.join(self.bench.bin, command), *words], env=self.environment, capture_output=True,
                              text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)

    def good(self, command, *words):
        done = self.run(command, *words)
        expect_equal(done.returncode, 0, f"{command} {words} said {done.stdout}{done.stderr}\n{self.logs()}")
        return done.stdout

    def logs(self):
        text = ""
        for name in os.listdir(self.log):
            with open(os.path.join(self.log, name), encoding="utf-8", errors="replace") as file:
                text += f"--- {name}\n{file.read()[-1500:]}"
        return text

    def pid(self, name):
        with open(os.path.join(self.log, f"{name}.{socket.gethostname()}.pid"), encoding="ascii") as file:
            return int(file.readline())

    def takes_jobs(self):
        done = self.run("bhosts", "-w")
        lines = done.stdout.splitlines()
        return len(lines) > 1 and lines[1].split()[1] == "ok"


def test_a_cluster_of_the_template_runs_jobs(bench):
    with Site(bench) as site:
        out = site.good("lsf_daemons", "start")
        expect_in("".join(f"{name}: started, pid {site.pid(name)}\n" for name in DAEMONS), out, "start")
        status = site.good("lsf_daemons", "status").splitlines()
        expect_equal([line.split(":")[0] for line in status], list(DAEMONS), "status")
        expect(all(": running, pid " in line and "; but" not in line for line in status), f"each port answers: {status}")
        wait_until(site.takes_jobs, lambda: f"the host to take jobs\n{site.logs()}", 60)
        note = os.path.join(site.top, "note")
        site.good("bsub", "-K", "-o", "/dev/null", f"echo ran >{note}")
        with open(note, encoding="ascii") as file:
            expect_equal(file.read(), "ran\n", "the job")


def test_jobs_outlive_a_restart_of_all_daemons(bench):
    with Site(bench) as site:
        site.good("lsf_daemons", "start")
        wait_until(site.takes_jobs, lambda: f"the host to take jobs\n{site.logs()}", 60)
        note, door = os.path.join(site.top, "note"), os.path.join(site.top, "door")
        site.good("bsub", "-o", "/dev/null", f"echo $$ >{note}; while [ ! -e {door} ]; do sleep 0.1; done; echo over >>{note}")
        wait_until(lambda: os.path.exists(note) and os.path.getsize(note) > 0, lambda: f"the job\n{site.logs()}", 60)
        with open(note, encoding="ascii") as file:
            pid = int(file.read())
        before = [site.pid(name) for name in DAEMONS]
        out = site.good("lsf_daemons", "restart")
        expect("left behind" not in out, f"restart ended no job: {out}")
        expect(not set(before) & {site.pid(name) for name in DAEMONS}, "other daemons")
        process = processes.read_process(pid)
        expect(process and process.alive, "the job's process lives")
        with open(door, "w", encoding="ascii"):
            pass
        wait_until(lambda: " DONE " in site.run("bjobs", "-a", "-w").stdout, lambda: f"its end\n{site.logs()}", 60)
        for name in ("mbatchd", "res"):
            os.kill(site.pid(name), 9)
        wait_until(lambda: site.run("lsf_daemons", "status").stdout.count("ended without lsf_daemons") == 2, "two deaths to show")
        site.good("lsf_daemons", "start")
        wait_until(site.takes_jobs, lambda: f"the host to take jobs again\n{site.logs()}", 60)
        expect_equal(site.good("lsf_daemons", "stop"), "mbatchd: stopped\nres: stopped\nlim: stopped\n", "stop")
        expect_equal(site.run("lsf_daemons", "status").returncode, 3, "status after stop")


def test_a_start_with_broken_files_says_which_it_has(bench):
    with Site(bench) as site:
        site.good("lsf_daemons", "start")
        os.kill(site.pid("mbatchd"), 9)
        wait_until(lambda: "ended without lsf_daemons" in site.run("lsf_daemons", "status").stdout, "its death to show")
        queues = os.path.join(site.conf, "lsbatch", "mycluster", "configdir", "lsb.queues")
        with open(queues, "a", encoding="ascii") as file:
            file.write("Begin Queue\nQUEUE_NAME = half\nPRIORITY = 3\n")
        done = site.run("lsf_daemons", "start")
        expect_equal(done.returncode, 0, f"start: {done.stderr}")
        expect_in(f"mbatchd: started, pid {site.pid('mbatchd')}\n", done.stdout, "start")
        expect_in("lsf_daemons: mbatchd: it has the files of ", done.stderr, "which files")
        expect_in(f"since {queues}:", done.stderr, "what is wrong")
        expect_in("files: the files of ", site.good("badmin", "showstatus"), "badmin showstatus")
    bench.saw("lsf_daemons and badmin name the files that are in force, and the line that is wrong")


def test_each_program_names_a_malformed_line_of_lsf_conf(bench):
    with Site(bench) as site:
        conf = os.path.join(site.conf, "lsf.conf")
        with open(conf, "r+", encoding="ascii") as file:
            line = len(file.readlines()) + 1
            file.write("nonsense words\n")
        found = f"{conf}:{line}: found \"words\", expected '=' after nonsense"
        started = site.run("lsf_daemons", "start")
        expect_equal(started.returncode, 0, f"start: {started.stderr}")
        expect_in(f"lsf_daemons: warning: {found}; ignored\n", started.stderr, "start")
        for name in DAEMONS:
            with open(os.path.join(site.log, f"{name}.log.{socket.gethostname()}"), encoding="utf-8") as file:
                expect_in(f"error: {found}\n", file.read(), f"the log of {name}")
        wait_until(site.takes_jobs, lambda: f"the host to take jobs\n{site.logs()}", 60)
        for command in ("lsid", "bjobs", "bsub"):
            done = site.run(command, *(["-o", "/dev/null", "true"] if command == "bsub" else []))
            expect_equal(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
            expect_equal(done.stderr.splitlines()[0],
                         f"{command}: warning: lsf.conf has lines that are not NAME=VALUE: they are ignored (badmin ckconfig shows them)",
                         f"what {command} says first")
        for command in ("lsadmin", "badmin"):
            done = site.run(command, "ckconfig")
            expect_equal(done.returncode, 255, f"{command} ckconfig: {done.stdout}")
            expect_in(f"{found}\n", done.stdout, f"{command} ckconfig")
        refused = site.run("pam", "-g", "1", "env", "true")
        expect_equal(refused.returncode, 1, f"pam: {refused.stderr}")
        expect_in(found, refused.stderr, "pam")
    bench.saw("daemons and commands go on, ckconfig and pam do not")


if __name__ == "__main__":
    main()
