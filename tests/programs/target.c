// target: a task that is no MPI program and behaves as badly as it is told.
//
//   target DIRECTORY MODE [ARGUMENT]
//
//   exit N         ends with N                          signal N     dies of signal N
//   ignore-term    ignores TERM and sleeps              leave        leaves a double-forked child, ends with 0
//   nest           the same child, and one in between that stays, then sleeps
//   hang           sleeps                               flood BYTES  prints BYTES to stdout in lines of 64
//   after-ms N     sleeps N milliseconds, ends with 0   wait FILE    ends with 0 once FILE exists
//   signals        counts: signals.PID gets a line "NAME CODE FROM MICROSECONDS" for each signal received
//   vfork FILE     waits in vfork() for a child that ends once FILE exists, ends with 0
//   context        writes what it was given (directory, umask, signals, limits, descriptors) to context.PID
//
// What it writes into DIRECTORY is told in note.h. `ready.PID` appears when a mode that stays has been set up.
#include "note.h"

static const int counted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH};
enum { kCounted = sizeof counted / sizeof *counted };

static int record = -1;

static void on_signal(int signo, siginfo_t* info, void* unused) {
  (void)unused;
  int saved = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char line[128];
  const char* name = sigabbrev_np(signo);
  int size = snprintf(line, sizeof line, "%s %d %d %lld\n", name, info->si_code, (int)info->si_pid,
                      (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
  if (write(record, line, (size_t)size) != size) _exit(98);
  errno = saved;
}

static void ready(void) { write_note("ready", getpid(), "ready\n"); }

static void count_signals(void) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/signals.%d", note_directory, getpid());
  record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (record < 0) give_up(path);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  for (int i = 0; i < kCounted; ++i) sigaddset(&action.sa_mask, counted[i]);
  for (int i = 0; i < kCounted; ++i) sigaction(counted[i], &action, NULL);
  ready();
  sleep_for_ever();
}

// The child shares our memory until it ends: until then the kernel keeps us in state D.
static void wait_in_vfork(const char* path) {
  const struct timespec pause_between = {0, 20 * 1000 * 1000};
  ready();
  if (vfork() != 0) return;
  while (access(path, F_OK) != 0) nanosleep(&pause_between, NULL);
  _exit(0);
}

static void nest(void) {
  leave_one_behind();
  if (fork() == 0) sleep_for_ever();
  ready();
  sleep_for_ever();
}

static void wait_for_file(const char* path) {
  ready();
  const struct timespec pause_between = {0, 20 * 1000 * 1000};
  while (access(path, F_OK) != 0) nanosleep(&pause_between, NULL);
}

static void print_signals(FILE* out) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  fprintf(out, "blocked");
  for (int s = 1; s < NSIG; ++s)
    if (sigismember(&mask, s) == 1) fprintf(out, " %d", s);
  fprintf(out, "\nignored");
  for (int s = 1; s < NSIG; ++s) {
    struct sigaction now;
    if (sigaction(s, NULL, &now) == 0 && now.sa_handler == SIG_IGN) fprintf(out, " %d", s);
  }
  fprintf(out, "\n");
}

static void write_context(void) {
  char path[PATH_MAX], here[PATH_MAX];
  snprintf(path, sizeof path, "%s/context.%d", note_directory, getpid());
  mode_t mask = umask(0);
  umask(mask);
  FILE* out = fopen(path, "w");
  if (!out) give_up(path);
  fprintf(out, "directory %s\numask %04o\n", getcwd(here, sizeof here), (unsigned)mask);
  print_signals(out);
  for (int which = 0; which < RLIM_NLIMITS; ++which) {
    struct rlimit limit;
    getrlimit(which, &limit);
    fprintf(out, "limit %d %llu %llu\n", which, (unsigned long long)limit.rlim_cur,
            (unsigned long long)limit.rlim_max);
  }
  fprintf(out, "descriptors");
  for (int fd = 0; fd < 256; ++fd)
    if (fd != fileno(out) && fcntl(fd, F_GETFD) >= 0) fprintf(out, " %d", fd);
  fprintf(out, "\n");
  if (fclose(out) != 0) give_up(path);
}

static void sleep_ms(long ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: target DIRECTORY MODE [ARGUMENT]\n");
    return 2;
  }
  note_directory = argv[1];
  const char* mode = argv[2];
  const char* text = argc > 3 ? argv[3] : "0";
  int number = atoi(text), end_code = 0;
  char end[32] = "exit 0";
  int sleeps = !strcmp(mode, "ignore-term") || !strcmp(mode, "nest") || !strcmp(mode, "hang");
  if (sleeps || !strcmp(mode, "signals")) strcpy(end, "any");
  if (!strcmp(mode, "exit")) snprintf(end, sizeof end, "exit %d", end_code = number);
  if (!strcmp(mode, "signal")) snprintf(end, sizeof end, "signal %d", number);
  say_who(rank_of_launcher(), end);

  if (!strcmp(mode, "exit")) return end_code;
  if (!strcmp(mode, "signal")) die_of(number);
  if (!strcmp(mode, "ignore-term")) signal(SIGTERM, SIG_IGN), ready(), sleep_for_ever();
  if (!strcmp(mode, "nest")) nest();
  if (!strcmp(mode, "hang")) ready(), sleep_for_ever();
  if (!strcmp(mode, "signals")) count_signals();
  if (!strcmp(mode, "leave")) return leave_one_behind(), 0;
  if (!strcmp(mode, "flood")) return print_much(getpid() % 100000, atol(text)), 0;
  if (!strcmp(mode, "after-ms")) return sleep_ms(number), 0;
  if (!strcmp(mode, "wait")) return wait_for_file(text), 0;
  if (!strcmp(mode, "vfork")) return wait_in_vfork(text), 0;
  if (!strcmp(mode, "context")) return write_context(), 0;
  fprintf(stderr, "target: no mode '%s'\n", mode);
  return 2;
}
