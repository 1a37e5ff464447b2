"""Elims as sites write them, run as the administrator by a LIM of root's: they call LSF's commands by name, write logs where
LSF's convention has them, and find their home. Files with the usual mistakes are reported."""

import json
import os
import pwd
import shutil

from rollcall_testing import shelter
from rollcall_testing.load_cluster import PORT, LoadCluster
from rollcall_testing.runner import Skip, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = os.path.join(HERE, "..", "fakes", "elims", "site")
ACCOUNT = "news"  # of every Debian; owns nothing

# What it finds goes to its log, by the convention of LSF's own elims.
ASKING = """#!/bin/sh
{
    for name in HOME USER LOGNAME LSF_BINDIR LSF_SERVERDIR LSF_ENVDIR LSF_LOGDIR PATH; do eval "echo $name=\\$$name"; done
    echo "directory $(pwd)"
    echo "lsid $(command -v lsid)"
    echo "master $(lsid | sed -n 's/My master name is //p')"
} >>"$LSF_LOGDIR/elim.asking.log.$(hostname)" || exit 1
while :; do echo "1 scratch 7"; sleep 1; done
"""


class AccountCluster(LoadCluster):
    def __init__(self, bench):
        if os.geteuid() != 0 or not shelter.users_are_the_machines():
            raise Skip("only root can run elims as another user")
        os.chmod(bench.scratch, 0o755)
        super().__init__(bench, ("n1",), administrators=ACCOUNT)
        self.write_elim("elim.scratch", ASKING)
        self.user = pwd.getpwnam(ACCOUNT)
        self.private = f"/tmp/rollcall-elims-{self.user.pw_uid}-{PORT}"
        os.remove(os.path.join(self.conf, "cluster.key"))
        made = self.command("n1", "lsf_daemons", "init")  # with the public half, which users read
        expect_equal(made.returncode, 0, made.stderr)

    def __exit__(self, *error):
        super().__exit__(*error)
        shutil.rmtree(self.private, ignore_errors=True)

    def log_directory(self, path):
        """Instead of the harness's, which has LIM's own log; None: lsf.conf names none."""
        with open(os.path.join(self.conf, "lsf.conf"), encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if not line.startswith("LSF_LOGDIR=")]
        self.write("lsf.conf", "\n".join(lines + ([f"LSF_LOGDIR={path}"] if path else [])) + "\n")

    def value(self, index):
        return self.loads("n1").get("n1", {}).get("LOAD", {}).get(index)

    def told_by_elim(self, directory):
        """What ASKING has written there; it is told by nobody else than the account."""
        path = os.path.join(directory, "elim.asking.log.n1")
        self.start("n1")
        self.wait_for_master("n1")
        wait_until(lambda: self.value("scratch") == 7, lambda: f"the elim's value: {self.log_text('n1')}", 30)
        expect_equal(os.stat(path).st_uid, self.user.pw_uid, f"owner of {path}")
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()

    def elim_state(self, name):
        elims = self.loads("n1").get("n1", {}).get("ELIMS", [])
        return next((e for e in elims if e["NAME"] == name), {})


def expect_owner(cluster, path, user):
    expect_equal(os.stat(path).st_uid, user, f"owner of {path}")


def test_elim_finds_commands_home_and_a_log(bench):
    with AccountCluster(bench) as cluster:
        place = os.path.join(cluster.logs, "elims.n1")
        lines = cluster.told_by_elim(place)
        for line in (f"HOME={cluster.user.pw_dir}", f"USER={ACCOUNT}", f"LOGNAME={ACCOUNT}", f"LSF_BINDIR={bench.bin}",
                     f"LSF_SERVERDIR={cluster.etc}", f"LSF_ENVDIR={cluster.conf}", f"LSF_LOGDIR={place}",
                     f"directory {cluster.etc}", f"lsid {bench.bin}/lsid", "master n1"):
            expect_in(line, lines, "what the elim found")
        expect(any(line.startswith(f"PATH={bench.bin}:{cluster.etc}:") for line in lines), f"PATH: {lines}")
        expect_owner(cluster, cluster.logs, 0)
        expect_owner(cluster, os.path.join(cluster.logs, "melim.log.n1"), cluster.user.pw_uid)
    bench.saw("lsid by name, HOME, USER, LOGNAME, a log below root's LSF_LOGDIR")


def test_missing_log_directory_is_made_for_the_account(bench):
    with AccountCluster(bench) as cluster:
        place = os.path.join(cluster.top, "logs-of-elims")
        cluster.log_directory(place)
        expect_in(f"LSF_LOGDIR={place}", cluster.told_by_elim(place), "LSF_LOGDIR")
        for path in (place, os.path.join(place, "melim.log.n1")):
            expect_owner(cluster, path, cluster.user.pw_uid)


def test_log_directory_of_the_account_is_used_as_it_is(bench):
    with AccountCluster(bench) as cluster:
        os.chown(cluster.logs, cluster.user.pw_uid, 0)
        expect_in(f"LSF_LOGDIR={cluster.logs}", cluster.told_by_elim(cluster.logs), "LSF_LOGDIR")
        expect("elims.n1" not in os.listdir(cluster.logs), "a directory that nobody needs")


