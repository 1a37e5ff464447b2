// shepherd: runs one job's processes on one host. RES starts it in the job's directory, with that directory, locked, as
// descriptor 3 and a connection to RES as descriptor 4. Its only argument is the name that ps shows. With -r it removes files
// that users left behind (remover.hpp).
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "res/shepherd/guard.hpp"
#include "res/shepherd/remover.hpp"

namespace {

constexpr int kDirectory = 3, kRes = 4;

void print(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_NAME, "shepherd");  // execveat() has named it by its descriptor's number
  if (argc == 2 && std::strcmp(argv[1], "-V") == 0) return print("Rollcall " ROLLCALL_VERSION "\n"), 0;
  if (argc > 2 && std::strcmp(argv[1], "-r") == 0)
    return rollcall::res::run_remover(kDirectory, argc - 2, argv + 2);
  struct stat facts;
  if (argc != 2 || argv[1][0] == '-' || fcntl(kDirectory, F_SETFD, FD_CLOEXEC) != 0 ||
      fstat(kDirectory, &facts) != 0 || !S_ISDIR(facts.st_mode))
    return print("usage: shepherd JOB\n       shepherd -V\nStarted by res, in the job's directory.\n"), 2;
  const bool connected = fcntl(kRes, F_SETFD, FD_CLOEXEC) == 0;
  using rollcall::io::Descriptor;
  rollcall::res::run_guard(Descriptor(kDirectory), Descriptor(connected ? kRes : -1));
}
