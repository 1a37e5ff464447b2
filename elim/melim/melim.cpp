#include "elim/melim/melim.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "common/io/process_tree.hpp"
#include "elim/melim/clock.hpp"
#include "elim/melim/log_place.hpp"
#include "elim/melim/orders.hpp"
#include "elim/policy/melim/elim_end.hpp"

namespace rollcall::melim {
namespace {

constexpr std::size_t kReportBytes = 256 * 1024;  // of values in one report; a frame holds 1 MiB
// What keepers need to end an elim, and a second more.
constexpr Duration kLongestEnd = kTermGrace + kGiveUp + std::chrono::seconds(1);

void take_earlier(std::optional<TimePoint>& deadline, const std::optional<TimePoint>& other) {
  if (other && (!deadline || *other < *deadline)) deadline = other;
}

}  // namespace

Melim::Melim(LimLink link, const rlimit& open_files)
    : log_(STDERR_FILENO, "melim", io::Level::warning),
      loop_(log_, "MELIM",
            {[] {},  // its orders come from LIM, not from files
             [this] { end_all("asked to end", time_now()); }, [this] { child_ended(); }}),
      link_(std::move(link)),
      link_watch_(loop_.context(), link_.fd()),
      around_{loop_.context(), [this] { settle_soon(); }, open_files} {}

io::DaemonEnd Melim::run() {
  loop_.await_signals();
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signo : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&taken, signo);
  sigprocmask(SIG_UNBLOCK, &taken, nullptr);
  settle_soon();
  const io::DaemonEnd how = loop_.run();
  if (!elims_.empty()) around_.log.say("ends, though not every elim could be ended");
  remove_private_directory(private_logs_);
  return how;
}

bool Melim::finished(TimePoint now) const { return give_up_at_ && (elims_.empty() || now >= *give_up_at_); }

void Melim::settle_soon() {
  if (std::exchange(settles_, true)) return;
  boost::asio::post(loop_.context(), [this] { settle(); });
}

void Melim::settle() {
  settles_ = false;
  const TimePoint now = time_now();
  if (std::exchange(around_.keeper_killed, false)) end_strays();
  for (auto& [name, elim] : elims_) elim->pass_time(now);
  if (look_at_ && now >= *look_at_ && !give_up_at_) look_around(now);
  forget_retired();
  if (!give_up_at_) report(now);
  if (finished(now)) return loop_.stop();
  listen(now);
  set_timer(now);
}

void Melim::listen(TimePoint now) {
  for (auto& [name, elim] : elims_) elim->listen(now);
  if (give_up_at_) return;
  link_watch_.await_read([this] { hear_lim(); });
  if (link_.wants_to_write()) link_watch_.await_write([this] { settle_soon(); });
  if (!server_watch_ && server_dir_.fd() >= 0)
    server_watch_ = DescriptorWatch(loop_.context(), server_dir_.fd());
  server_watch_.await_read([this] {
    if (server_dir_.take_changes()) take_earlier(look_at_, time_now() + kSettle);
    settle_soon();
  });
}

void Melim::set_timer(TimePoint now) {
  const auto deadline = next_deadline(now);
  if (deadline == timer_at_) return;
  timer_at_ = deadline;
  timer_.cancel();
  if (!deadline) return;
  timer_.expires_after(std::max(*deadline - now, Duration{0}));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    timer_at_.reset();
    settle_soon();
  });
}

std::optional<TimePoint> Melim::next_deadline(TimePoint now) const {
  std::optional<TimePoint> deadline = give_up_at_ ? give_up_at_ : look_at_;
  for (const auto& [name, elim] : elims_) take_earlier(deadline, elim->next_deadline(now));
  const bool something_to_say = !around_.merge.empty() || around_.states_changed;
  if (something_to_say && !give_up_at_ && !link_.wants_to_write())
    take_earlier(deadline, last_report_ ? *last_report_ + around_.orders.poll_interval : now);
  return deadline;
}

void Melim::child_ended() {
  io::reap_others(loop_.context());
  if (strays_) end_strays();
}

// Keepers are known by their sockets. Any other child has lost its keeper, and is killed.
void Melim::end_strays() {
  std::vector<pid_t> keepers;
  for (const auto& [name, elim] : elims_)
    if (elim->keeper_pid() > 0) keepers.push_back(elim->keeper_pid());
  strays_ = io::signal_descendants(SIGKILL, keepers) > 0;
}

void Melim::hear_lim() {
  if (give_up_at_) return;
  const TimePoint now = time_now();
  const bool up = link_.receive([&](const wire::ToMelim& message) {
    if (message.has_orders()) take_orders(message.orders(), now);
  });
  if (!up) end_all("LIM is gone", now);
  settle_soon();
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
    if (server_dir_.path() != around_.orders.server_dir) server_watch_ = {};
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
  // Values that did not fit are sent at once.
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
  loop_.begin_end(io::DaemonEnd::stopped);
  settle_soon();
}

}  // namespace rollcall::melim
