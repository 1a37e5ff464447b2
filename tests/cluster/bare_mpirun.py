"""mpirun without pam, as the command of a job: its own variables lead it to the job's hosts, over blaunch."""

import os

from rollcall_testing import launchers, processes
from rollcall_testing.batch_cluster import BatchCluster
from rollcall_testing.files import read
from rollcall_testing.job import requires_pam
from rollcall_testing.programs import notes_in
from rollcall_testing.runner import cases, expect, expect_equal, expect_in, main
from rollcall_testing.waiting import wait_until

ALL = ("n1", "n2", "n3", "n4")
EIGHT = ("-n", "8", "-R", "span[ptile=2]")
MPIS = ("openmpi", "hydra")


def finished(bench, batch, command, *options, **how):
    """The job's output, without the report; it is DONE."""
    notes = bench.fresh_directory()
    job = batch.bsub(f"{{ {command} ; }} >{notes}/out 2>{notes}/errors", *(options or EIGHT), **how)
    batch.wait_for(job, "DONE", "EXIT", seconds=60)
    text = read(f"{notes}/out")
    expect_equal(batch.field(job), "DONE", f"{command}\n{text}\n{read(f'{notes}/errors')}")
    return text


@cases(*MPIS)
def test_ranks_are_on_all_hosts_of_the_job(bench, name):
    launcher = launchers.by_name(name, bench)
    with BatchCluster(bench, ALL) as batch:
        notes = bench.fresh_directory()
        target = bench.mpi_target(launcher.mpi)
        text = finished(bench, batch, f"{launcher.program} {target} {notes} allreduce")
        expect_in("allreduce 36\n", text, "the sum")
        expect_equal(sorted(n.host for n in notes_in(notes)), sorted(ALL * 2), "two ranks on each host")
        hosts = sorted(finished(bench, batch, f"{launcher.program} -np 2 -host n2,n3 hostname").split())
        expect_equal(hosts, ["n2", "n3"], "hosts of an option")
        own = bench.fresh_directory() + "/hosts"
        with open(own, "w", encoding="ascii") as file:
            file.write("n3\nn4\n")
        option = "-hostfile" if name == "openmpi" else "-f"
        hosts = sorted(finished(bench, batch, f"{launcher.program} -np 2 {option} {own} hostname").split())
        expect_equal(set(hosts) - {"n3", "n4"}, set(), "hosts of the user's file")
        expect(not os.path.exists(bench.cluster.agent_log), "no remote shell was used: blaunch was")
    bench.saw("8 ranks on 4 hosts; -host and a file of the user's choose among them; no remote shell")


# Open MPI takes as many tasks as it finds slots. A host that its file names once, without them, has as many as processors.
@cases(*MPIS)
def test_a_host_with_one_slot_has_one_rank(bench, name):
    launcher = launchers.by_name(name, bench)
    with BatchCluster(bench, ALL[:2]) as batch:
        hosts = finished(bench, batch, f"{launcher.program} hostname", "-n", "2", "-R", "span[ptile=1]").split()
        expect_equal(sorted(hosts), ["n1", "n2"], "ranks")


@cases(*MPIS)
def test_bkill_ends_the_ranks_of_all_hosts(bench, name):
    launcher = launchers.by_name(name, bench)
    with BatchCluster(bench, ALL) as batch:
        notes = bench.fresh_directory()
        job = batch.bsub(f"{launcher.program} {bench.target} {notes} nest", *EIGHT, "-o", f"{notes}.out")
        ready = lambda: len([n for n in os.listdir(notes) if n.startswith("ready.")]) == 8
        wait_until(ready, lambda: f"8 ranks: {os.listdir(notes)}\n{batch.logs_text()}", 30)
        tasks = lambda: bench.cluster.processes(processes.is_task)
        expect_equal(len(tasks()), 24, "8 ranks with 2 descendants each")
        batch.good("bkill", str(job))
        batch.wait_for(job, "EXIT")
        wait_until(lambda: not tasks(), lambda: f"no task alive: {tasks()}", 10)
    bench.saw("24 processes on 4 hosts, none after bkill")


