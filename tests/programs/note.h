// note.h: how a test's program says what it is, so that a test can hold pam's report against it.
//
// Not a library: the few lines that target.c and mpi_target.c share. Every program writes one file into the
// directory it was given, complete or not at all:
//
//   task.PID    host HOST / pid PID / ppid PPID / rank RANK / end END      one "word value" a line; rank is -1
//                                                                          where no launcher told one
//   left.PID    pid of a process that was left behind (double-forked, in a session of its own)
//
// END is what the program will end with: "exit N", "signal N", or "any" where that is up to others.
#pragma once

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char* note_directory = ".";

// A test's program has no caller to hand an error to: it says what failed and leaves with 99.
static inline void give_up(const char* what) {
  fprintf(stderr, "test program: cannot %s: %s\n", what, strerror(errno));
  _exit(99);
}

// Writes `text` to DIRECTORY/KIND.ID so that a reader sees all of it or nothing.
static inline void write_note(const char* kind, long id, const char* text) {
  char path[PATH_MAX], draft[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s/%s.%ld", note_directory, kind, id);
  snprintf(draft, sizeof draft, "%s.draft", path);
  FILE* file = fopen(draft, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0 || rename(draft, path) != 0) give_up(path);
}

// The rank that the launcher gave by environment, -1 where there is none.
static inline int rank_of_launcher(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* value = getenv(names[i]);
    if (value && *value) return atoi(value);
  }
  return -1;
}

static inline void say_who(int rank, const char* end) {
  char host[256] = "", text[512];
  gethostname(host, sizeof host - 1);
  snprintf(text, sizeof text, "host %s\npid %d\nppid %d\nrank %d\nend %s\n", host, getpid(), getppid(), rank,
           end);
  write_note("task", getpid(), text);
}

// Dies of `signo` whatever was set for it, without a core.
static inline void die_of(int signo) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(signo, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signo);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  kill(getpid(), signo);
  for (;;) pause();
}

// Leaves a process behind as a careless daemon does: forked twice, in a session of its own, holding nothing of ours.
static inline void leave_one_behind(void) {
  pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    setsid();
    pid_t grandchild = fork();
    if (grandchild != 0) _exit(grandchild < 0 ? 99 : 0);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    char text[64];
    snprintf(text, sizeof text, "%d\n", getpid());
    write_note("left", getpid(), text);
    for (;;) pause();
  }
  if (waitpid(child, NULL, 0) < 0) give_up("wait for the child in between");
}

static inline void sleep_for_ever(void) {
  for (;;) pause();
}

// `bytes` bytes in lines of 64: "RRRRR LLLLLLLL abc...\n", so that a reader can tell whose each line is and that
// none is torn. `bytes` is rounded down to whole lines.
static inline void print_much(int number, long bytes) {
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  for (long line = 0; line < bytes / 64; ++line) {
    printf("%05d %08ld abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV\n", number, line);
  }
  if (fflush(stdout) != 0) give_up("write the output");
}
