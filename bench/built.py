"""Checks that a build folder has the programs of a bench; names the CMake targets of those that are missing."""

import os
import sys

# A cluster with its commands.
CLUSTER = ("bin/mbatchd", "bin/res", "bin/shepherd", "bin/lim", "bin/melim", "bin/bsub", "bin/btools", "bin/lstools", "bin/restools")


def need_built(build, *programs):
    """Ends the bench with exit code 2 and a line that says what to build, where one of the programs is not there."""
    missing = [program for program in programs if not os.access(os.path.join(build, program), os.X_OK)]
    if not missing:
        return
    targets = " ".join(os.path.basename(program) for program in missing)  # each target is called as its program
    script = os.path.basename(sys.argv[0])
    print(f"bench/{script}: {', '.join(missing)}: not in {build}\n"
          f"build them with: cmake --build {build} --target {targets}\n"
          "or name another build folder with --build", file=sys.stderr)
    sys.exit(2)
