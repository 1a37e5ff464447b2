// The stage for the tests of MELIM: a fake LIM at the other end of its socket, a server directory with elims,
// and processes that do not outlive their test.
//
// Every wait has a deadline, and says what it waited for, and what MELIM's log says, when that passes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::melim::test {

inline constexpr std::chrono::seconds kPatience{60};  // far beyond what anything here takes

class MelimStage : public ::testing::Test {
 protected:
  MelimStage();
  ~MelimStage() override;
  void TearDown() override;

  // A copy of tests/fakes/elims/liar as elim.MODE; its name is added to what the orders expect.
  void install(const std::string& mode);
  // Any file of the server directory.
  void install_file(const std::string& name, const std::string& source, int mode = 0755);
  // A liar of that mode, which says these bytes and then stays.
  void says(const std::string& mode, const std::string& bytes);
  void expect_index(const std::string& name, bool is_string = false);

  // Starts MELIM, where it does not run, and gives it `orders` as they are now.
  void send_orders();
  void start_melim(std::optional<uid_t> user = {});

  // Hears MELIM until `condition` is true; fails the test where that takes too long.
  void wait_until(const std::string& what, const std::function<bool()>& condition);
  void wait_for_log(const std::string& part);
  void wait_for_value(const std::string& name, float value);
  void wait_for_state(const std::string& elim, wire::ElimState::State state);
  // The neighbour elim.sound says three more values, each at its time.
  void expect_neighbour_is_heard();

  std::string log() const;
  int log_lines_with(const std::string& part) const;
  // Lines of what a liar has noted.
  std::vector<std::string> notes(const std::string& mode) const;
  pid_t noted_pid(const std::string& mode, const std::string& what = "pid") const;
  const wire::ElimState& state_of(const std::string& elim) const;
  std::size_t peak_kilobytes() const;  // of MELIM's resident memory
  void hang_up() { link_.reset(); }
  // MELIM's exit, when its socket is closed or it is signalled; the raw word of wait(2).
  int wait_for_end();

  std::string directory_;
  std::string server_dir_;
  std::string notes_dir_;
  wire::MelimOrders orders_;
  pid_t melim_ = -1;

  std::map<std::string, float> numbers_;
  std::map<std::string, std::string> words_;
  std::map<std::string, int> told_;  // how often
  std::map<std::string, wire::ElimState> states_;
  std::vector<wire::MelimReport> reports_;

 private:
  void hear(std::chrono::milliseconds patience);
  void take(const wire::MelimReport& report);

  io::Descriptor link_;
  wire::FrameDecoder decoder_;
  bool at_end_ = false;
};

bool alive(pid_t pid);

}  // namespace rollcall::melim::test
