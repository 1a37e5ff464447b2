#!/usr/bin/python3
"""Plants each fault of planted_faults.txt in a copy of the tree and requires the simulation of several clusters to find it.

    planted_faults.py --check                every text to replace is in its file, once: for every build
    planted_faults.py --place DIR [WORDS]    builds the copy in DIR and plants the faults, or those whose description has WORDS

A fault is found when a simulation test fails and prints the line that replays the world, and that world fails again, or when something
that the test counts over all worlds does not happen any more. The copy and its build stay in DIR for the next time.
Exit: 0; 1 where a fault was not found or the tree fails without one.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TESTS = ("forward_sim_test", "forward_cycles_sim_test", "part_sim_test")
REPLAY = {"part_sim_test": ("part_sim_test", "PartSim.Replay")}  # of the others: forward_sim_test
LEAST = 10  # faults
LEFT_OUT = shutil.ignore_patterns("build", ".git", "__pycache__")


class Fault:
    def __init__(self, block):
        self.words, self.file = re.search(r"^fault: (.*)\nfile: (.*)$", block, re.M).groups()
        test = re.search(r"^test: (.*)$", block, re.M)
        self.tests = (test.group(1),) if test else TESTS[:2]
        self.found = re.search(r"^- (.*)$", block, re.M).group(1)
        self.instead = re.search(r"^\+ ?(.*)$", block, re.M).group(1)

    def text(self, root):
        with open(os.path.join(root, self.file), encoding="utf-8") as file:
            return file.read()

    def planted(self, root):
        text = self.text(root)
        if text.count(self.found) != 1:
            raise SystemExit(f"planted_faults.txt: {self.words}: found {self.found!r} {text.count(self.found)} times in {self.file}, "
                             "expected it once")
        return text.replace(self.found, self.instead)


def faults():
    with open(os.path.join(HERE, "planted_faults.txt"), encoding="utf-8") as file:
        blocks = re.split(r"\n\n+", file.read())
    return [Fault(block) for block in blocks if "fault: " in block and not block.startswith("#")]


def write(place, text):
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def refresh(source):
    """Copies what has changed since the last time; what is the same keeps its time, so that it is not built again."""
    for folder, names, files in os.walk(ROOT):
        left_out = LEFT_OUT(folder, names + files)
        names[:] = [name for name in names if name not in left_out]
        there = os.path.join(source, os.path.relpath(folder, ROOT))
        os.makedirs(there, exist_ok=True)
        for name in files:
            old, new = os.path.join(there, name), os.path.join(folder, name)
            if name in left_out or not os.path.isfile(new):
                continue
            if not os.path.exists(old) or open(old, "rb").read() != open(new, "rb").read():
                shutil.copy(new, old)


class Copy:
    def __init__(self, place):
        self.source, self.build = os.path.join(place, "source"), os.path.join(place, "build")
        os.makedirs(self.source, exist_ok=True)
        refresh(self.source)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                     "-DCMAKE_UNITY_BUILD=ON")

    @staticmethod
    def run(*words):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(words)}:\n{(done.stdout + done.stderr)[-6000:]}")

    def make(self):
        self.run("cmake", "--build", self.build, "--target", *TESTS)

    def test(self, name, *words, **more):
        environment = dict(os.environ, ROLLCALL_SIM_SHRINK="0", **more)
        return subprocess.run([os.path.join(self.build, "tests", name), *words], env=environment, capture_output=True, text=True,
                              timeout=3600, check=False)

    def finds(self, fault):
        """The test that found it and its world, or why it is not found."""
        for name in fault.tests:
            done = self.test(name)
            if done.returncode == 0:
                continue
            world = re.search(r'ROLLCALL_SIM_WORLD="(.*)"', done.stdout)
            count = re.search(r"Expected: \(seen_\.(\w+)\) > \((\d+)\), actual: (\d+)", done.stdout)
            if not world and count:  # something never happens any more: no world can show it
                return name, f"{count.group(1)}: found {count.group(3)}, expected more than {count.group(2)}"
            if not world:
                return None, f"{name} failed and printed no world:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            replays, case = REPLAY.get(name, (TESTS[0], "ForwardSim.Replay"))
            again = self.test(replays, f"--gtest_filter={case}", ROLLCALL_SIM_WORLD=world.group(1))
            if again.returncode == 0:
                return None, f"{name} failed in {world.group(1)}, and replaying that world did not"
            said = re.search(r"^(.*)\nreplay: ", done.stdout, re.M)
            return name, f"{said.group(1) if said else ''} ({world.group(1)})"
        return None, "all tests passed"

    def plant(self, fault):
        place = os.path.join(self.source, fault.file)
        sound = fault.text(self.source)
        try:
            write(place, fault.planted(self.source))
            self.make()
            return self.finds(fault)
        finally:
            write(place, sound)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--place")
    parser.add_argument("words", nargs="?", default="")
    asked = parser.parse_args()
    every = faults()
    for fault in every:
        fault.planted(ROOT)
    if len(every) < LEAST:
        raise SystemExit(f"planted_faults.txt: found {len(every)} faults, expected {LEAST} at least")
    if asked.check or not asked.place:
        return 0
    copy = Copy(os.path.abspath(asked.place))
    copy.make()
    for name in TESTS:
        done = copy.test(name, ROLLCALL_SIM_SEEDS="20", GTEST_FILTER="-*Replay:*Crash*")
        if re.search(r"^replay: ", done.stdout, re.M):
            raise SystemExit(f"{name} fails without a fault:\n{done.stdout[-3000:]}")
    missed = 0
    for fault in (one for one in every if asked.words in one.words):
        begun = time.monotonic()
        name, told = copy.plant(fault)
        missed += name is None
        print(f"{'found by ' + name if name else 'NOT FOUND'}: {fault.words}: {told}; {time.monotonic() - begun:.0f} s", flush=True)
    return 1 if missed else 0


sys.exit(main())
