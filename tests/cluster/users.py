"""Jobs of two users besides root, whom MUNGE names: each acts on their own jobs, and root touches none of their files."""

import os
import pwd
import signal
import stat
import subprocess

from rollcall_testing import processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.munge import needs_users, start_munged
from rollcall_testing.runner import expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ALICE, BOB = 5, 9  # games and news: accounts of every Debian that own nothing; their groups differ from their numbers
HOSTS = ("n1", "n2")


class Users:
    """A batch system whose daemons are root's, and a directory for each user."""

    def __init__(self, bench, more_conf="", hosts=HOSTS, **how):
        self.bench = bench
        self.socket = start_munged(bench)
        bench.cluster.fixtures = processes.named("munged")
        os.chmod(bench.scratch, 0o755)
        self.batch = BatchCluster(bench, hosts, more_conf=f"ROLLCALL_MUNGE_SOCKET={self.socket}\n{more_conf}", **how)
        os.remove(os.path.join(self.batch.conf, "cluster.key"))
        self.batch.good("lsf_daemons", "init")  # with the public half, which users read
        self.places = {}
        for user in (ALICE, BOB):
            self.places[user] = bench.fresh_directory(f"user{user}")
            os.chown(self.places[user], user, group_of(user))
            os.chmod(self.places[user], 0o700)

    def run(self, user, *words, **how):
        name = name_of(user)
        environment = self.batch.environment(HOME=self.places[user], USER=name, LOGNAME=name)
        line = ["setpriv", f"--reuid={user}", f"--regid={group_of(user)}", "--init-groups", "--", "sh", "-c",
                'cd "$HOME" && exec "$@"', "sh", *words]
        return self.batch.user(*line, env=environment, **how)

    def begin(self, user, *words):
        """The same in the background; gives the process, whose output is one pipe."""
        name = name_of(user)
        environment = self.batch.environment(HOME=self.places[user], USER=name, LOGNAME=name)
        line = ["setpriv", f"--reuid={user}", f"--regid={group_of(user)}", "--init-groups", "--", "sh", "-c",
                'cd "$HOME" && exec "$@"', "sh", *words]
        started = self.bench.cluster.host(HOSTS[0]).popen(
            line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.bench.cluster.services.callback(lambda: (started.kill(), started.wait()))
        return started

    def bsub(self, user, command, *options):
        done = self.run(user, "bsub", *options, command)
        expect_equal(done.returncode, 0, f"bsub as {user}: {done.stderr}\n{self.batch.logs_text()}")
        return int(done.stdout.split("<")[1].split(">")[0])


def name_of(user):
    return pwd.getpwuid(user).pw_name


def group_of(user):
    return pwd.getpwuid(user).pw_gid


def unwrapped(batch, job):
    return batch.user("bjobs", "-UF", str(job)).stdout


def test_a_job_is_its_users_and_so_is_all_it_touches(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        job = users.bsub(ALICE, "id -u; id -g; id -G; umask; pwd; echo secret >made; env | grep -c MUNGE", "-o", "out", "-n", "1")
        batch.wait_for(job, "DONE", "EXIT")
        lines = open(f"{place}/out", encoding="utf-8").read().splitlines()
        expect_equal(lines[:2], [str(ALICE), str(group_of(ALICE))], "user and group of the job")
        expect("0" not in lines[2].split(), f"groups {lines[2]}")
        expect_equal(lines[4], place, "its directory")
        for name in ("out", "made"):
            facts = os.stat(f"{place}/{name}")
            expect_equal((facts.st_uid, facts.st_gid), (ALICE, group_of(ALICE)), f"owner of {name}")
        expect_equal(batch.field(job, "user"), name_of(ALICE), "whose it is, as MUNGE says")
    bench.saw("user, group, groups, directory and files are the user's")


def test_a_user_acts_on_their_own_jobs_alone(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        job = users.bsub(ALICE, "echo mine; sleep 1000", "-o", "out")
        batch.wait_for(job, "RUN")
        for words in (("bkill",), ("bstop",), ("brequeue",), ("bkill", "-s", "USR1"), ("bmod", "-J", "x"), ("bswitch", "priority"),
                      ("btop",)):
            done = users.run(BOB, *words, str(job))
            expect(done.returncode != 0, f"{words} of a stranger: {done.stdout}{done.stderr}")
        expect_equal(batch.field(job, "stat job_name").split()[0], "RUN", "what strangers have done to it")
        peeked = users.run(BOB, "bpeek", str(job))
        expect("mine" not in peeked.stdout, f"bpeek of a stranger: {peeked.stdout}")
        refused = users.run(BOB, "badmin", "qclose", "normal")
        expect(refused.returncode != 0, "badmin by a user")
        expect_in(f"<{job}>", users.run(BOB, "bjobs", "-u", "all").stdout.replace(str(job), f"<{job}>"), "everybody sees it")
        hidden = users.run(BOB, "bjobs", "-l", str(job)).stdout
        expect("HOME=" not in hidden, "another's environment")
        expect_equal(users.run(ALICE, "bkill", str(job)).returncode, 0, "its owner")
        batch.wait_for(job, "EXIT")
        second = users.bsub(BOB, "sleep 1000", "-o", "/dev/null")
        batch.wait_for(second, "RUN")
        batch.good("bkill", str(second))
        batch.wait_for(second, "EXIT")
        wait_until(lambda: "TERM_ADMIN" in batch.good("bhist", "-l", str(second)) + batch.good("bjobs", "-l", str(second)),
                   "the administrator named as who ended it")
    bench.saw("seven requests, bpeek and badmin refused; owner and root may")


def test_every_user_may_read(bench):
    """Snakemake's LSF plugin reads `badmin showconf mbd` at its start, as its user: a title, then KEY = VALUE in every line."""
    needs_users()
    users = Users(bench)
    with users.batch:
        said = users.run(ALICE, "badmin", "showconf", "mbd")
        expect_equal((said.returncode, said.stderr), (0, ""), "badmin showconf mbd")
        rows = [tuple(line.strip().split(" = ")) for line in said.stdout.strip().split("\n")]
        values = {row[0]: row[1] for row in rows[1:]}
        cluster = users.run(ALICE, "lsclusters").stdout.split("\n")[1].split()[0]
        expect(os.path.exists(f"{values['LSB_SHAREDIR']}/{cluster}/logdir/lsb.events"), f"where lsb.events is: {values}")
        with open(f"{values['LSF_CONFDIR']}/lsbatch/{cluster}/configdir/lsb.params", encoding="utf-8") as file:
            expect_in("DEFAULT_QUEUE", file.read(), "where lsb.params is")
        for words in (("badmin", "showstatus"), ("badmin", "showconf", "mbd", "all"), ("badmin", "mbdhist")):
            expect_equal(users.run(ALICE, *words).returncode, 0, f"{words}")
        for words in (("badmin", "mbddebug"), ("badmin", "mbdrebuild")):
            refused = users.run(ALICE, *words)
            expect(refused.returncode != 0, f"{words} by a user: {refused.stdout}")
    bench.saw("showconf as the plugin reads it, showstatus, history; what changes something is refused")


def test_paths_of_a_user_are_touched_as_the_user(bench):
    needs_users()
    tmp = bench.fresh_directory("tmp")
    os.chmod(tmp, 0o1777)
    users = Users(bench, f"LSF_TMPDIR={tmp}")
    with users.batch as batch:
        place = users.places[ALICE]
        roots = os.path.join(bench.scratch, "roots_file")
        with open(roots, "w", encoding="ascii") as file:
            file.write("untouched\n")
        os.chmod(roots, 0o600)
        os.symlink(roots, f"{place}/out")
        bobs = users.places[BOB]
        for output in ("out", f"{bobs}/out"):
            job = users.bsub(ALICE, "echo over", "-o", output)
            batch.wait_for(job, "DONE")
            instead = f"{tmp}/{job}.out"
            text = open(instead, encoding="utf-8").read()
            expect(text.startswith("over\n"), f"the output is elsewhere: {text}")
            expect_in(f"cannot open {os.path.join(place, output)}: ", text, "why")
            expect_equal(os.stat(instead).st_uid, ALICE, "whose it is")
            expect_equal(stat.S_IMODE(os.stat(instead).st_mode), 0o600, "who may read it")
        expect_equal(open(roots, encoding="ascii").read(), "untouched\n", "root's file behind a user's link")
        expect_equal(os.listdir(bobs), [], "another user's directory")
        hidden = users.bsub(ALICE, "cat", "-i", roots, "-o", "shown")
        batch.wait_for(hidden, "EXIT")
        text = open(f"{place}/shown", encoding="utf-8").read()
        expect("untouched" not in text, "root's file as input")
        expect_in("the job was not run", text, "why there is none")
        checked = set()
        for directory, folders, files in os.walk(batch.work):
            checked |= set(folders + files)
            for name in folders + files:
                facts = os.lstat(os.path.join(directory, name))
                readable = name in ("lsb.events", "lsb.acct", "logdir", "test") or name.startswith(("lsb.events", "lsb.acct"))
                expect(readable or not facts.st_mode & stat.S_IROTH, f"{directory}/{name} is for everybody: {facts.st_mode:o}")
        expect({"lsb.events", "lsb.acct"} < checked, f"event files and the store below {batch.work}: {checked}")
    bench.saw("a link to root's file and another's directory are not written, root's file is not read; the store is root's alone")


def test_blaunch_is_for_the_jobs_owner(bench):
    needs_users()
    users = Users(bench, "LSF_DISABLE_LSRUN=Y")  # which keeps nobody from blaunch
    with users.batch as batch:
        job = users.bsub(ALICE, "for h in $(sort -u $LSB_DJOB_HOSTFILE); do blaunch $h 'hostname; id -u'; done; sleep 1000", "-n", "2", "-R",
                         "span[ptile=1]", "-o", "out")
        batch.wait_for(job, "RUN")
        place = users.places[ALICE]
        seen = lambda: open(f"{place}/out", encoding="utf-8").read().splitlines() if os.path.exists(f"{place}/out") else []
        wait_until(lambda: len(seen()) >= 4, lambda: f"two hosts: {seen()}\n{batch.logs_text()}", 30)
        expect_equal(seen()[:4], ["n1", str(ALICE), "n2", str(ALICE)], "where and as whom")
        stranger = users.run(BOB, "env", f"LSB_JOBID={job}", "LSB_JOBINDEX=0", "LSB_HOSTS=n1 n2", "LSB_MCPU_HOSTS=n1 1 n2 1",
                             "blaunch", "n2", "id -u")
        expect(stranger.returncode != 0 and str(ALICE) not in stranger.stdout, f"a stranger in the job: {stranger}")
        for words in (("lsrun", "-L", "-m", "n2"), ("lsgrun", "-m", "n1 n2")):
            outside = users.run(ALICE, *words, "id", "-u")
            expect_equal((outside.returncode, outside.stdout), (255, ""), f"{words[0]} of a user where it is disabled")
            expect_in("lsrun and lsgrun are for administrators here (LSF_DISABLE_LSRUN)", outside.stderr, "why")
        expect_equal(batch.good("lsrun", "-L", "-m", "n2", "id", "-u").strip(), "0", "root's lsrun")
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("tasks on both hosts are the user's; a stranger with the job's number gets none")


def shown_by_processes():
    """What everybody (arguments) or their user (environments) may read of every process of this machine."""
    texts = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    texts[f"{pid} {name}"] = file.read()
            except OSError:
                continue  # it has ended meanwhile
    return texts


def test_no_secret_is_in_an_argument_an_environment_or_a_log(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        with open(os.path.join(batch.conf, "cluster.key"), "rb") as file:
            secret = file.read().strip()
        expect_equal(len(secret), 64, "digits of the key")
        place = users.places[ALICE]
        job = users.bsub(ALICE, "blaunch n2 'touch there; exec sleep 1000'", "-n", "2", "-R", "span[ptile=1]", "-o", "out")
        wait_until(lambda: os.path.exists(f"{place}/there"), lambda: f"its task on n2: {batch.logs_text()}", 30)
        peek = users.begin(ALICE, "bpeek", "-f", str(job))
        task = users.begin(ALICE, "lsrun", "-L", "-m", "n2", "sh", "-c", "echo begun; exec sleep 1000")
        wait_until(lambda: "begun" in task.stdout.readline(), "a task of lsrun")
        shown = shown_by_processes()
        expect(any(b"blaunch" in text for text in shown.values()), "blaunch among the processes")
        logs = os.listdir(batch.logs)
        expect(any("mbatchd" in name for name in logs), f"mbatchd's log in {batch.logs}: {logs}")
        for name in logs:
            with open(os.path.join(batch.logs, name), "rb") as file:
                shown[name] = file.read()
        for where, text in shown.items():
            for start in range(0, 64, 16):
                expect(secret[start : start + 16] not in text, f"a part of the cluster's key is in {where}")
            expect(b"MUNGE:A" not in text, f"a credential is in {where}")
        for process in (peek, task):
            process.terminate()
            process.wait()
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("neither the key nor a credential in arguments, environments and logs while tasks and streams are open")


def test_res_knows_its_clients_by_munge(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        for user in (ALICE, BOB):
            done = users.run(user, "lsrun", "-L", "-m", "n2", "sh", "-c", "id -u; id -g; hostname")
            expect_equal(done.stdout.split(), [str(user), str(group_of(user)), "n2"], f"who runs there: {done.stderr}")
        # What a client says of itself does not count: neither its environment nor its name.
        done = users.run(ALICE, "env", "USER=root", "LOGNAME=root", f"LSB_JOB_EXECUSER=root", "lsrun", "-L", "-m", "n2", "id", "-u")
        expect_equal(done.stdout.strip(), str(ALICE), "who claims to be root")
        for words in (("badmin", "hshutdown", "n2"), ("badmin", "hrestart", "n2"), ("lsadmin", "resshutdown", "n2")):
            done = users.run(ALICE, *words)
            expect_in("only root and the cluster's administrators may do this", done.stdout + done.stderr, f"{words} by a user")
        expect_in(f"{name_of(ALICE)} at 10.77.0.1 asked for", batch.daemon_log_text("res", "n2"), "the log of who was refused")
        job = users.bsub(ALICE, "echo hers; sleep 1000", "-o", "out", "-m", "n2")
        batch.wait_for(job, "RUN")
        wait_until(lambda: "hers" in users.run(ALICE, "bpeek", str(job)).stdout, "her own output")
        expect("hers" not in users.run(BOB, "bpeek", str(job)).stdout, "a stranger's bpeek")
        expect_in("hers", batch.good("bpeek", str(job)), "root's bpeek")
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("two users are who MUNGE says, whatever their environment; controls and others' output are refused")


def test_without_munge_only_the_owner_of_the_key_is_known(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        away = users.socket + ".away"
        os.rename(users.socket, away)
        done = users.run(ALICE, "lsrun", "-L", "-m", "n2", "id", "-u")
        expect(done.returncode != 0 and not done.stdout, f"without munged: {done}")
        expect_equal(len(done.stderr.strip().splitlines()), 1, f"one line: {done.stderr}")
        expect_equal(batch.good("lsrun", "-L", "-m", "n2", "id", "-u").strip(), "0", "root, by the key")
        os.rename(away, users.socket)
        expect_equal(users.run(ALICE, "lsrun", "-L", "-m", "n2", "id", "-u").stdout.strip(), str(ALICE), "with it again")
    bench.saw("refused with one line while munged is away; root's key goes on")


def test_one_user_cannot_have_all_of_res(bench):
    needs_users()
    users = Users(bench, "ROLLCALL_USER_TASKS=2\nROLLCALL_USER_CONNECTIONS=3")
    with users.batch as batch:
        place = users.places[ALICE]
        tasks = [users.begin(ALICE, "lsrun", "-L", "-m", "n2", "sh", "-c", f"echo >there.{n}; exec sleep 1000") for n in (1, 2)]
        wait_until(lambda: {"there.1", "there.2"} <= set(os.listdir(place)), lambda: f"two tasks: {batch.logs_text()}")
        third = users.run(ALICE, "lsrun", "-L", "-m", "n2", "true")
        expect_equal((third.returncode, third.stdout), (255, ""), f"a third one: {third.stderr}")
        expect_equal(len(third.stderr.strip().splitlines()), 1, third.stderr)
        expect_in("you have 2 tasks on n2 already, and each user may have 2 outside of jobs (ROLLCALL_USER_TASKS)", third.stderr, "why")
        expect_equal(users.run(BOB, "lsrun", "-L", "-m", "n2", "id", "-u").stdout.strip(), str(BOB), "another user's")
        expect_equal(batch.good("lsrun", "-L", "-m", "n2", "id", "-u").strip(), "0", "root's")
        tasks[0].terminate()
        tasks[0].wait()
        wait_until(lambda: users.run(ALICE, "lsrun", "-L", "-m", "n2", "id", "-u").stdout.strip() == str(ALICE), "room for one again")

        job = users.bsub(ALICE, "echo begun; sleep 1000", "-o", "out", "-m", "n2")
        batch.wait_for(job, "RUN")
        wait_until(lambda: os.path.exists(f"{place}/out") and "begun" in open(f"{place}/out", encoding="utf-8").read(), "its output")
        peeks = [users.begin(ALICE, "bpeek", "-f", str(job)) for _ in range(3)]
        for peek in peeks:
            wait_until(lambda p=peek: "begun" in p.stdout.readline(), "output that is followed")
        fourth = users.run(ALICE, "bpeek", str(job))
        expect_in("you have 3 connections with RES on n2 already, and each user may have 3 (ROLLCALL_USER_CONNECTIONS)",
                  fourth.stderr + fourth.stdout, "a fourth one")
        expect_equal(users.run(BOB, "lsrun", "-L", "-m", "n2", "id", "-u").stdout.strip(), str(BOB), "another user's")
        for peek in peeks:
            peek.terminate()
            peek.wait()
        wait_until(lambda: "begun" in users.run(ALICE, "bpeek", str(job)).stdout, "room again")
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
        tasks[1].terminate()
        tasks[1].wait()
    bench.saw("the third task and the fourth connection of one user are refused with a line; others and root are not")


def test_a_post_execution_that_hangs_is_ended_by_its_user(bench):
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        job = users.bsub(ALICE, "true", "-o", "out", "-Ep", f"echo $$ >{place}/post; exec sleep 1000")
        batch.wait_for(job, "DONE")
        wait_until(lambda: os.path.exists(f"{place}/post"), lambda: f"its post-execution: {batch.logs_text()}")
        stranger = users.run(BOB, "bkill", str(job))
        expect(stranger.returncode != 0, f"a stranger's bkill: {stranger}")
        done = users.run(ALICE, "bkill", str(job))
        expect_equal(done.returncode, 0, f"its user's bkill: {done.stderr}")
        hook = int(open(f"{place}/post", encoding="ascii").read())
        wait_until(lambda: not (p := processes.read_process(hook)) or not p.alive, "its end")
        wait_until(lambda: "Post job process failed" in batch.good("bhist", "-l", str(job)), lambda: batch.good("bhist", "-l", str(job)))
        expect_equal(batch.field(job), "DONE", "the job's own end")
        again = users.run(ALICE, "bkill", str(job))
        expect_in("Job has already finished", again.stderr, "when nothing is left")
    bench.saw("killed by its user, not by a stranger; the job stays DONE")


def test_blaunch_elsewhere_is_refused_at_once(bench):
    """RES of the other host is stopped: who asked it would wait for its answer and tell of that."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        batch.send_daemon("res", "n2", signal.SIGSTOP)
        job = users.bsub(ALICE, "blaunch n2 id; echo $?; blaunch -z 'n1 n2' 'touch started'; echo $?", "-m", "n1", "-o", "out", "-e", "err")
        batch.wait_for(job, "DONE", "EXIT")
        batch.send_daemon("res", "n2", signal.SIGCONT)
        codes = [l for l in open(f"{place}/out", encoding="utf-8").read().splitlines() if l.isdigit()]
        expect_equal(codes[:2], ["255", "255"], "exit codes")
        errors = open(f"{place}/err", encoding="utf-8").read().splitlines()
        expect_equal(errors, [f"blaunch: host n2 is not one of job {job}, which has n1"] * 2, "why")
        expect(not os.path.exists(f"{place}/started"), "nothing was started on the job's own host either")
    bench.saw("one line, exit 255, nothing started, no host asked")


if __name__ == "__main__":
    main(hosts=2, patience=10)
