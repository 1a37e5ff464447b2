// taskstarter_probe: what the tests of TaskStarter start as the task. It says on stdout what it is and what it gets.
//
//   context        what it was given: descriptors, signals, limits, directory, words, environment; ends with 0
//   exit N         ends with N
//   die N          dies of signal N
//   signals        "ready PID", then "got N" for each signal it gets; stays
//   nest           a child and a double-forked grandchild of its own session, "ready PID CHILD GRANDCHILD", stays
//   leave MODE     leaves such a grandchild behind, "left PID", ends with 3; MODE: "short" (it ends at once), "long",
//                  "stubborn" (it ignores TERM)
//   stubborn       ignores TERM, "ready PID", stays
//   burn           uses 0.2 s of CPU, its child another 0.2 s and 32 MiB, a double-forked one whom nobody waits for 0.2 s more
//   start CMD ...  starts the command, and ends with 0 as soon as it runs
//   cat            copies stdin to stdout, line for line
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static void stay(void) {
  while (1) pause();
}

static void say(const char* text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(98);
}

static void print_file(const char* path, const char* only) {
  char line[4096];
  FILE* file = fopen(path, "r");
  if (!file) exit(97);
  while (fgets(line, sizeof line, file))
    if (!only || !strncmp(line, only, strlen(only))) printf("%s", line);
  fclose(file);
}

static void context(int argc, char** argv) {
  char path[PATH_MAX], target[PATH_MAX];
  for (int i = 0; i < argc; ++i) printf("word %s\n", argv[i]);
  for (char** e = environ; *e; ++e) printf("variable %s\n", *e);
  printf("directory %s\n", getcwd(path, sizeof path));
  mode_t mask = umask(0);
  printf("umask %04o nice %d\n", (unsigned)mask, getpriority(PRIO_PROCESS, 0));
  for (int fd = 0; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(path, target, sizeof target - 1);
    if (size < 0) continue;
    target[size] = 0;
    // Every run has pipes of its own for the output.
    printf("descriptor %d %s flags %d\n", fd, fd == 1 || fd == 2 ? "pipe" : target, fcntl(fd, F_GETFD));
  }
  for (const char** name = (const char*[]){"SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", NULL}; *name; ++name)
    print_file("/proc/self/status", *name);
  print_file("/proc/self/limits", NULL);
}

static void on_signal(int signo) {
  char line[64];
  int size = snprintf(line, sizeof line, "got %d\n", signo);
  if (write(STDOUT_FILENO, line, (size_t)size) != size) _exit(98);
}

static void count_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  for (int signo = 1; signo < 65; ++signo)
    if (signo != SIGKILL && signo != SIGSTOP && signo != SIGCHLD) sigaction(signo, &action, NULL);
  printf("ready %d\n", getpid());
  fflush(stdout);
  stay();
}

static pid_t double_fork(const char* mode) {
  int ends[2];
  pid_t grandchild = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) exit(97);
  if (fork() == 0) {
    setsid();
    if (!strcmp(mode, "stubborn")) signal(SIGTERM, SIG_IGN);
    if (fork() != 0) _exit(0);
    grandchild = getpid();
    if (write(ends[1], &grandchild, sizeof grandchild) < 0) _exit(97);
    if (!strcmp(mode, "short")) _exit(0);
    stay();
  }
  if (read(ends[0], &grandchild, sizeof grandchild) < 0) exit(97);
  wait(NULL);
  return grandchild;
}

static void nest(void) {
  pid_t grandchild = double_fork("long");
  pid_t child = fork();
  if (child == 0) stay();
  printf("ready %d %d %d\n", getpid(), child, grandchild);
  fflush(stdout);
  stay();
}

static void use_cpu(long ms) {
  struct timespec used;
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms);
}

static void use_memory(size_t size) {
  volatile char* bytes = malloc(size);
  if (!bytes) _exit(97);
  for (size_t at = 0; at < size; at += 4096) bytes[at] = 1;
}

// The end of the double-forked one is seen by the end of a pipe, since it is no child of ours any more.
static void burn(void) {
  int ends[2];
  char nothing;
  if (pipe2(ends, O_CLOEXEC) != 0) exit(97);
  if (fork() == 0) {
    if (fork() == 0) use_cpu(200);
    _exit(0);
  }
  close(ends[1]);
  if (fork() == 0) {
    use_memory(32 << 20);
    use_cpu(200);
    _exit(0);
  }
  use_cpu(200);
  while (wait(NULL) > 0) continue;
  if (read(ends[0], &nothing, 1) != 0) exit(97);
}

static void start(char** words) {
  int ends[2];
  char nothing;
  if (pipe2(ends, O_CLOEXEC) != 0) exit(97);
  if (fork() == 0) {
    execv(words[0], words);
    _exit(97);
  }
  close(ends[1]);
  if (read(ends[0], &nothing, 1) != 0) exit(97);
  _exit(0);
}

static void die(int signo) {
  sigset_t none;
  sigemptyset(&none);
  signal(signo, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  kill(getpid(), signo);
}

static int cat(void) {
  char line[256];
  say("ready\n");
  while (fgets(line, sizeof line, stdin)) say(line);
  return 0;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "context")) return context(argc, argv), 0;
  if (!strcmp(mode, "exit")) return atoi(argv[2]);
  if (!strcmp(mode, "die")) return die(atoi(argv[2])), 96;
  if (!strcmp(mode, "signals")) count_signals();
  if (!strcmp(mode, "nest")) nest();
  if (!strcmp(mode, "leave")) return printf("left %d\n", double_fork(argv[2])), 3;
  if (!strcmp(mode, "start")) start(argv + 2);
  if (!strcmp(mode, "burn")) return burn(), 0;
  if (!strcmp(mode, "cat")) return cat();
  if (!strcmp(mode, "stubborn")) {
    signal(SIGTERM, SIG_IGN);
    printf("ready %d\n", getpid());
    fflush(stdout);
    stay();
  }
  fprintf(stderr, "taskstarter_probe: no mode '%s'\n", mode);
  return 2;
}
