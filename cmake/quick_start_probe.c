// Runs at configuration: whether a program that begins as common/io/quick_start.c tells finds its C library in order.
#define _GNU_SOURCE
#include <errno.h>
#include <features.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../common/io/plain_sodium.c"
#include "../common/io/quick_start.c"

// The versions that it was tested with.
#if __GLIBC__ != 2 || __GLIBC_MINOR__ != 36
#error "not tested with this C library"
#endif

static int constructed;
__attribute__((constructor)) static void construct(void) { constructed = 1; }
static __thread int of_this_thread = 5;

int main(int argc, char** argv, char** environment) {
  const size_t size = 8 << 20;  // past kNonTemporal
  char* from = malloc(size);
  char* to = malloc(size);
  char text[64];
  struct timespec now = {0, 0};
  if (from == NULL || to == NULL || !constructed || of_this_thread != 5 || argc < 1 || argv[argc] != NULL)
    return 1;
  if (environment != __environ) return 2;
  memset(from, 7, size);
  memcpy(to, from, size);
  memmove(to + 1, to, size / 2);
  if (memcmp(from, to, size) != 0 || strchr("a,b", ',') == NULL) return 3;
  if (close(-1) == 0 || errno != EBADF) return 4;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec == 0) return 5;
  if (snprintf(text, sizeof text, "%.2f %d", 1.5, 7) != 6 || strcmp(text, "1.50 7") != 0) return 6;
  setenv("ROLLCALL_PROBE", text, 1);
  if (strcmp(getenv("ROLLCALL_PROBE"), text) != 0) return 7;
  unsigned char hash[crypto_generichash_BYTES];
  if (sodium_init() != 0 ||
      crypto_generichash(hash, sizeof hash, (const unsigned char*)text, 4, NULL, 0) != 0)
    return 8;
  return program_invocation_name == argv[0] ? 0 : 9;
}
