#!/usr/bin/env python3
"""check_missing.py SOURCE_DIR: each bench says which CMake targets make what a build folder has not; and these targets exist."""

import os
import re
import subprocess
import sys
import tempfile

BENCHES = ("batch", "launch", "lim", "listing", "multicluster", "strangers")


def main():
    source = sys.argv[1]
    targets = set()
    for folder, _, names in os.walk(source):
        if os.path.relpath(folder, source).split(os.sep)[0] in ("build", ".git"):
            continue
        for name in names:
            if name == "CMakeLists.txt" or name.endswith(".cmake"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    targets.update(re.findall(r"(?:add_executable|rollcall_program)\(([\w.-]+)", file.read()))
    failed = 0
    with tempfile.TemporaryDirectory() as empty:
        for bench in BENCHES:
            done = subprocess.run([sys.executable, os.path.join(source, "bench", bench), "--build", empty],
                                  capture_output=True, text=True, timeout=30, check=False)
            found = re.search(r"^build them with: cmake --build \S+ --target (.+)$", done.stderr, re.MULTILINE)
            unknown = [] if not found else [target for target in found.group(1).split() if target not in targets]
            if done.returncode != 2 or not found or unknown:
                print(f"bench/{bench}: exit {done.returncode}, unknown targets {unknown}: {done.stderr}")
                failed += 1
    print(f"{len(BENCHES) - failed} of {len(BENCHES)} benches say what to build")
    return 1 if failed else 0


sys.exit(main())
