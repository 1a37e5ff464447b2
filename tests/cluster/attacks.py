"""Two ordinary users against daemons of root: what docs/security.md promises, tried from outside.

Here are the attacks that need no more than the commands, a recorded connection, or files. Others have tests of their own, which
docs/security.md names.
"""

import ctypes
import os
import shutil
import socket
import stat
import threading

from users import ALICE, BOB, Users, group_of, name_of
from rollcall_testing import processes
from rollcall_testing.batch_cluster import MBD_PORT
from rollcall_testing.munge import needs_users
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

CONTROLS = {"C0": "\x1b[2Jowned", "DEL": "a\x7fb", "carriage return": "a\rb", "C1 as UTF-8": "a\u009b2Jb"}


def as_user(user, *words):
    """The words before which become this user, with nothing of root left."""
    return ["setpriv", f"--reuid={user}", f"--regid={group_of(user)}", "--init-groups", "--", *words]


def outsiders_control(text):
    """The first control character of `text` that no table or log may have."""
    found = [c for c in text if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
    return repr(found[0]) if found else ""


def read(path):
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def test_another_users_job_cannot_be_touched_or_read(bench):
    """AnotherUsersJob: kill, stop, modify, move, requeue, peek, its script and its spool."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        place = users.places[ALICE]
        with open(f"{place}/script", "w", encoding="ascii") as file:
            # Its first 4094 bytes are the command line that bjobs shows to everybody.
            file.write("#!/bin/sh\n" + "# filler\n" * 600 + "# my-secret-word\necho hers\nexec sleep 1000\n")
        done = users.run(ALICE, "sh", "-c", "bsub -o out -m n1 <script")
        job = int(done.stdout.split("<")[1].split(">")[0])
        batch.wait_for(job, "RUN")
        for words in (["bkill"], ["bkill", "-r"], ["bkill", "-s", "9"], ["bstop"], ["bresume"], ["brequeue"], ["btop"], ["bbot"],
                      ["bswitch", "priority"], ["bmod", "-J", "mine"], ["brun", "-m", "n2"], ["bjobs", "-script"], ["bjobs", "-env"],
                      ["bpeek"]):
            done = users.run(BOB, *words, str(job))
            said = done.stdout + done.stderr
            expect(done.returncode != 0 and "hers" not in said and "my-secret-word" not in said, f"{words} of a stranger: {done}")
        expect_equal(batch.field(job), "RUN", "the job after all that")
        # What the disks have of the job: the spool of RES, the store, its output.
        hidden = batch.user(*as_user(BOB, "grep", "-rls", "my-secret-word", batch.spool, batch.work, place, batch.logs))
        expect_equal(hidden.stdout, "", "files with the script that a stranger may read")
        written = batch.user(*as_user(BOB, "find", batch.spool, batch.work, batch.conf, batch.etc, "-writable", "!", "-type", "l"))
        expect_equal(written.stdout, "", "files of the daemons that a stranger may write")
        pids = [p.pid for p in processes.all_processes() if p.words[:2] == ("sleep", "1000")]
        expect(pids, "the job's process")
        killed = batch.user(*as_user(BOB, "kill", "-9", *map(str, pids)))
        expect(killed.returncode != 0, "kill(1) by a stranger")
        users.run(ALICE, "bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("14 commands of a stranger changed and told nothing; spool, store and script are closed")


class Tape:
    """A relay before mbatchd that keeps what its clients send."""

    def __init__(self, bench):
        self.recorded, self.links = [], []
        self.network = f"/proc/{bench.cluster.head.keeper.pid}/ns/net"
        self.port = 0
        self.ready = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        self.ready.wait(10)

    def _enter(self):
        handle = os.open(self.network, os.O_RDONLY)
        ctypes.CDLL(None).setns(handle, 0x40000000)  # of this thread alone
        os.close(handle)

    def _listen(self):
        self._enter()
        with socket.create_server(("", 0)) as server:
            self.port = server.getsockname()[1]
            self.ready.set()
            while True:
                client, _ = server.accept()
                there = socket.create_connection(("10.77.0.1", MBD_PORT))
                tape = bytearray()
                self.recorded.append(tape)
                for source, to, kept in ((client, there, tape), (there, client, None)):
                    threading.Thread(target=self._pass, args=(source, to, kept), daemon=True).start()

    @staticmethod
    def _pass(source, to, kept):
        try:
            while data := source.recv(65536):
                if kept is not None:
                    kept += data
                to.sendall(data)
        except OSError:
            pass
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def play(self, tape):
        """Sends the tape to mbatchd once more, whole; what it answers."""
        answers = []

        def run():
            self._enter()
            with socket.create_connection(("10.77.0.1", MBD_PORT), timeout=10) as link:
                try:
                    link.sendall(tape)
                    while data := link.recv(65536):
                        answers.append(data)
                except OSError:
                    pass

        player = threading.Thread(target=run)
        player.start()
        player.join(30)
        return b"".join(answers)


def test_a_recorded_request_submits_and_kills_nothing(bench):
    """Replay: what a client sent through a listener on the way is sent again, byte for byte."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        tape = Tape(bench)
        conf = bench.fresh_directory("through_the_tape")
        shutil.copytree(batch.conf, conf, dirs_exist_ok=True)
        os.remove(os.path.join(conf, "cluster.key"))
        os.chmod(conf, 0o755)
        lines = read(f"{batch.conf}/lsf.conf")
        with open(os.path.join(conf, "lsf.conf"), "w", encoding="ascii") as file:
            file.write(lines.replace(f"LSB_MBD_PORT={MBD_PORT}\n", f"LSB_MBD_PORT={tape.port}\n"))
        first = users.run(ALICE, "env", f"LSF_ENVDIR={conf}", "bsub", "-H", "-o", "/dev/null", "true")
        expect_equal(first.returncode, 0, f"bsub through the tape: {first.stderr}")
        expect(tape.recorded and max(map(len, tape.recorded)) > 100, "something was recorded")
        before = batch.good("bjobs", "-u", "all", "-noheader", "-o", "jobid stat")
        for recorded in list(tape.recorded):
            tape.play(bytes(recorded))
        expect_equal(batch.good("bjobs", "-u", "all", "-noheader", "-o", "jobid stat"), before, "jobs after the replay of bsub")
        job = users.bsub(ALICE, "sleep 1000", "-o", "/dev/null")
        batch.wait_for(job, "RUN")
        tape.recorded.clear()
        expect_equal(users.run(ALICE, "env", f"LSF_ENVDIR={conf}", "bstop", str(job)).returncode, 0, "bstop through the tape")
        batch.wait_for(job, "USUSP")
        users.run(ALICE, "bresume", str(job))
        batch.wait_for(job, "RUN")
        for recorded in list(tape.recorded):
            tape.play(bytes(recorded))
        expect_equal(batch.field(job), "RUN", "the job after the replay of bstop")
        batch.good("bkill", "0", "-u", "all")
        batch.wait_for(job, "EXIT")
    bench.saw("a recorded bsub and a recorded bstop, played again, changed nothing")


def test_no_environment_makes_a_user_another(bench):
    """ForgedEnvironment: claims in variables, and variables of a job at root's programs."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        claims = [f"USER={name_of(ALICE)}", f"LOGNAME={name_of(ALICE)}", "LSB_JOB_EXECUSER=root", "LSB_EFFECTIVE_RSRCREQ=x", "LSFUSER=root",
                  "LSB_SUB_USER=root", "LSF_SUB_USER=root", "LSB_UNIXGROUP=root", "LSB_EXECUSER=root", "SUDO_USER=root", "UID=0", "EUID=0",
                  f"HOME={users.places[BOB]}"]
        job = users.bsub(ALICE, "sleep 1000", "-o", "/dev/null")
        batch.wait_for(job, "RUN")
        for words in (["bkill", str(job)], ["badmin", "qclose", "normal"], ["badmin", "hclose", "n1"], ["lsadmin", "limshutdown", "n1"]):
            done = users.run(BOB, "env", *claims, *words)
            expect("denied" in done.stdout + done.stderr or done.returncode != 0, f"{words} with claims: {done}")
        expect_equal(batch.field(job), "RUN", "her job")
        forged = users.run(BOB, "env", *claims, "bsub", "-o", "whose", "id -u")
        number = int(forged.stdout.split("<")[1].split(">")[0])
        batch.wait_for(number, "DONE")
        expect_equal(batch.field(number, "user"), name_of(BOB), "whose the job is")
        expect(read(f"{users.places[BOB]}/whose").startswith(f"{BOB}\n"), "who ran")

        # Variables of a job reach the job alone.
        marked = users.run(BOB, "env", "ATTACK_MARK=here", "LD_PRELOAD=/nonexistent/evil.so", "BASH_ENV=/nonexistent/evil", "bsub", "-o",
                           "/dev/null", "exec sleep 1001")
        number = int(marked.stdout.split("<")[1].split(">")[0])
        batch.wait_for(number, "RUN")
        wait_until(lambda: [p for p in processes.all_processes() if p.words[:2] == ("sleep", "1001")], "the marked job")
        reached = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                root = os.stat(f"/proc/{pid}").st_uid == 0
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if root and b"ATTACK_MARK=here" in file.read():
                        reached.append(pid)
            except OSError:
                continue
        expect_equal(reached, [], "processes of root with a variable of the job")
        for each in (job, number):
            batch.good("bkill", str(each))
            batch.wait_for(each, "EXIT")
    bench.saw("thirteen claims made nobody anybody else; a job's variables reached no process of root")


def test_keys_and_tickets_are_closed_to_others(bench):
    """KeyModes: the cluster's key, tickets of commands, and keys that pam makes."""
    needs_users()
    users = Users(bench, more_conf="ROLLCALL_TICKET_LIFE=300")
    with users.batch as batch:
        key = os.path.join(batch.conf, "cluster.key")
        expect_equal(stat.S_IMODE(os.stat(key).st_mode) & 0o077, 0, "the cluster's key")
        expect(batch.user(*as_user(BOB, "cat", key)).returncode != 0, "a user reads the cluster's key")
        for _ in range(2):
            done = users.run(ALICE, "bjobs", "-a")
            expect("denied" not in done.stderr and "cannot" not in done.stderr, f"bjobs of hers: {done}")
        secrets = []
        for directory, _, files in os.walk(os.path.join(users.places[ALICE], ".rollcall")):
            secrets += [os.path.join(directory, name) for name in files]
        expect(secrets, "a ticket of hers")
        os.chmod(users.places[ALICE], 0o755)  # a home that others may enter
        for path in secrets:
            facts = os.stat(path)
            expect_equal((stat.S_IMODE(facts.st_mode) & 0o077, facts.st_uid), (0, ALICE), path)
            expect(batch.user(*as_user(BOB, "cat", path)).returncode != 0, f"another reads {path}")
        # A copied ticket is rejected where its file belongs to another user.
        stolen = os.path.join(users.places[BOB], ".rollcall")
        os.makedirs(stolen, exist_ok=True)
        os.chown(stolen, BOB, group_of(BOB))
        os.chmod(stolen, 0o700)
        job = users.bsub(ALICE, "sleep 1000", "-o", "/dev/null")
        for path in secrets:
            shutil.copy(path, stolen)  # still root's: not Bob's own
        expect(users.run(BOB, "bkill", str(job)).returncode != 0, "bkill with a copied file that is not his")
        batch.good("bkill", str(job))
        batch.wait_for(job, "EXIT")
    bench.saw("key and tickets are their owners' alone")


def test_control_characters_reach_no_other_terminal(bench):
    """Terminals: refused in every option, and shown by no command, log or event file of another."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        for kind, text in CONTROLS.items():
            for option in ("-J", "-P", "-G", "-g", "-Jd", "-sp", "-app", "-o", "-e", "-cwd", "-q", "-m", "-w", "-L", "-E", "-u"):
                done = users.run(BOB, "bsub", "-H", option, text, "true")
                expect(done.returncode != 0, f"bsub {option} with {kind}: {done.stdout}")
                expect_equal(outsiders_control(done.stderr.replace("\r\n", "\n")), "", f"what bsub {option} says of {kind}")
            done = users.run(BOB, "bsub", "-H", f"echo {text}")
            expect(done.returncode != 0, f"a command with {kind}: {done.stdout}")
        job = users.bsub(BOB, "printf 'a\n\tb'", "-H", "-o", "/dev/null")  # which a command line may have
        for kind, text in CONTROLS.items():
            for words in (["bmod", "-J", text], ["bmod", "-Jd", text], ["bkill", "-C", text], ["bmod", "-Z", f"echo {text}"]):
                done = users.run(BOB, *words, str(job))
                expect(done.returncode != 0, f"{words} with {kind}: {done.stdout}")
        expect_equal(batch.field(job), "PSUSP", "the job")
        for words in (["bjobs", "-u", "all"], ["bjobs", "-l", str(job)], ["bjobs", "-UF", str(job)], ["bhist", "-l", str(job)],
                      ["bjobs", "-u", "all", "-o", "jobid command job_name", "-json"]):
            done = users.run(ALICE, *words)
            expect(done.returncode == 0 and str(job) in done.stdout, f"{words} shows job {job}: {done}")
            expect_equal(outsiders_control(done.stdout), "", f"control characters in {words}")
        checked = set()
        for directory in (batch.logs, batch.work):
            for folder, _, files in os.walk(directory):
                for path in (os.path.join(folder, name) for name in files):
                    if not read(path).startswith("SQLite format") and not path.endswith(("-wal", "-shm")):
                        expect_equal(outsiders_control(read(path)), "", path)
                        checked.add(os.path.basename(path))
        expect("lsb.events" in checked and any("mbatchd" in name for name in checked), f"events and log among the files: {checked}")
        batch.good("bkill", str(job))
    bench.saw(f"{len(CONTROLS)} kinds of control characters are refused in 21 places and shown in none")


def test_absurd_numbers_and_shells_are_refused_or_end(bench):
    """Numbers: what no host can have is refused; MissingShell: a job without its shell ends, and is not tried for ever."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        for words in (["-R", "rusage[mem=1e308]"], ["-R", "rusage[mem=inf]"], ["-R", "rusage[mem=nan]"], ["-R", "rusage[mem=-1]"],
                      ["-M", "1e308"], ["-M", "-1"], ["-M", "inf"], ["-M", "9999EB"], ["-W", "inf"], ["-W", "99999999999"], ["-W", "-1"],
                      ["-n", "99999999999999999999"], ["-n", "-1"], ["-n", "0"], ["-w", "done(99999999999999999999)"],
                      ["-J", "a[1-99999999999999999999]"], ["-c", "nan"]):
            done = users.run(BOB, "bsub", "-H", *words, "true")
            expect(done.returncode != 0 and done.stderr.strip(), f"bsub {words}: {done}")
        for shell in ("/no/such/shell", "/etc/passwd", "/"):
            job = users.bsub(BOB, "true", "-L", shell, "-o", "out")
            batch.wait_for(job, "EXIT")
            expect(batch.field(job, "exit_code") in ("126", "127"), f"exit code with {shell}: {batch.field(job, 'exit_code')}")
        script = users.run(BOB, "sh", "-c", "printf '#!/no/such/interpreter\\ntrue\\n' | bsub -o out")
        job = int(script.stdout.split("<")[1].split(">")[0])
        batch.wait_for(job, "EXIT")
    bench.saw("17 numbers refused; jobs of three shells and an interpreter that are none have ended")


