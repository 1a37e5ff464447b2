"""How a test types Open MPI's and Hydra's launchers on its hosts, and how their processes are called."""

import shutil
from dataclasses import dataclass

from rollcall_testing import processes
from rollcall_testing.runner import Skip


@dataclass(frozen=True)
class Launcher:
    name: str
    mpi: str  # the suffix of mpi_target
    wrapper: str  # for Method 2
    pjl_type: str  # for mpirun.lsf
    front: str  # the name of its own process on the first host
    proxy: str  # and of the one on each host
    program: str
    host_option: str
    package: str

    def words(self, count, hosts=("n1", "n2", "n3", "n4")):
        """`count` tasks, spread evenly. Slots are counted up so that they always suffice."""
        if self.name == "slurm":
            return [self.program, "--kill-on-bad-exit=1", self.host_option, ",".join(hosts), "-n", str(count)]
        each = -(-count // len(hosts))
        listed = ",".join(f"{h}:{each}" for h in hosts)
        return [self.program, self.host_option, listed, "-np", str(count)]

    def local_words(self, count):
        """On one host, without a remote shell."""
        if self.name == "openmpi":
            return [self.program, "--oversubscribe", "-np", str(count)]
        return [self.program, "-np", str(count)]

    def is_front(self, process):
        return processes.named(self.front)(process)

    def is_proxy(self, process):
        return processes.named(self.proxy)(process)


OPEN_MPI = Launcher(
    "openmpi", "openmpi", "openmpi_wrapper", "openmpi", "mpirun.openmpi", "orted", "mpirun.openmpi", "--host", "openmpi-bin"
)
SRUN = Launcher("slurm", "", "srun_wrapper", "slurm", "srun", "slurmstepd", "srun", "-w", "slurm-client")
HYDRA = Launcher(
    "hydra", "mpich", "mpich_wrapper", "mpich2", "mpiexec.hydra", "hydra_pmi_proxy", "mpiexec.hydra", "-hosts", "mpich"
)


def by_name(name, bench=None):
    """The launcher of that name; `bench` gives the one that its command line chose where the name is empty."""
    name = name or (bench.launcher if bench else "")
    found = {"openmpi": OPEN_MPI, "hydra": HYDRA}
    if name not in found:
        raise AssertionError(f"--launcher must be one of {sorted(found)}, not {name!r}")
    launcher = found[name]
    if not shutil.which(launcher.program):
        raise Skip(f"{launcher.program} is not installed (Debian package {launcher.package})")
    return launcher
