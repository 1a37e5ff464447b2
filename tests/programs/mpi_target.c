// mpi_target: a real MPI program, built once with each MPI, that behaves as it is told.
//
//   mpi_target DIRECTORY MODE [ARGUMENTS]
//
//   hello                prints "hello RANK SIZE HOST"
//   ring                 a token goes round; rank 0 prints "ring SUM" when it is right
//   allreduce            sums a vector over all ranks and checks every element; rank 0 prints "allreduce SUM"
//   waits FILE           every rank waits until FILE exists, and then sums as allreduce does
//   exits RANK N         nobody calls MPI_Finalize: that rank calls exit(N), then the others exit(0)
//   deserts RANK N       that rank calls exit(N) without MPI_Finalize, the others wait for it in a barrier
//   ends RANK N          all finalize, then that rank ends with N
//   aborts RANK N        that rank calls MPI_Abort(N)
//   segfaults RANK       that rank writes to address 0
//   ignores-term         every rank ignores TERM and sleeps
//   leaves               every rank leaves a double-forked child behind and ends with 0
//   nests                the same, and then sleeps
//   prints BYTES         every rank prints BYTES in lines of 64 that begin with its rank
//
// A wrong sum is exit 1 of the rank that sees it. What it writes into DIRECTORY is told in note.h.
#include <mpi.h>

#include "note.h"

static int rank, size;

static void hello(void) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  printf("hello %d %d %s\n", rank, size, host);
  fflush(stdout);
}

// Every rank adds its own number to what its left neighbour passes on.
static int ring(void) {
  long token = 0;
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (rank > 0) MPI_Recv(&token, 1, MPI_LONG, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  token += rank;
  if (size > 1) MPI_Send(&token, 1, MPI_LONG, right, 7, MPI_COMM_WORLD);
  if (rank > 0) return 0;
  if (size > 1) MPI_Recv(&token, 1, MPI_LONG, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("ring %ld\n", token);
  return token == (long)size * (size - 1) / 2 ? 0 : 1;
}

static int allreduce(void) {
  enum { kLength = 4096 };
  static long mine[kLength], all[kLength];
  for (long i = 0; i < kLength; ++i) mine[i] = (rank + 1) * (i + 1);
  MPI_Allreduce(mine, all, kLength, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  long ranks = (long)size * (size + 1) / 2;
  for (long i = 0; i < kLength; ++i)
    if (all[i] != ranks * (i + 1)) return 1;
  if (rank == 0) printf("allreduce %ld\n", all[0]);
  return 0;
}

static int wait_and_sum(const char* path) {
  write_note("ready", getpid(), "ready\n");
  while (access(path, F_OK) != 0) usleep(20 * 1000);
  return allreduce();
}

// Waits for a rank that will not come; the launcher ends whoever waits here.
static void wait_for_the_other(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void write_to_address_0(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  volatile int* volatile nowhere = NULL;
  *nowhere = 1;
}

static int usage(const char* mode) {
  fprintf(stderr, "mpi_target: no mode '%s'\n", mode);
  return 2;
}

// What this rank will end with, as note.h wants it. A rank that waits for one that fails is ended by the launcher.
static void foretell(const char* mode, int chosen, int number, char* end, size_t room) {
  // Even after MPI_Finalize Open MPI ends the ranks that have not left yet when one leaves with an error.
  int exits = !strcmp(mode, "exits") || !strcmp(mode, "deserts") || !strcmp(mode, "ends");
  int fails_alone = exits || !strcmp(mode, "aborts") || !strcmp(mode, "segfaults");
  int stays = !strcmp(mode, "ignores-term") || !strcmp(mode, "nests");
  snprintf(end, room, "exit 0");
  if (stays || (fails_alone && rank != chosen)) snprintf(end, room, "any");
  if (exits && rank == chosen) snprintf(end, room, "exit %d", number);
  if (!strcmp(mode, "aborts") && rank == chosen)
    snprintf(end, room, "any");  // each MPI has its own way to abort
  if (!strcmp(mode, "segfaults") && rank == chosen) snprintf(end, room, "signal %d", SIGSEGV);
}

// The chosen rank goes first: Open MPI ends with TERM what is left when any rank has exited without MPI_Finalize.
static void exits(int chosen, int number) {
  if (rank == chosen) {
    write_note("exiting", rank, "now\n");
    exit(number);
  }
  char sign[4096];
  snprintf(sign, sizeof sign, "%s/exiting.%d", note_directory, chosen);
  const struct timespec a_while = {0, 20000000}, until_it_is_seen = {0, 500000000};
  while (access(sign, F_OK) != 0) nanosleep(&a_while, NULL);
  nanosleep(&until_it_is_seen, NULL);
  exit(0);
}

static int run(const char* mode, int chosen, int number) {
  if (!strcmp(mode, "hello")) return hello(), 0;
  if (!strcmp(mode, "ring")) return ring();
  if (!strcmp(mode, "allreduce")) return allreduce();
  if (!strcmp(mode, "prints")) return print_much(rank, chosen), 0;
  if (!strcmp(mode, "leaves")) return leave_one_behind(), 0;
  if (!strcmp(mode, "ends")) return rank == chosen ? number : 0;
  if (!strcmp(mode, "ignores-term")) {
    signal(SIGTERM, SIG_IGN);
    write_note("ready", getpid(), "ready\n");
    sleep_for_ever();
  }
  if (!strcmp(mode, "nests")) {
    leave_one_behind();
    write_note("ready", getpid(), "ready\n");
    sleep_for_ever();
  }
  if (!strcmp(mode, "exits")) exits(chosen, number);
  if (rank != chosen) return wait_for_the_other(), 0;
  if (!strcmp(mode, "deserts")) exit(number);
  if (!strcmp(mode, "aborts")) MPI_Abort(MPI_COMM_WORLD, number);
  if (!strcmp(mode, "segfaults")) write_to_address_0();
  return usage(mode);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) return usage("");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  note_directory = argv[1];
  int chosen = argc > 3 ? atoi(argv[3]) : 0, number = argc > 4 ? atoi(argv[4]) : 0;
  char end[32];
  foretell(argv[2], chosen, number, end, sizeof end);
  say_who(rank, end);
  MPI_Barrier(MPI_COMM_WORLD);  // every note is written before a rank fails
  int code = !strcmp(argv[2], "waits") && argc > 3 ? wait_and_sum(argv[3]) : run(argv[2], chosen, number);
  MPI_Finalize();
  return code;
}
