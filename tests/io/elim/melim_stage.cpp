#include "tests/io/elim/melim_stage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/io/process_tree.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::melim::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void reap_strangers(pid_t not_this) {
  for (const pid_t pid : io::descendants_of(getpid()))
    if (pid != not_this) waitpid(pid, nullptr, WNOHANG);
}

std::vector<pid_t> living_descendants() {
  auto pids = io::descendants_of(getpid());
  std::erase_if(pids, [](pid_t pid) { return !io::is_alive(pid); });
  return pids;
}

}  // namespace

bool alive(pid_t pid) { return io::is_alive(pid); }

MelimStage::MelimStage() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives MELIM falls to us
  char path[] = "/tmp/melim.XXXXXX";
  directory_ = mkdtemp(path);
  chmod(path, 0755);
  server_dir_ = directory_ + "/etc";
  notes_dir_ = directory_ + "/notes";
  mkdir(server_dir_.c_str(), 0755);
  mkdir(notes_dir_.c_str(), 0777);
  chmod(server_dir_.c_str(), 0755);
  chmod(notes_dir_.c_str(), 0777);
  orders_.set_host("hosta");
  orders_.set_server_dir(server_dir_);
  orders_.set_log_file(notes_dir_ + "/melim.log.hosta");
  orders_.add_environment("ELIM_NOTES=" + notes_dir_);
  orders_.set_poll_interval_ms(50);
  orders_.set_block_time_ms(2000);
  orders_.set_restart_interval_ms(60'000);
  orders_.set_abort_value(99);
}

MelimStage::~MelimStage() { std::filesystem::remove_all(directory_); }

// After every test: when MELIM is gone, no process that its elims have started is left.
void MelimStage::TearDown() {
  hang_up();
  if (melim_ > 0) wait_for_end();
  const auto deadline = Clock::now() + kPatience;
  while (!living_descendants().empty() && Clock::now() < deadline) {
    reap_strangers(-1);
    poll(nullptr, 0, 10);
  }
  for (const pid_t pid : living_descendants()) {
    ADD_FAILURE() << "process " << pid
                  << " has outlived MELIM: " << contents("/proc/" + std::to_string(pid) + "/cmdline");
    kill(pid, SIGKILL);
  }
  reap_strangers(-1);
  if (HasFailure()) std::printf("--- melim.log\n%s---\n", log().c_str());
}

void MelimStage::install(const std::string& mode) {
  install_file("elim." + mode, ROLLCALL_FAKES "/liar");
  expect_index(mode);
}

void MelimStage::install_file(const std::string& name, const std::string& source, int mode) {
  // Beside the directory first: MELIM may be looking at it.
  const std::string beside = directory_ + "/new";
  std::filesystem::copy_file(source, beside, std::filesystem::copy_options::overwrite_existing);
  chmod(beside.c_str(), static_cast<mode_t>(mode));
  std::filesystem::rename(beside, server_dir_ + "/" + name);
}

void MelimStage::says(const std::string& mode, const std::string& bytes) {
  std::ofstream(notes_dir_ + "/" + mode + ".says", std::ios::binary) << bytes;
  install(mode);
}

void MelimStage::expect_index(const std::string& name, bool is_string) {
  orders_.add_resources(name);
  auto& known = *orders_.add_known();
  known.set_name(name);
  known.set_type(is_string ? 2 : 0);
}

void MelimStage::start_melim(std::optional<uid_t> user) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  link_ = io::Descriptor(ends[0]);
  const io::Descriptor theirs(ends[1]);
  io::SpawnPlan plan;
  plan.argv = {ROLLCALL_MELIM};
  plan.descriptors = {{theirs.get(), 3}};
  if (user) plan.identity = io::SpawnIdentity{*user, *user, {}};
  const auto started = io::spawn(plan);
  ASSERT_TRUE(std::holds_alternative<pid_t>(started)) << "cannot start " ROLLCALL_MELIM;
  melim_ = std::get<pid_t>(started);
}

void MelimStage::send_orders() {
  if (melim_ < 0) start_melim();
  wire::ToMelim message;
  *message.mutable_orders() = orders_;
  std::string frame;
  wire::append_frame(frame, message.SerializeAsString());
  ASSERT_EQ(send(link_.get(), frame.data(), frame.size(), MSG_NOSIGNAL), static_cast<ssize_t>(frame.size()));
}

