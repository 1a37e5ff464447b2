/* A C interface of three functions over sched/client: what a shared object of the client library can offer. A test's, no API. */
#ifndef CLIENT_PROBE_H
#define CLIENT_PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Submits a command, whose words a shell reads. The job's id; -1: probe_error() says why not. */
int probe_submit(const char* command);
/* The names of the caller's jobs with their ids, "ID NAME\n" each, cut off at `room`. How many; -1: probe_error(). */
int probe_list(char* text, unsigned long room);
/* One line; "" where the last call succeeded. */
const char* probe_error(void);

#ifdef __cplusplus
}
#endif

#endif
