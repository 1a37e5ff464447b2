/* client_probe_main COMMAND: submits it and lists the jobs, by the shared object alone. Exit: 0, or 1 with the reason. */
#include <stdio.h>

#include "tests/io/sched/client_probe.h"

int main(int argc, char** argv) {
  char jobs[1000];
  const int id = argc == 2 ? probe_submit(argv[1]) : -1;
  if (id < 0 || probe_list(jobs, sizeof jobs) < 0) {
    fprintf(stderr, "%s\n", probe_error());
    return 1;
  }
  printf("submitted %d\n%s", id, jobs);
  return 0;
}
