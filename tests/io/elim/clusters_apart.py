"""A user with several clusters on one host, and without root: set up in one go, and no command of one touches another."""

import os
import shutil
import socket
import subprocess
import time

from rollcall_testing import processes
from rollcall_testing.own_cluster import OwnCluster
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.site import Site, own_directory
from rollcall_testing.waiting import wait_until


def is_alive(pid):
    process = processes.read_process(pid)
    return bool(process and process.alive)


def the_lim(site):
    lims = site.lims()
    expect_equal(len(lims), 1, f"lims of {site.top}")
    return lims[0].pid


def apart(bench, one, other):
    """`one` runs; nothing that `other` does reaches it."""
    one.good("start")
    pid = the_lim(one)
    expect_equal(other.status(3), "lim: not running\n", "status of the other")
    expect_equal(other.good("stop"), "lim: not running\n", "stop of the other")
    expect(is_alive(pid), "the first one lives")
    other.good("start")
    both = (pid, the_lim(other))
    expect_equal(other.good("stop"), "lim: stopped\n", "stop of the other, which runs")
    expect_equal([is_alive(each) for each in both], [True, False], "who lives after it")
    expect_in(f"pid {pid}", one.status(1), "status of the first")
    expect_equal(one.good("stop"), "lim: stopped\n", "stop of the first")
    expect(not is_alive(pid), "the first one ended")


def test_clusters_without_a_log_directory_and_with_the_same_port(bench):
    one, other = Site(bench, log=False), Site(bench, log=False)
    try:
        other.write("lsf.conf", other.read("lsf.conf").replace(str(other.port), str(one.port)))
        apart(bench, one, other)
    finally:
        for site in (one, other):
            shutil.rmtree(own_directory(site.conf), ignore_errors=True)


def test_clusters_with_the_same_log_directory(bench):
    one, other = Site(bench), Site(bench)
    try:
        other.write("lsf.conf", other.read("lsf.conf").replace(other.log, one.log))
        apart(bench, one, other)
    finally:
        shutil.rmtree(own_directory(other.conf), ignore_errors=True)


def test_another_users_pid_file_in_tmp_is_not_believed(bench):
    if os.geteuid() != 0:
        raise Skip("needs root: another user makes the directory")
    nobody, site = 65534, Site(bench)
    directory = f"/tmp/rollcall-0-{site.port}"  # where an earlier release had root's
    os.mkdir(directory)
    decoy = subprocess.Popen(["python3", "-c", "import signal; signal.pause()", "-d", str(site.conf)], user=nobody, cwd="/")
    try:
        with open(f"/proc/{decoy.pid}/stat", encoding="ascii") as file:
            ticks = file.read().rpartition(")")[2].split()[19]
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        path = f"{directory}/lim.{socket.gethostname()}.pid"
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{decoy.pid}\n{ticks} {boot}\n")
        for each in (directory, path):
            os.chown(each, nobody, nobody)
        site.good("start")
        the_lim(site)
        expect_equal(site.good("stop"), "lim: stopped\n", "stop")
        expect_equal((decoy.poll(), os.listdir(directory)), (None, [os.path.basename(path)]), "the other user's process and files")
    finally:
        decoy.kill()
        decoy.wait()
        shutil.rmtree(directory)


def test_a_new_port_leaves_no_lim_behind(bench):
    site = Site(bench, log=False)
    try:
        site.good("start")
        pid = the_lim(site)
        site.write("lsf.conf", site.read("lsf.conf").replace(str(site.port), str(site.port + 1)))
        expect_in(f"lim: running, pid {pid}", site.status(1), "status with a new port")
        site.good("restart")
        expect(not is_alive(pid), "the one of the older port has ended")
        expect_equal(site.good("stop"), "lim: stopped\n", "stop")
        expect_equal(site.lims(), [], "lims")
    finally:
        shutil.rmtree(own_directory(site.conf), ignore_errors=True)


