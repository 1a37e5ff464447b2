"""One process of a job is killed with SIGKILL: within two seconds no task of the job is alive on any host.

Every task has a child and a grandchild that was forked twice into a session of its own; they count as much as the task.
When a TaskStarter is killed, only its own task must be gone at once; the others end as the launcher decides. pam
says which process was lost, and on which host. Bare Hydra leaves all 12 of these when a proxy is killed (harness.py).
"""

from rollcall_testing import launchers
from rollcall_testing.job import requires_pam
from rollcall_testing.kill_row import VICTIMS, kill_one
from rollcall_testing.runner import cases, main


@cases(*VICTIMS)
def test_tasks_that_are_no_mpi_programs(bench, what):
    kill_one(bench, launchers.by_name("", bench), what, [bench.target], "nest")


@cases(*VICTIMS)
def test_mpi_program(bench, what):
    launcher = launchers.by_name("", bench)
    kill_one(bench, launcher, what, [bench.mpi_target(launcher.mpi)], "nests")


main(hosts=4, requires=requires_pam)