def test_links_pipes_and_transfers_open_no_foreign_file_and_delay_no_job(bench):
    """Paths: -o, -e, -i, -outdir and -f that lead to files of others, to pipes that nobody opens, and to descriptors."""
    needs_users()
    users = Users(bench)
    with users.batch as batch:
        his, hers, roots = users.places[BOB], f"{users.places[ALICE]}/secret", f"{bench.scratch}/roots"
        for path, owner in ((hers, ALICE), (roots, 0)):
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.write("my-secret-word\n")
            os.chown(path, owner, -1)
        os.chmod(users.places[ALICE], 0o755)
        os.symlink(hers, f"{his}/to_hers")
        os.symlink(roots, f"{his}/to_roots")
        os.mkfifo(f"{his}/pipe", 0o666)
        os.chown(f"{his}/pipe", BOB, -1)
        jobs = [users.bsub(BOB, "cat; echo his", option, path)
                for option in ("-o", "-e", "-i") for path in (f"{his}/to_hers", f"{his}/to_roots", "/proc/self/fd/3")]
        jobs += [users.bsub(BOB, "true", "-o", f"{his}/out.%J", *words)
                 for words in (["-outdir", f"{users.places[ALICE]}/made"], ["-f", f"{his}/got_hers < {hers}"],
                               ["-f", f"{his}/got_roots < {roots}"], ["-f", f"{hers} < /etc/passwd"])]
        for job in jobs:
            batch.wait_for(job, "DONE", "EXIT")
        held = [users.bsub(BOB, "cat", option, f"{his}/pipe") for option in ("-i", "-e")]
        done = users.run(ALICE, "bsub", "-K", "-o", "/dev/null", "true")
        expect_equal(done.returncode, 0, f"the job of another beside them: {done}")
        for job in held:
            users.run(BOB, "bkill", str(job))
            batch.wait_for(job, "DONE", "EXIT")
        for path in (hers, roots):
            expect_equal(read(path), "my-secret-word\n", path)
        found = batch.user("grep", "-rls", "my-secret-word", his)
        expect_equal(found.stdout, "", "what he has of it")
        expect(not os.path.exists(f"{users.places[ALICE]}/made"), "a directory of his in hers")
    bench.saw(f"{len(jobs) + len(held)} paths of jobs led to nothing of others; who waits at a pipe can be killed, and others go on")


def test_root_makes_no_key_in_a_users_home(bench):
    """RootsKey: root runs pam with a user's HOME, where the user has put a link."""
    if os.geteuid() != 0:
        raise Skip("only root can be led astray")
    home, aim = bench.fresh_directory("victim"), bench.fresh_directory("aim")
    os.chown(home, BOB, group_of(BOB))
    for prepared in (lambda: None, lambda: os.symlink(aim, f"{home}/.rollcall")):
        prepared()
        done = bench.cluster.head.run([os.path.join(bench.bin, "pam"), "-n", "1", "-g", "1", "env", "true"],
                                      env=dict(bench.cluster.environment, HOME=home))
        expect(done.returncode != 0, f"pam of root with a user's HOME: {done}")
        expect_in("directories of root alone", done.stderr, "why")
        expect_equal(os.listdir(aim), [], "what is behind the link")
        expect(not os.path.exists(f"{home}/.rollcall/key"), "a key of root's in a user's home")
    bench.saw("no key, no directory and nothing behind the link")


main(hosts=2, patience=10)