def test_the_log_directory_is_made_or_another_is_named(bench):
    site = Site(bench)
    deep = os.path.join(site.top, "var", "log")
    site.write("lsf.conf", site.read("lsf.conf").replace(site.log, deep))
    site.good("start")
    expect_equal({n for n in os.listdir(deep) if "lock" not in n},
                 {f"lim.{socket.gethostname()}.pid", f"lim.log.{socket.gethostname()}"}, "what is in it")
    site.good("stop")
    own = own_directory(site.conf)
    try:
        shutil.rmtree(os.path.join(site.top, "var"))
        with open(os.path.join(site.top, "var"), "w", encoding="ascii"):
            pass  # a file is in the way
        out = site.good("start")
        expect_in(f"logs are in {own}: cannot make LSF_LOGDIR {deep}: Not a directory\n", out, "start")
        expect(os.path.exists(os.path.join(own, f"lim.log.{socket.gethostname()}")), "the log is there")
        site.good("stop")
    finally:
        shutil.rmtree(own, ignore_errors=True)


def test_a_cluster_is_set_up_in_one_go_and_runs_a_job(bench):
    with OwnCluster(bench) as own:
        expect_equal(own.good("lsadmin", "ckconfig"), "Checking configuration files ...\nNo errors found.\n\n", "ckconfig")
        expect_in("No errors found.", own.good("badmin", "ckconfig"), "badmin ckconfig")
        again = own.run("lsf_daemons", "setup", own.top)
        expect_equal(again.returncode, 1, "a second setup")
        expect_in(f"{own.conf}/lsf.conf: is there", again.stderr, "a second setup")
        own.start()
        note = own.path("note")
        expect_equal(own.run("bsub", "-K", "-o", "/dev/null", f"echo $LSB_QUEUE >{note}").returncode, 0, "bsub -K")
        with open(note, encoding="ascii") as file:
            expect_equal(file.read(), "normal\n", "what the job wrote")
        blank = own.path("my clusters")
        for words, said in ((("setup",), "expected DIR [NAME]"), (("setup", "/tmp/x/y", "a/b"), "expected 1 to 39 letters"),
                            (("setup", blank), f'found "{blank}", expected a directory whose path has no blanks')):
            done = own.run("lsf_daemons", *words)
            expect_equal(done.returncode, 2, " ".join(words))
            expect_in(said, done.stderr, " ".join(words))
        expect(not os.path.exists(blank), "a directory that was refused")


def test_a_user_without_root_has_a_cluster(bench):
    user = 5  # games: an account of every Debian that owns nothing
    if os.geteuid() != 0:
        raise Skip("only root can act as another user")
    os.chmod(bench.scratch, 0o755)
    if subprocess.run(["setpriv", f"--reuid={user}", "--clear-groups", "test", "-x", os.path.join(bench.bin, "lim")],
                      check=False).returncode != 0:
        raise Skip("the build is closed to other users")
    with OwnCluster(bench, user=user) as own:
        expect("fails on this host" not in own.good("lsadmin", "ckconfig"), "ckconfig")
        own.start()
        note = own.path("note")
        done = own.run("bsub", "-K", "-o", "/dev/null", f"id -u >{note}")
        expect_equal(done.returncode, 0, f"bsub -K: {done.stderr}\n{own.logs()}")
        with open(note, encoding="ascii") as file:
            expect_equal(int(file.read()), user, "whose job it is")
        pid = own.pid("mbatchd")
        processes.send(pid, 9)
        wait_until(lambda: own.pid("mbatchd") not in (0, pid), lambda: f"another mbatchd\n{own.logs()}", 60)
        own.wait_for_host("ok")
        expect_equal(own.good("lsf_daemons", "stop"), "mbatchd: stopped\nres: stopped\nlim: stopped\n", "stop")
        expect_equal(own.run("lsf_daemons", "status").returncode, 3, "status after stop")


