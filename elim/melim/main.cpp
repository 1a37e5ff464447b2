// melim: starts the elims of this host and reads their values. LIM starts it, not people.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstring>

#include "common/io/descriptor_limit.hpp"
#include "elim/melim/melim.hpp"

namespace {

constexpr int kLimDescriptor = 3;
constexpr int kWrongUse = 2;

constexpr const char* kUsage =
    "usage: melim [-h | -V]\n"
    "LIM starts melim, with a socket to itself as descriptor 3. It runs elim and elim.* of LSF_SERVERDIR and "
    "passes on\n"
    "what they report. To try an elim, run it by hand and look at its standard output; see elim(5).\n";

bool is_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

int answer_option(const char* option) {
  if (std::strcmp(option, "-h") == 0) return std::fputs(kUsage, stderr), 0;
  if (std::strcmp(option, "-V") == 0) return std::fputs("Rollcall melim " ROLLCALL_VERSION "\n", stderr), 0;
  std::fprintf(stderr, "melim: found \"%s\", expected no word, -h or -V\n%s", option, kUsage);
  return kWrongUse;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rollcall;
  if (argc > 1) return answer_option(argv[1]);
  if (!is_socket(kLimDescriptor)) {
    std::fprintf(stderr, "melim: found no socket as descriptor 3, expected LIM's\n%s", kUsage);
    return kWrongUse;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  fcntl(kLimDescriptor, F_SETFD, FD_CLOEXEC);
  const rlimit open_files = io::raise_descriptor_limit();  // each elim takes four descriptors
  melim::Melim melim(melim::LimLink(io::Descriptor(kLimDescriptor)), open_files);
  return melim.run() == io::DaemonEnd::stopped ? 0 : 1;
}
