/* elim.c: an elim in C, to copy. It reports one index, myrsc: the entries of a directory.
 *
 *   cc -O2 -o elim.myrsc elim.c     and then into LSF_SERVERDIR, executable, owned by root or the LSF administrator
 *
 * myrsc must be defined in lsf.shared and mapped to hosts in lsf.cluster. See docs/your-own-elim.md and elim(5).
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const my_resource = "myrsc";

/* True where `name` is a word of the blank-separated `list`. */
static int listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return 1;
    return 0;
}

static int count_entries(const char *directory) {
    int count = 0;
    DIR *open_directory = opendir(directory);
    if (open_directory == NULL) return -1;
    while (readdir(open_directory) != NULL) ++count;
    closedir(open_directory);
    return count - 2; /* "." and ".." */
}

int main(void) {
    const char *expected = getenv("LSF_RESOURCES");
    const char *abort_value = getenv("ELIM_ABORT_VALUE");
    const char *directory = getenv("MYRSC_DIRECTORY");
    const char *seconds = getenv("MYRSC_SECONDS");

    /* The checking header: nothing is expected of us here, and we need not be started again. */
    if (expected != NULL && !listed(expected, my_resource)) return abort_value != NULL ? atoi(abort_value) : 99;

    setbuf(stdout, NULL); /* a string leaves when it is written */
    for (;;) {
        const int entries = count_entries(directory != NULL ? directory : "/tmp");
        if (entries < 0) return 1; /* started again after 90 seconds */
        if (printf("1 %s %d\n", my_resource, entries) < 0) return 1; /* nobody reads it any more */
        sleep(seconds != NULL ? (unsigned)atoi(seconds) : 30);
    }
}