void MelimStage::hear(std::chrono::milliseconds patience) {
  pollfd fd{link_.get(), POLLIN, 0};
  if (at_end_ || poll(&fd, 1, static_cast<int>(patience.count())) <= 0) {
    if (at_end_) poll(nullptr, 0, static_cast<int>(patience.count()));
    return;
  }
  char bytes[65536];
  const ssize_t size = recv(link_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  at_end_ = size == 0 || (size < 0 && errno != EAGAIN);
  if (size <= 0) return;
  const auto fed = decoder_.feed(
      {bytes, static_cast<std::size_t>(size)}, [] { return wire::kFrameLimit; },
      [&](std::string_view payload) -> Result<void> {
        wire::FromMelim message;
        if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
          return internal_error("no message of MELIM");
        take(message.report());
        return {};
      });
  EXPECT_TRUE(fed) << fed.error().text;
}

void MelimStage::take(const wire::MelimReport& report) {
  reports_.push_back(report);
  for (const auto& value : report.values()) {
    ++told_[value.name()];
    if (value.value_case() == wire::MelimReport::Value::kNumber)
      numbers_[value.name()] = value.number();
    else
      words_[value.name()] = value.word();
  }
  if (report.elims_size() > 0 || report.no_elims()) states_.clear();
  for (const auto& state : report.elims()) states_[state.name()] = state;
}

void MelimStage::wait_until(const std::string& what, const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + kPatience;
  while (!condition()) {
    ASSERT_LT(Clock::now(), deadline) << "waited " << kPatience.count() << " s for: " << what << "\n"
                                      << log();
    hear(std::chrono::milliseconds(20));
  }
}

void MelimStage::wait_for_log(const std::string& part) {
  wait_until("melim's log to say: " + part, [&] { return log().find(part) != std::string::npos; });
}

void MelimStage::wait_for_value(const std::string& name, float value) {
  wait_until(name + " to be " + std::to_string(value),
             [&] { return numbers_.contains(name) && numbers_[name] == value; });
}

void MelimStage::wait_for_state(const std::string& elim, wire::ElimState::State state) {
  wait_until(elim + " to have state " + std::to_string(state),
             [&] { return states_.contains(elim) && states_[elim].state() == state; });
}

void MelimStage::expect_neighbour_is_heard() {
  // The elim says a number ten times a second, MELIM reports twenty times a second.
  for (int i = 0; i < 3; ++i) {
    const float last = numbers_["sound"];
    const auto begun = Clock::now();
    wait_until("another value of elim.sound", [&] { return numbers_["sound"] > last; });
    EXPECT_LT(Clock::now() - begun, std::chrono::seconds(5)) << "the neighbour's value came late";
  }
}

std::string MelimStage::log() const { return contents(orders_.log_file()); }

int MelimStage::log_lines_with(const std::string& part) const {
  std::istringstream lines(log());
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

std::vector<std::string> MelimStage::notes(const std::string& mode) const {
  std::istringstream text(contents(notes_dir_ + "/" + mode));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

pid_t MelimStage::noted_pid(const std::string& mode, const std::string& what) const {
  pid_t found = 0;
  for (const std::string& line : notes(mode))
    if (line.rfind(what + " ", 0) == 0) found = std::stoi(line.substr(what.size() + 1));
  return found;
}

const wire::ElimState& MelimStage::state_of(const std::string& elim) const {
  static const wire::ElimState kNone;
  const auto found = states_.find(elim);
  EXPECT_NE(found, states_.end()) << "no state of " << elim;
  return found == states_.end() ? kNone : found->second;
}

std::size_t MelimStage::peak_kilobytes() const {
  std::istringstream lines(contents("/proc/" + std::to_string(melim_) + "/status"));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoul(line.substr(6));
  ADD_FAILURE() << "no VmHWM of MELIM: it does not run";
  return 0;
}

int MelimStage::wait_for_end() {
  int status = 0;
  const auto deadline = Clock::now() + kPatience;
  while (waitpid(melim_, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      ADD_FAILURE() << "waited " << kPatience.count() << " s for MELIM to end";
      kill(melim_, SIGKILL);
    }
    poll(nullptr, 0, 10);
  }
  melim_ = -1;
  return status;
}

}  // namespace rollcall::melim::test
