"""docs/admin.md, procedure by procedure, on an installed tree that three hosts share: set up, add, drain and remove a host, upgrade
under jobs, back up and restore, a full disk, each daemon's death."""

import os
import shutil
import subprocess

from rollcall_testing import processes
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.site import without_munge_warning
from rollcall_testing.waiting import wait_until

DAEMONS = ("lim", "res", "mbatchd")


def edit(path, *pairs):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for old, new in pairs:
        expect_in(old, text, path)
        text = text.replace(old, new)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Site:
    """The installed tree with the template for several hosts: n1, with mbatchd, and n2. A context manager; stops it at the end."""

    def __init__(self, bench):
        self.bench = bench
        self.top = os.path.join(bench.fresh_directory("shared"), "rollcall")
        self.conf = os.path.join(self.top, "conf")
        self.hosts = ["n1", "n2"]
        self.install()
        shutil.copytree(os.path.join(self.conf, "templates", "several-hosts"), self.conf, dirs_exist_ok=True)
        rows = [line for line in self.read("lsf.cluster.mycluster") if line.startswith("host")]
        table = "".join(f"{name} ! ! 1 - - (mg rack=r1) ()\n" for name in self.hosts)
        edit(self.path("conf", "lsf.cluster.mycluster"), *((row, "") for row in rows), ("End Host\n", table + "End Host\n"),
             ("#EXINTERVAL=15", "EXINTERVAL=1"), ("lsfadmin", "root"))
        edit(self.path("conf", "lsf.conf"), ("hostA hostB", "n1 n2"), ("hostA", "n1"), ("/var/spool/rollcall", self.path("spool")))
        self.environment = dict(bench.cluster.environment, LSF_ENVDIR=self.conf, HOME=bench.fresh_directory("home"),
                                PATH=f"{self.path('bin')}:/usr/bin:/bin:/usr/sbin:/sbin")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in ("n3", "n2", "n1"):
            self.run("lsf_daemons", "stop", host=host)

    def path(self, *names):
        return os.path.join(self.top, *names)

    def read(self, name):
        with open(os.path.join(self.conf, name), encoding="utf-8") as file:
            return file.readlines()

    def install(self):
        cmake = shutil.which("cmake")
        if not cmake:
            raise Skip("cmake is not installed")
        os.umask(0o022)
        subprocess.run([cmake, "--install", self.bench.build, "--prefix", self.top], check=True, capture_output=True, timeout=120)

    def run(self, command, *words, host="n1", **how):
        done = self.bench.cluster.host(host).run([command, *words], env=self.environment, stdin=subprocess.DEVNULL, **how)
        done.stderr, done.stdout = without_munge_warning(done.stderr), without_munge_warning(done.stdout)
        return done

    def good(self, command, *words, host="n1", **how):
        done = self.run(command, *words, host=host, **how)
        expect_equal((done.returncode, done.stderr), (0, ""), f"{command} {' '.join(words)} on {host}: {done.stdout}\n{self.logs()}")
        return done.stdout

    def set_up(self):
        self.good("lsf_daemons", "init")
        for host in self.hosts:
            self.good("lsf_daemons", "start", host=host)
        self.wait_for(*self.hosts)

    def status(self, host):
        lines = [line.split() for line in self.run("bhosts", "-w").stdout.splitlines()[1:]]
        return next((words[1] for words in lines if words and words[0] == host), "")

    def wait_for(self, *hosts, status="ok"):
        for host in hosts:
            wait_until(lambda host=host: self.status(host) == status,
                       lambda host=host: f"{host} to be {status}, it is {self.status(host)!r}\n{self.logs()}", 60)

    def pid(self, name, host):
        with open(self.path("log", f"{name}.{host}.pid"), encoding="ascii") as file:
            return int(file.readline() or 0)

    def job(self, host, *words):
        """Submits a job that ends with 7 when a file is there. Gives its number and that file."""
        go = os.path.join(self.bench.fresh_directory(), "go")
        said = self.good("bsub", "-o", "/dev/null", "-m", host, *words, f"until [ -e {go} ]; do sleep 0.1; done; exit 7")
        job = int(said[said.index("<") + 1:said.index(">")])
        self.wait_for_job(job, "RUN")
        return job, go

    def job_status(self, job):
        words = self.run("bjobs", "-a", "-w", "-noheader", str(job)).stdout.split()
        return words[2] if len(words) > 2 else ""

    def wait_for_job(self, job, status):
        wait_until(lambda: self.job_status(job) == status,
                   lambda: f"job {job} to be {status}, it is {self.job_status(job)}\n{self.logs()}", 60)

    def end(self, job, go):
        with open(go, "w", encoding="ascii"):
            pass
        self.wait_for_job(job, "EXIT")
        expect_in("Exited with exit code 7", self.good("bjobs", "-l", str(job)), "how the job ended")

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.path("log"))) if os.path.isdir(self.path("log")) else []:
            if ".log." in name:
                with open(self.path("log", name), encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n{file.read()[-1200:]}"
        return text


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def test_set_up_and_change_the_hosts(bench):
    with Site(bench) as site:
        expect_in("No errors found.", site.good("lsadmin", "ckconfig"), "ckconfig")
        expect_in("cluster key", site.run("lsf_daemons", "start").stderr, "start without a key")
        site.set_up()
        expect_in("lsf_daemons start fails on this host: this host is called n3", site.good("lsadmin", "ckconfig", host="n3"),
                  "ckconfig on a host that is not listed")
        # add a host
        edit(site.path("conf", "lsf.cluster.mycluster"), ("End Host\n", "n3 ! ! 1 - - (rack=r2) ()\nEnd Host\n"))
        site.good("lsf_daemons", "start", host="n3")
        site.good("lsadmin", "reconfig", "-f")
        site.good("badmin", "reconfig", "-f")
        site.wait_for("n3")
        job, go = site.job("n3")
        # drain it
        site.good("badmin", "hclose", "-C", "new memory", "n3")
        site.wait_for("n3", status="closed_Adm")
        expect_equal(site.job_status(job), "RUN", "a job of a host that is drained")
        site.end(job, go)
        expect_in("No unfinished job found", site.run("bjobs", "-u", "all", "-m", "n3").stderr, "jobs of the drained host")
        site.good("badmin", "hopen", "n3")
        site.wait_for("n3")
        # remove it
        site.good("badmin", "hclose", "n3")
        site.good("lsf_daemons", "stop", host="n3")
        edit(site.path("conf", "lsf.cluster.mycluster"), ("n3 ! ! 1 - - (rack=r2) ()\n", ""))
        site.good("lsadmin", "reconfig", "-f")
        site.good("badmin", "reconfig", "-f")
        wait_until(lambda: "n3" not in site.run("bhosts").stdout, lambda: f"n3 to go: {site.run('bhosts').stdout}", 30)


def test_upgrade_under_jobs(bench):
    with Site(bench) as site:
        site.set_up()
        job, go = site.job("n2")
        before = {(name, host): site.pid(name, host) for host in site.hosts for name in DAEMONS if name != "mbatchd" or host == "n1"}
        programs = [site.path("etc", name) for name in ("lim", "res", "mbatchd", "shepherd")]
        for program in programs:
            os.utime(program, (1, 1))  # so that they are another version's
        files = [os.stat(program).st_ino for program in programs]
        site.install()
        expect(not set(files) & {os.stat(program).st_ino for program in programs}, "programs are replaced, not written into")
        expect_in("n1", "".join(site.read("lsf.conf")), "the site's lsf.conf is kept")
        for host in site.hosts:
            out = site.good("lsf_daemons", "restart", host=host)
            expect("left behind" not in out, f"restart ended no job: {out}")
        site.wait_for(*site.hosts)
        expect(all(site.pid(*key) != pid for key, pid in before.items()), "all daemons are new")
        expect_equal(site.job_status(job), "RUN", "the job")
        site.end(job, go)


def test_back_up_and_restore(bench):
    with Site(bench) as site:
        site.set_up()
        job, go = site.job("n2")
        # back up: with mbatchd stopped, jobs go on
        site.good("lsf_daemons", "stop", "mbatchd")
        backup = os.path.join(bench.fresh_directory("backup"), "work")
        shutil.copytree(site.path("work"), backup)
        site.good("lsf_daemons", "start", "mbatchd")
        site.wait_for(*site.hosts)
        expect_equal(site.job_status(job), "RUN", "the job after the backup")
        site.good("badmin", "mbdrestart", "-f")
        site.wait_for(*site.hosts)
        # restore: hosts drop their jobs first, since a job that the copy does not know must not go on
        site.good("lsf_daemons", "stop", "mbatchd")
        shutil.rmtree(site.path("work"))
        shutil.copytree(backup, site.path("work"))
        out = site.good("badmin", "hforget", "-f", "n1", "n2")
        expect_in(f"and has 1 jobs: {job};", out, "what is lost")
        site.good("lsf_daemons", "start", "mbatchd")
        site.wait_for(*site.hosts)
        site.wait_for_job(job, "EXIT")
        other, other_go = site.job("n2")
        site.end(other, other_go)
        del go


def test_a_full_disk(bench):
    with Site(bench) as site:
        os.mkdir(site.path("work"))
        mount = bench.cluster.host("n1").run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "none", site.path("work")])
        if mount.returncode != 0:
            raise Skip(f"no tmpfs: {mount.stderr}")
        try:
            site.set_up()
            job, go = site.job("n2")
            filler = site.path("work", "filler")
            bench.cluster.host("n1").run(["sh", "-c", f"dd if=/dev/zero of={filler} bs=4k 2>/dev/null"])
            wait_until(lambda: site.run("bsub", "-o", "/dev/null", "true").returncode != 0, "bsub to be refused", 60)
            expect_in("store: fails", site.good("badmin", "showstatus"), "badmin showstatus")
            with open(go, "w", encoding="ascii"):
                pass
            bench.cluster.host("n1").run(["rm", filler])
            site.wait_for_job(job, "EXIT")
            wait_until(lambda: "store: ok" in site.run("badmin", "showstatus").stdout, "the store to be well again", 60)
            other, other_go = site.job("n2")
            site.end(other, other_go)
        finally:
            for host in site.hosts:
                site.run("lsf_daemons", "stop", host=host)
            bench.cluster.host("n1").run(["umount", site.path("work")])


def test_each_daemons_death(bench):
    with Site(bench) as site:
        site.set_up()
        job, go = site.job("n2")
        for name, host in (("mbatchd", "n1"), ("lim", "n1"), ("res", "n2"), ("lim", "n2")):
            pid = site.pid(name, host)
            processes.send(pid, 9)
            wait_until(lambda name=name, host=host, pid=pid: site.pid(name, host) not in (0, pid) and is_alive(site.pid(name, host)),
                       lambda name=name, host=host: f"another {name} on {host}\n{site.logs()}", 60)
        site.wait_for(*site.hosts)
        expect_equal(site.job_status(job), "RUN", "the job through all of it")
        site.end(job, go)


main(hosts=3)
