#include "elim/melim/melim.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "common/io/process_tree.hpp"
#include "elim/melim/clock.hpp"
#include "elim/melim/log_place.hpp"
#include "elim/melim/orders.hpp"
#include "elim/policy/melim/elim_end.hpp"

namespace rollcall::melim {
namespace {

constexpr std::size_t kReportBytes = 256 * 1024;  // of values in one report; a frame holds 1 MiB
// Keepers have what they need to end an elim, and a second to be heard of.
constexpr Duration kLongestEnd = kTermGrace + kGiveUp + std::chrono::seconds(1);

void take_earlier(std::optional<TimePoint>& deadline, const std::optional<TimePoint>& other) {
  if (other && (!deadline || *other < *deadline)) deadline = other;
}

}  // namespace

void Melim::run() {
  while (!finished(time_now())) turn();
  if (!elims_.empty()) around_.log.say("ends, though not every elim could be ended");
  remove_private_directory(private_logs_);
}

bool Melim::finished(TimePoint now) const { return give_up_at_ && (elims_.empty() || now >= *give_up_at_); }

void Melim::turn() {
  wait(time_now());
  const TimePoint now = time_now();
  if (ready(signals_)) take_signals();
  for (auto& [name, elim] : elims_) elim->turn(fds_, now);
  if (!give_up_at_ && ready(link_.fd())) {
    const bool up = link_.receive([&](const wire::ToMelim& message) {
      if (message.has_orders()) take_orders(message.orders(), now);
    });
    if (!up) end_all("LIM is gone", now);
  }
  if (server_dir_.fd() >= 0 && ready(server_dir_.fd()) && server_dir_.take_changes())
    take_earlier(look_at_, now + kSettle);
  if (look_at_ && now >= *look_at_ && !give_up_at_) look_around(now);
  forget_retired();
  if (!give_up_at_) report(now);
}

void Melim::wait(TimePoint now) {
  fds_.clear();
  fds_.push_back({signals_, POLLIN, 0});
  if (!give_up_at_)
    fds_.push_back({link_.fd(), static_cast<short>(link_.wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0});
  if (server_dir_.fd() >= 0 && !give_up_at_) fds_.push_back({server_dir_.fd(), POLLIN, 0});
  for (const auto& [name, elim] : elims_) elim->add_to(fds_, now);
  if (poll(fds_.data(), fds_.size(), timeout_ms(now)) < 0)
    for (pollfd& fd : fds_) fd.revents = 0;
}

int Melim::timeout_ms(TimePoint now) const {
  std::optional<TimePoint> deadline = give_up_at_ ? give_up_at_ : look_at_;
  for (const auto& [name, elim] : elims_) take_earlier(deadline, elim->next_deadline(now));
  const bool something_to_say = !around_.merge.empty() || around_.states_changed;
  if (something_to_say && !give_up_at_ && !link_.wants_to_write())
    take_earlier(deadline, last_report_ ? *last_report_ + around_.orders.poll_interval : now);
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(std::max(*deadline - now, Duration{0})).count();
  return static_cast<int>(std::min<std::int64_t>(left, INT_MAX));
}

bool Melim::ready(int fd) const {
  return std::any_of(fds_.begin(), fds_.end(),
                     [fd](const pollfd& p) { return p.fd == fd && p.revents != 0; });
}

void Melim::take_signals() {
  signalfd_siginfo info;
  bool children = false;
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) children = true;
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) end_all("asked to end", time_now());
  }
  if (children) reap();
}

// Keepers tell of themselves by their sockets. What else is a child of ours has lost its keeper, and is ended.
void Melim::reap() {
  int status = 0;
  bool keeper_killed = false;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    if (WIFSIGNALED(status)) keeper_killed = true;
  if (pid < 0 || !keeper_killed) return;
  std::vector<pid_t> keepers;
  for (const auto& [name, elim] : elims_)
    if (elim->keeper_pid() > 0) keepers.push_back(elim->keeper_pid());
  io::signal_descendants(SIGKILL, keepers);
}

void Melim::take_orders(const wire::MelimOrders& message, TimePoint now) {
  ElimOrders orders = orders_of(message);
  if (message.log_directories_size() > 0 || !message.private_log_directory().empty())
    orders.log_dir =
        writable_log_directory({message.log_directories().begin(), message.log_directories().end()},
                               message.private_log_directory());
  if (orders.log_dir == message.private_log_directory()) private_logs_ = orders.log_dir;
  const bool afresh = !same_start(around_.orders, orders);
  around_.orders = std::move(orders);
  around_.names = names_of(message);
  const std::string& logs = around_.orders.log_dir;
  around_.log.open(around_.orders.log_file, logs.empty() ? "" : logs + "/melim.log." + around_.orders.host);
  around_.log.say("orders: master " + std::string(1, around_.orders.master ? 'Y' : 'N') + ", " +
                  std::to_string(around_.orders.resources.size()) + " resources expected");
  for (auto& [name, elim] : elims_)
    if (!elim->leaving()) elim->feed(Ordered{around_.orders.rules, afresh}, now);
  around_.states_changed = true;
  verdicts_.clear();
  unsafe_directory_.clear();
  look_around(now);
}

