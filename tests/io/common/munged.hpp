// A munged of our own, for tests: its key, socket and files are in a fresh directory.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <variant>

#include "common/io/munge_credential.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::io {

namespace fs = std::filesystem;
inline constexpr const char* kMunged = "/usr/sbin/munged";

// A munged in the foreground. `ready()` is false, with a reason, where there is none.
class Munged {
 public:
  Munged() {
    std::string name = (fs::temp_directory_path() / "rollcall-munge-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    home_ = name;
    chmod(home_.c_str(), 0755);
    std::ofstream(home_ + "/key") << std::string(32, static_cast<char>('a' + made_++)) + home_;
    chmod((home_ + "/key").c_str(), 0600);
    SpawnPlan plan;
    plan.argv = {kMunged,
                 "--foreground",
                 "--force",
                 "--key-file=" + home_ + "/key",
                 "--socket=" + socket(),
                 "--pid-file=" + home_ + "/pid",
                 "--log-file=" + home_ + "/log",
                 "--seed-file=" + home_ + "/seed"};
    const auto started = spawn(plan);
    if (std::holds_alternative<pid_t>(started)) pid_ = std::get<pid_t>(started);
  }
  ~Munged() {
    stop();
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  std::string socket() const { return home_ + "/socket"; }
  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  // Waits until it answers, 10 s at the most.
  bool ready() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      if (pid_ <= 0 || waitpid(pid_, nullptr, WNOHANG) != 0) return false;
      if (fs::exists(socket()) && munge_encode("ready?", socket())) return true;
      poll(nullptr, 0, 10);
    }
    return false;
  }

 private:
  static inline int made_ = 0;
  std::string home_;
  pid_t pid_ = 0;
};

// A credential of that user over `payload`; "" where none could be made.
inline std::string credential_of(uid_t uid, const std::string& payload, const std::string& socket) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(uid) != 0 || setuid(uid) != 0) _exit(1);
    const auto made = munge_encode(payload, socket);
    _exit(made && write(ends[1], made->data(), made->size()) > 0 ? 0 : 1);
  }
  close(ends[1]);
  std::string credential(4096, '\0');
  const ssize_t size = read(ends[0], credential.data(), credential.size());
  credential.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return credential;
}

}  // namespace rollcall::io

#define NEEDS_MUNGED(munged)                                          \
  if (access(::rollcall::io::kMunged, X_OK) != 0)                     \
    GTEST_SKIP() << "munged is not installed (Debian package munge)"; \
  ASSERT_TRUE((munged).ready()) << "munged does not answer on " << (munged).socket()
