#!/bin/sh
# check_symbols.sh ARCHIVE...: a pure archive asks the system for nothing (docs/architecture.md, Rooms).
#
# The undefined symbols of every archive are read with nm; each that starts a process, opens or writes a file or a
# socket, or asks for the time, the environment, randomness or other processes is printed with its object.
# Exit: 0 none, 1 some, 2 an archive is missing or empty.
set -eu

if [ $# -eq 0 ]; then
    echo "no archive given" >&2
    exit 2
fi
for archive in "$@"; do
    if [ ! -f "$archive" ]; then
        echo "$archive: missing, expected a static archive" >&2
        exit 2
    fi
    # A symbol table of its own: awk must not take an archive of nothing for a clean one.
    if ! nm "$archive" 2>/dev/null | grep -q ' [TtWVBDR] '; then
        echo "$archive: no symbols, expected a static archive with code" >&2
        exit 2
    fi
done

nm -A -u "$@" | awk '
BEGIN {
    split("fork vfork clone clone3 execl execlp execle execv execvp execve execvpe fexecve execveat " \
          "posix_spawn posix_spawnp system popen pclose wait waitpid waitid wait3 wait4 kill killpg tgkill raise " \
          "sigaction signal sigprocmask pthread_sigmask signalfd prctl ptrace setrlimit getrlimit getrusage " \
          "socket socketpair connect bind listen accept accept4 send sendto sendmsg recv recvfrom recvmsg " \
          "getaddrinfo gethostbyname gethostname getsockopt setsockopt shutdown " \
          "open open64 openat openat64 creat fopen fopen64 freopen fdopen read write pread pwrite readv writev " \
          "close dup dup2 dup3 pipe pipe2 fcntl ioctl poll ppoll select pselect epoll_create1 epoll_wait epoll_ctl " \
          "eventfd timerfd_create inotify_init1 stat stat64 lstat fstat fstatat access faccessat unlink unlinkat " \
          "rename renameat mkdir rmdir opendir readdir chdir getcwd readlink realpath mkstemp tmpfile isatty " \
          "printf vprintf fprintf vfprintf dprintf puts fputs putchar fputc putc fwrite fread fgets getline " \
          "scanf fscanf perror syslog stdin stdout stderr " \
          "clock_gettime gettimeofday time clock times nanosleep clock_nanosleep usleep sleep alarm setitimer " \
          "localtime localtime_r mktime tzset " \
          "getenv secure_getenv setenv unsetenv putenv environ getpid getppid getuid geteuid getpwuid getpwuid_r " \
          "getpwnam getrandom getentropy rand random srand arc4random syscall pthread_create dlopen", list, " ")
    for (i in list) forbidden[list[i]] = 1
}
# What fortified and versioned builds call the same things.
function plain(name) {
    sub(/@.*/, "", name)
    if (name ~ /^__/ && name ~ /(_chk|_2)$/) { sub(/^__/, "", name); sub(/(64)?(_chk|_2)$/, "", name) }
    return name
}
function world(name) {
    if (plain(name) in forbidden) return 1
    return name ~ /^_Z(NSt6chrono3_V21[0-9][a-z]+_clock3nowEv|NSt13random_device|NSt6thread|St(4cout|4cerr|3cin|4clog))/ ||
           name ~ /^_ZN?K?S?t?[0-9]*(basic_[io]?fstream|basic_filebuf|filesystem)/ ||
           name ~ /St1[0-9]basic_(ifstream|ofstream|fstream|filebuf)/ || name ~ /St10filesystem/
}
NF >= 2 {
    seen++
    if (world($NF)) {
        print $1 " needs " $NF
        bad++
    }
}
END {
    if (bad) exit 1
    print seen " undefined symbols, none of the world"
}'
