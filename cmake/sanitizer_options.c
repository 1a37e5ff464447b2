/* How the sanitizers behave in every program of a build that has them, whatever environment the program is started with:
 * daemons, shepherds and jobs get environments of their own, so ASAN_OPTIONS of the one who runs the tests does not reach them.
 *
 * ROLLCALL_FINDINGS: a folder of the build that every user may write to; each program that finds something writes a file
 * there. ROLLCALL_SUPPRESSIONS: cmake/tsan_suppressions.txt.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The same in each: of several in one program the last one counts. */
#define LOG "log_exe_name=1:log_path=" ROLLCALL_FINDINGS "/report"

const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

/* Some tests hold a program's memory: of what was freed little is kept. What a program still has at its end is no finding:
 * many end by _exit() or a signal, and a leak that grows is found by the tests that count. */
const char *__asan_default_options(void) {
    return LOG ":quarantine_size_mb=8:detect_leaks=0:detect_stack_use_after_return=1:verify_asan_link_order=0";
}
const char *__lsan_default_options(void) { return LOG; }
const char *__ubsan_default_options(void) { return LOG ":print_stacktrace=1"; }
const char *__tsan_default_options(void) {
    return LOG ":second_deadlock_stack=1:suppressions=" ROLLCALL_SUPPRESSIONS;
}

/* Beside AddressSanitizer g++ 12's undefined-behaviour sanitizer writes to standard error, whatever its log_path is. */
__attribute__((weak)) void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                                           unsigned *line, unsigned *column, char **address);
void __ubsan_on_report(void);
void __ubsan_on_report(void) {
    const char *kind = "", *message = "", *file = "";
    char *address = NULL, path[512], text[1024];
    unsigned line = 0, column = 0;
    if (__ubsan_get_current_report_data == NULL) return;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    snprintf(path, sizeof path, ROLLCALL_FINDINGS "/ubsan.%ld", (long)getpid());
    const int length = snprintf(text, sizeof text, "%s:%u:%u: %s: %s\n", file, line, column, kind, message);
    const int out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (out < 0) return;
    if (length > 0) {
        const size_t size = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
        (void)!write(out, text, size);
    }
    close(out);
}
