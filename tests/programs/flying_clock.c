/* flying_clock: time that passes as a test says, for one program of it: so what takes minutes is tested in a moment, and no
 * time limit is hit because the machine is busy.
 *
 * A library for LD_PRELOAD. FLYING_CLOCK names a file of two numbers of 8 bytes, this machine's: how many seconds pass in one
 * (CLOCK_MONOTONIC; 1 at the least), and by how many seconds it has jumped. FLYING_PROGRAM is the short name of the only
 * program that it is for; its children have the library, and the kernel's time. Timers of Asio go by it: where there is no
 * timerfd they are epoll_wait()'s time-out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { kLongestWait = 100 }; /* milliseconds, after which the file is looked at again */

static const volatile int64_t *numbers; /* NULL: this program is none that it is for */

__attribute__((constructor)) static void begin(void) {
    const char *const name = getenv("FLYING_CLOCK"), *const program = getenv("FLYING_PROGRAM");
    if (name == NULL || program == NULL || strcmp(program, program_invocation_short_name) != 0) return;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *const page = mmap(NULL, 2 * sizeof *numbers, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) numbers = page;
}

static int64_t rate(void) { return numbers[0] > 1 ? numbers[0] : 1; }

/* Nanoseconds; never back, also where the rate falls. */
static int64_t flown(int64_t real) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int64_t last_real, now;
    pthread_mutex_lock(&lock);
    now += last_real == 0 ? real : (real - last_real) * rate();
    last_real = real;
    const int64_t result = now + numbers[1] * 1000000000;
    pthread_mutex_unlock(&lock);
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    const int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (failed != 0 || numbers == NULL || clock != CLOCK_MONOTONIC) return failed;
    const int64_t then = flown((int64_t)now->tv_sec * 1000000000 + now->tv_nsec);
    now->tv_sec = then / 1000000000;
    now->tv_nsec = then % 1000000000;
    return 0;
}

int timerfd_create(int clock, int flags) {
    if (numbers == NULL) return (int)syscall(SYS_timerfd_create, clock, flags);
    errno = ENOSYS;
    return -1;
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int milliseconds) {
    if (numbers != NULL && (milliseconds < 0 || milliseconds > kLongestWait)) milliseconds = kLongestWait;
    if (numbers != NULL && rate() > 1 && milliseconds > 1) milliseconds = 1;
    return (int)syscall(SYS_epoll_wait, epoll, events, most, milliseconds);
}
