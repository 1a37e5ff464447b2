"""A shell with job control on a terminal of our own, as a person has one.

The shell is bash without start-up files: a session leader whose terminal is the other end of a pseudo-terminal. What is
typed goes through the terminal's line discipline, so Ctrl-C and Ctrl-Z reach whoever is in the foreground.
"""

import os
import pty
import re
import select
import signal
import termios

from rollcall_testing import processes
from rollcall_testing.waiting import wait_until

CTRL_C, CTRL_D, CTRL_Z, CTRL_BACKSLASH = b"\x03", b"\x04", b"\x1a", b"\x1c"
PROMPT = b"<prompt>"


class Shell:
    """A context manager; everything that the shell started is ended with it."""

    def __init__(self, environment, directory):
        self.shown = b""
        values = dict(environment, PS1=PROMPT.decode(), PS2="", TERM="dumb", HISTFILE="")
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], values)
        self.wait_for(PROMPT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in processes.tree_below(self.pid):
            processes.send(process.pid, signal.SIGKILL)
        processes.send(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def type(self, keys):
        """Types; bytes as they are, a text as a line."""
        os.write(self.terminal, keys if isinstance(keys, bytes) else keys.encode() + b"\n")

    def _read(self):
        while select.select([self.terminal], [], [], 0)[0]:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return
            if not data:
                return
            self.shown += data

    def sees(self, text):
        self._read()
        return text in self.shown

    def wait_for(self, text, seconds=10):
        """Waits until `text` is shown; returns what came before it, and forgets both."""
        text = text if isinstance(text, bytes) else text.encode()
        wait_until(lambda: self.sees(text), lambda: f"{text!r} on the terminal; shown {self.shown!r}", seconds)
        before, _, self.shown = self.shown.partition(text)
        return before.decode(errors="replace").replace("\r\n", "\n")

    def run(self, line, seconds=20):
        """Runs a command in the foreground; its output and exit code."""
        self.type(line)
        output = self.wait_for(PROMPT, seconds)
        return output.split("\n", 1)[-1], self.exit_code()

    def exit_code(self):
        """$? of the last command, once the prompt has come."""
        self.type("echo code=$?=")
        self.wait_for("code=$?=\r\n")
        said = self.wait_for(PROMPT)
        return int(re.search(r"code=(\d+)=", said).group(1))

    def foreground(self):
        """The process group that the terminal belongs to."""
        return os.tcgetpgrp(self.terminal)

    def echo(self, on):
        attributes = termios.tcgetattr(self.terminal)
        attributes[3] = attributes[3] | termios.ECHO if on else attributes[3] & ~termios.ECHO
        termios.tcsetattr(self.terminal, termios.TCSANOW, attributes)