def test_no_command_reaches_another_cluster_at_its_port(bench):
    one, other = OwnCluster(bench, "one"), OwnCluster(bench, "two")
    with open(one.path("conf", "lsf.conf"), encoding="ascii") as file:
        ports = {line.split("=")[0]: line for line in file if "_PORT=" in line}
    path = other.path("conf", "lsf.conf")
    with open(path, encoding="ascii") as file:
        lines = [ports.get(line.split("=")[0], line) for line in file]
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines)
    other.good("lsf_daemons", "init")
    for cluster in (one, other):
        cluster.append("lsf.conf", "\nROLLCALL_TICKET_LIFE=300\n")
    with one:
        one.start()
        one.submit("true")
        tickets = os.path.join(one.home, ".rollcall")
        expect([n for n in os.listdir(tickets) if n.startswith("ticket.")], "the first cluster's ticket")
        environment = dict(one.environment, LSF_ENVDIR=other.conf, LSB_NTRIES="100")
        for words in (("bsub", "-o", "/dev/null", "true"), ("bjobs",), ("bkill", "1")):
            begin = time.monotonic()
            done = other.run(*words, env=environment)
            expect_equal(done.returncode, 255, f"{words[0]}: {done.stdout}{done.stderr}")
            expect("Please wait" not in done.stderr, f"{words[0]} waits: {done.stderr}")
            expect_in("what answers does not hold the cluster's key: another cluster's daemon, or a key that was replaced",
                      done.stderr, words[0])
            expect(time.monotonic() - begin < 30, "at once")
        expect_in("what answers does not hold the cluster's key", other.run("lsid").stderr, "lsid")
        jobs = [line for line in one.good("bjobs", "-a", "-w", "-noheader").splitlines() if line.strip()]
        expect_equal(len(jobs), 1, f"jobs of the first cluster: {jobs}")


def test_ckconfig_says_what_start_refuses(bench):
    site = Site(bench, batch=True)

    def said():
        done = subprocess.run([os.path.join(bench.bin, "lsadmin"), "ckconfig"], capture_output=True, text=True, check=False,
                              env=dict(bench.cluster.environment, LSF_ENVDIR=site.conf), timeout=120)
        expect_equal(done.returncode, 0, done.stderr)
        return done.stdout

    site.write("lsf.conf", site.read("lsf.conf") + f"ROLLCALL_JOBDIR={site.top}/jobs\nLSB_SHAREDIR={site.top}/work\n")
    expect("fails on this host" not in said(), "nothing is wrong")
    site.write("jobs", "a file is in the way\n")
    site.write("lsf.conf", site.read("lsf.conf").replace(f"{site.top}/jobs", f"{site.conf}/jobs/below"))
    expect_in(f"lsf_daemons start fails on this host: ROLLCALL_JOBDIR: cannot write to the directory {site.conf}/jobs/below: "
              f"{site.conf}/jobs is no directory\n", said(), "ckconfig")
    whole = site.read("lsf.cluster.c1")
    site.write("lsf.cluster.c1", whole.replace("End Host", "n2 ! ! 1\nEnd Host"))
    expect_in(f"lsf_daemons start fails on this host: cluster key {site.key}: found none; run \"lsf_daemons init\"", said(),
              "several hosts without a key")
    site.write("lsf.cluster.c1", whole.replace(f"{socket.gethostname()} !", "elsewhere !"))
    why = f"this host is called {socket.gethostname()}, and section Host of lsf.cluster.c1 has no such host\n"
    expect_in(f"lsf_daemons start fails on this host: {why}", said(), "a host that is not listed")
    expect_in(why, site.refused("start"), "start says the same")


def test_roots_daemons_without_munged_are_told(bench):
    if os.geteuid() != 0:
        raise Skip("only root's daemons serve several users")
    site = Site(bench)
    nowhere = os.path.join(site.top, "munge.socket")
    site.write("lsf.conf", site.read("lsf.conf") + f"ROLLCALL_MUNGE_SOCKET={nowhere}\n")
    site.write("lsf.cluster.c1", site.read("lsf.cluster.c1") + "Begin ClusterAdmins\nADMINISTRATORS = nosuchuser\nEnd ClusterAdmins\n")
    warning = f"warning: munged does not run on this host ({nowhere}): only root can submit"
    done = site.run("start", munge_warning=True)
    expect_equal(done.returncode, 0, done.stderr)
    expect_in(f"lsf_daemons: {warning}", done.stderr, "start")
    expect_in("lsf_daemons: warning: the administrator nosuchuser is no user of this host", done.stderr, "start")
    done = subprocess.run([os.path.join(bench.bin, "lsadmin"), "ckconfig"], capture_output=True, text=True, check=False,
                          env=dict(bench.cluster.environment, LSF_ENVDIR=site.conf), timeout=120)
    expect_in(warning, done.stdout, "ckconfig")
    with socket.socket(socket.AF_UNIX) as munged:
        munged.bind(nowhere)
        munged.listen()
        expect("munged" not in site.run("restart", munge_warning=True).stderr, "a munged that listens")
    site.good("stop")


if __name__ == "__main__":
    main()
