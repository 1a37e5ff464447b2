// The name of the relay of a job on hosts of several clusters: one host's name says nothing of another one's.
#include "common/io/relay_directory.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "common/wire/relay.hpp"

namespace rollcall::io {
namespace {

constexpr int kNotAllowed = 77;

// The name on a host of this name; "": this user cannot make one.
std::string name_on(const std::string& host, const std::string& relay) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWUTS) != 0 || sethostname(host.data(), host.size()) != 0) _exit(kNotAllowed);
    const std::string name = relay_socket(relay);
    _exit(write(ends[1], name.data(), name.size()) == static_cast<ssize_t>(name.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::array<char, 256> room;
  const ssize_t size = read(ends[0], room.data(), room.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 && size > 0 ? std::string(room.data(), static_cast<std::size_t>(size)) : "";
}

TEST(RelaySocket, IsAnotherNameOnEachHost) {
  const std::string relay = std::string(wire::kSpanRelay) + "0123456789abcdef0123456789abcdef";
  const std::string first = name_on("n1", relay);
  if (first.empty()) GTEST_SKIP() << "a host of another name needs root";
  EXPECT_EQ(name_on("n1", relay), first) << "TaskStarter finds what the shepherd listens at";
  EXPECT_NE(name_on("n2", relay), first);
  EXPECT_NE(first, relay) << "the variable itself is no name of a socket";
  EXPECT_TRUE(wire::is_span_relay(first));
  EXPECT_EQ(first.size(), relay.size());
  EXPECT_NE(name_on("n1", std::string(wire::kSpanRelay) + "1123456789abcdef0123456789abcdef"), first);
}
TEST(RelaySocket, OfAnotherJobIsWhatTheVariableSays) {
  EXPECT_EQ(relay_socket("rollcall/relay/7"), "rollcall/relay/7");
}

}  // namespace
}  // namespace rollcall::io