void Melim::look_around(TimePoint now) {
  look_at_.reset();
  ServerDirListing listing;
  if (!around_.orders.resources.empty()) {
    server_dir_.watch(around_.orders.server_dir);
    listing = server_dir_.look();
    look_at_ = now + std::max(around_.orders.rules.restart_interval, kLeastLookInterval);
  }
  if (!listing.unsafe.empty() && listing.unsafe != unsafe_directory_)
    around_.log.say(server_dir_.path() + ": " + listing.unsafe + "; no elim is run");
  unsafe_directory_ = listing.unsafe;
  if (listing.too_many)
    around_.log.say("more than " + std::to_string(kMostElims) + " elims: the others are not run");

  const auto runs = [&](const std::string& name) {
    const auto found = listing.elims.find(name);
    return found != listing.elims.end() && found->second.verdict.kind == FileVerdict::Kind::run;
  };
  for (auto& [name, elim] : elims_)
    if (!runs(name) && !elim->leaving()) elim->feed(Retired{}, now);
  forget_retired();
  std::erase_if(verdicts_, [&](const auto& file) { return !listing.elims.contains(file.first); });
  for (const auto& [name, found] : listing.elims) take_elim(name, found, now);
}

void Melim::take_elim(const std::string& name, const FoundElim& found, TimePoint now) {
  say_verdict(name, found.verdict);
  if (found.verdict.kind != FileVerdict::Kind::run) return;
  auto& elim = elims_[name];
  if (!elim) {
    elim = std::make_unique<Elim>(name, found.identity, around_, now);
    elim->feed(TimePassed{}, now);
  } else if (elim->identity() != found.identity || elim->leaving()) {
    elim->set_identity(found.identity);
    elim->feed(FileChanged{}, now);
  }
}

void Melim::say_verdict(const std::string& name, const FileVerdict& verdict) {
  const auto said = verdicts_.find(name);
  if (verdict.text.empty()) {
    if (said != verdicts_.end()) verdicts_.erase(said);
    return;
  }
  if (said != verdicts_.end() && said->second.text == verdict.text) return;
  verdicts_[name] = verdict;
  around_.states_changed = true;
  const bool runs = verdict.kind == FileVerdict::Kind::run;
  around_.log.say(name + ": " + verdict.text + (runs ? "" : "; it is not run"));
}

void Melim::forget_retired() {
  const auto erased = std::erase_if(elims_, [](const auto& elim) { return elim.second->retired(); });
  if (erased > 0) around_.states_changed = true;
}

void Melim::report(TimePoint now) {
  if (link_.wants_to_write()) {
    if (!link_.flush()) return end_all("LIM is gone", now);
    if (link_.wants_to_write()) return;
  }
  if (around_.merge.empty() && !around_.states_changed) return;
  if (last_report_ && now - *last_report_ < around_.orders.poll_interval) return;
  wire::FromMelim message;
  wire::MelimReport& report = *message.mutable_report();
  for (Reading& reading : around_.merge.take(kReportBytes)) {
    auto* value = report.add_values();
    value->set_name(std::move(reading.name));
    if (auto* word = std::get_if<std::string>(&reading.value))
      value->set_word(std::move(*word));
    else
      value->set_number(std::get<float>(reading.value));
  }
  if (std::exchange(around_.states_changed, false)) add_states(report);
  link_.send(message);
  // What did not fit leaves at once.
  last_report_ = around_.merge.empty() ? std::optional(now) : std::nullopt;
  if (!link_.flush()) end_all("LIM is gone", now);
}

void Melim::add_states(wire::MelimReport& report) const {
  for (const auto& [name, elim] : elims_) elim->describe(*report.add_elims());
  for (const auto& [name, verdict] : verdicts_) {
    if (verdict.kind != FileVerdict::Kind::refuse || elims_.contains(name)) continue;
    auto& state = *report.add_elims();
    state.set_name(name);
    state.set_state(wire::ElimState::GIVEN_UP);
    state.set_last_error(verdict.text);
  }
  report.set_no_elims(report.elims_size() == 0);
}

void Melim::end_all(const char* why, TimePoint now) {
  if (give_up_at_) return;
  give_up_at_ = now + kLongestEnd;
  around_.log.say(std::string(why) + ": ending " + std::to_string(elims_.size()) + " elims");
  for (auto& [name, elim] : elims_) elim->feed(Retired{}, now);
  forget_retired();
}

}  // namespace rollcall::melim