def test_a_private_home_goes_to_all_hosts(bench):
    """A script that makes a HOME for its job, round blaunch and round mpirun.lsf, whose TaskStarters look for pam's key there."""
    launcher = launchers.by_name("openmpi", bench)
    with BatchCluster(bench, ALL[:2]) as batch:
        home, notes = bench.fresh_directory(), bench.fresh_directory()
        both = ("-n", "2", "-R", "span[ptile=1]", "-a", "openmpi")
        seen = finished(bench, batch, f"export HOME={home}; blaunch 'echo $HOME'", *both)
        expect_equal(seen.split(), [home] * 2, "HOME of blaunch's tasks")
        command = f"export HOME={home}; unset ROLLCALL_KEY_FILE; mpirun.lsf {bench.mpi_target(launcher.mpi)} {notes} allreduce"
        text = finished(bench, batch, command, *both)
        expect_in("allreduce 3\n", text, "the sum")
        expect_equal(sorted(n.host for n in notes_in(notes)), ["n1", "n2"], "hosts")
        expect(os.path.exists(f"{home}/.rollcall/key"), "pam made its key there")
    bench.saw("HOME on both hosts; mpirun.lsf ran on both")


def without_ours(batch):
    """The environment of its commands, without what the tests of launchers set."""
    return {k: v for k, v in batch.environment().items() if not k.startswith(("OMPI_MCA", "PRTE_MCA", "HYDRA"))}


NAMES = "env | grep -E '^(OMPI_MCA|PRTE_MCA|HYDRA)' | sort; echo $LSB_DJOB_HOSTFILE"


def test_the_users_own_variables_stay_and_a_parameter_turns_ours_off(bench):
    with BatchCluster(bench, ALL[:2]) as batch:
        eight = ("-n", "4", "-R", "span[ptile=2]")
        clean = without_ours(batch)
        *seen, file = finished(bench, batch, NAMES, *eight, env=clean).splitlines()
        expect_equal([line.split("=")[0] for line in seen],
                     ["HYDRA_BOOTSTRAP", "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_agent",
                      "PRTE_MCA_plm_ssh_agent", "PRTE_MCA_prte_default_hostfile"], "variables")
        slots = file.replace(".hostfile", ".slots.hostfile")
        expect_equal([[line.split("=")[0] for line in seen if line.endswith("=" + one)] for one in (file, slots)],
                     [["HYDRA_HOST_FILE"], ["OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"]], f"host files in {seen}")
        own = dict(clean, HYDRA_LAUNCHER="ssh", OMPI_MCA_plm_rsh_agent="rsh", OMPI_MCA_orte_default_hostfile="/mine",
                   HYDRA_HOST_FILE="/mine")
        seen = finished(bench, batch, NAMES, *eight, env=own).splitlines()[:-1]
        expect_equal(seen, ["HYDRA_HOST_FILE=/mine", "HYDRA_LAUNCHER=ssh", "OMPI_MCA_orte_default_hostfile=/mine",
                            "OMPI_MCA_plm_rsh_agent=rsh"], "the user's own")
        expect_equal(len(finished(bench, batch, NAMES, "-n", "1", env=clean).splitlines()), 1, "in a job of one slot")
        inner = "bsub -n 1 -K -o /dev/null 'env | grep -E \"^(OMPI_MCA|PRTE_MCA|HYDRA)\" >{0}; true' >/dev/null; cat {0}"
        inner = inner.format(bench.fresh_directory() + "/inner")
        expect_equal(finished(bench, batch, inner, *eight, env=clean), "", "in a job of one slot that a job submitted")
    with BatchCluster(bench, ALL[:2], more_conf="ROLLCALL_MPI_VARIABLES=N") as batch:
        off = finished(bench, batch, NAMES, "-n", "4", env=without_ours(batch))
        expect_equal(len(off.splitlines()), 1, "turned off")
    bench.saw("six variables; own ones stay; none in a job of one slot, nor with ROLLCALL_MPI_VARIABLES=N")


main(hosts=4, requires=requires_pam)