def test_without_a_usable_log_directory_there_is_a_private_one(bench):
    with AccountCluster(bench) as cluster:
        cluster.log_directory(None)
        expect_in(f"LSF_LOGDIR={cluster.private}", cluster.told_by_elim(cluster.private), "LSF_LOGDIR")
        expect_owner(cluster, os.path.join(cluster.private, "melim.log.n1"), cluster.user.pw_uid)
        cluster.stop_all()
        wait_until(lambda: not os.path.exists(cluster.private), lambda: f"it to be removed: {os.listdir(cluster.private)}", 20)


def test_log_directory_of_a_third_user_is_left_alone(bench):
    with AccountCluster(bench) as cluster:
        place = os.path.join(cluster.top, "logs-of-elims")
        os.mkdir(place)
        os.chown(place, pwd.getpwnam("games").pw_uid, 0)
        cluster.log_directory(place)
        expect_in(f"LSF_LOGDIR={cluster.private}", cluster.told_by_elim(cluster.private), "LSF_LOGDIR")
        expect_equal(os.listdir(place), [], "what root makes in another's directory")
        expect_in("logs of elims: ", cluster.log_text("n1"), "LIM's log")


def test_private_log_directory_of_another_user_is_not_used(bench):
    with AccountCluster(bench) as cluster:
        cluster.log_directory(None)
        os.mkdir(cluster.private, 0o777)
        os.chmod(cluster.private, 0o777)
        cluster.start("n1")
        cluster.wait_for_master("n1")
        wait_until(lambda: cluster.elim_state("elim.scratch").get("LAST_ERROR"), "the elim to end without a log", 30)
        expect_equal(os.listdir(cluster.private), [], "what is written into another's directory")


# index: (type, what it is, its elim)
SITE_ELIMS = {
    "ngpus_physical": ("Numeric", 2, "elim.gpu"), "gpu_ut0": ("Numeric", 37, "elim.gpu"), "gpu_driver": ("String", "550.54.14", "elim.gpu"),
    "gpu_mode0": ("String", "Default", "elim.gpu"), "gtotalin": ("Numeric", 12.5, "elim.gpfs"), "scratch_mb": ("Numeric", None, "elim.scratchfs"),
    "lic_fluent": ("Numeric", 7, "elim.licence"), "lic_abaqus": ("Numeric", 0, "elim.licence"), "healthy": ("String", "ok", "elim.health"),
    "masters": ("Numeric", 1, "elim.lsf"),
}


def test_elims_as_sites_write_them(bench):
    with AccountCluster(bench) as cluster:
        for name in os.listdir(SITE):
            shutil.copy(os.path.join(SITE, name), os.path.join(cluster.etc, name))
        for index, (kind, _, _) in SITE_ELIMS.items():
            cluster.resources.append(f"{index} {kind} 15 {'N' if kind == 'Numeric' else '()'} (what a site's elim says)")
            cluster.map.append(f"{index} [default]")
        cluster.write_files()
        cluster.start("n1")
        cluster.wait_for_master("n1")
        wait_until(lambda: all(cluster.value(index) is not None for index in SITE_ELIMS),
                   lambda: f"all values: { {i: cluster.value(i) for i in SITE_ELIMS} }, {cluster.loads('n1')}", 60)
        for index, (_, expected, _) in SITE_ELIMS.items():
            if expected is not None:
                expect_equal(cluster.value(index), expected, index)
        expect_equal(sorted(n for n in os.listdir(os.path.join(cluster.logs, "elims.n1")) if "licence" in n), ["elim.licence.log.n1"], "its log")
        gpus = cluster.command("n1", "lshosts", "-gpu")
        expect_equal(gpus.stdout, "HOST_NAME   gpu_id       gpu_model   gpu_driver   gpu_factor      numa_id\n"
                     "n1               0               -    550.54.14            -            -\n"
                     "                 1               -    550.54.14            -            -\n", gpus.stderr)
    bench.saw(f"{len({e for _, _, e in SITE_ELIMS.values()})} elims in sh, bash, Perl and Python with fakes of the programs that they call")


def melim_log(cluster):
    with open(os.path.join(cluster.logs, "melim.log.n1"), encoding="utf-8") as file:
        return file.read()


def test_usual_mistakes_are_reported(bench):
    with AccountCluster(bench) as cluster:
        cluster.resources += ["fixed Numeric () N (no interval)", "dos Numeric 5 N (an elim from another system)"]
        cluster.map.append("dos [default]")
        cluster.write_elim("elim.scratch", "#!/bin/sh\nwhile :; do echo '2 scratch 7 fixed 3'; sleep 1; done\n")
        cluster.write_elim("elim.scratch~", "#!/bin/sh\nwhile :; do echo '1 scratch 8'; sleep 0.1; done\n")
        cluster.write_elim("elim.dos", "#!/bin/sh\r\necho '1 dos 1'\r\n")
        cluster.write_files()
        cluster.start("n1")
        cluster.wait_for_master("n1")
        wait_until(lambda: cluster.value("scratch") == 7, lambda: melim_log(cluster), 30)
        wait_until(lambda: "carriage return" in cluster.elim_state("elim.dos").get("LAST_ERROR", ""),
                   lambda: f"the DOS file to be told: {cluster.loads('n1')}", 30)
        text = melim_log(cluster)
        for part in ('found index "fixed", which has no INTERVAL in lsf.shared', "elim.scratch~: found an editor's copy",
                     "elim.dos: its first line ends with a carriage return"):
            expect_in(part, text, "melim.log")
        expect(not cluster.elim_state("elim.scratch~"), "an editor's copy is no elim")
    bench.saw("an index without INTERVAL, an editor's copy, CR LF after #!")


main(hosts=1)
