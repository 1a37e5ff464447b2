#include "elim/melim/elim.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/io/root_trust.hpp"
#include "common/io/spawn.hpp"
#include "elim/melim/clock.hpp"

namespace rollcall::melim {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> words;
  for (char** word = environ; word != nullptr && *word != nullptr; ++word) words.emplace_back(*word);
  return words;
}

// Where MELIM runs as root: the first administrator may be root.
Result<void> may_execute(const std::string& program) {
  const auto trust = io::read_root_trust();
  if (!trust) return trust.error();
  return io::check_trust(*trust, program, "root would execute it");
}

wire::ElimState::State wire_state(Phase phase) {
  switch (phase) {
    case Phase::running:
      return wire::ElimState::RUNNING;
    case Phase::aborted:
      return wire::ElimState::ABORTED;
    case Phase::given_up:
      return wire::ElimState::GIVEN_UP;
    case Phase::waiting:
    case Phase::ending:
    case Phase::retired:
      break;
  }
  return wire::ElimState::WAITING;
}

std::string start_failure(const KeeperWord& word, const std::string& program) {
  const std::string why = std::string("cannot ") + io::stage_text(static_cast<io::SpawnStage>(word.stage)) +
                          " it: " + std::strerror(word.value);
  if (word.value != ENOENT) return why;
  if (begins_with_dos_line(AT_FDCWD, program.c_str())) return why + ": " + kDosLine;
  return why + " (is the program that its first line names there?)";
}

}  // namespace

Elim::Elim(std::string name, FileIdentity identity, Surroundings& around, TimePoint now)
    : name_(std::move(name)), identity_(identity), around_(around), life_(around.orders.rules, now) {}

void Elim::feed(const Event& event, TimePoint now) {
  pump_.happened(event, [this, now](const Event& next) { take(next, now); });
}

void Elim::take(const Event& event, TimePoint now) {
  const auto state = [this] { return std::tuple(wire_state(life_.phase), life_.restarts, life_.phase); };
  const auto before = state();
  for (const Effect& effect : step(life_, event, now)) std::visit([this](const auto& e) { act(e); }, effect);
  if (state() != before) around_.states_changed = true;
  if (start_failure_) feed(StartFailed{*std::exchange(start_failure_, std::nullopt)}, now), feed(Gone{}, now);
}

void Elim::act(const Start&) {
  std::vector<std::string> argv{path()};
  argv.insert(argv.end(), around_.orders.arguments.begin(), around_.orders.arguments.end());
  const auto believed = may_execute(argv.front());
  const KeeperPlan plan{std::move(argv), elim_environment(own_environment(), around_.orders),
                        around_.orders.server_dir, around_.open_files};
  auto keeper = believed ? start_keeper(around_.loop, plan,
                                        [this](int status) {
                                          keeper_ended(status, time_now());
                                          around_.happened();
                                        })
                         : Result<Keeper>(believed.error());
  deaf_ = false;
  output_.clear();
  errors_.clear();
  gate_ = {};
  if (keeper)
    keeper_ = std::move(*keeper);
  else
    start_failure_ = keeper.error().text;
}

void Elim::act(const End&) {
  if (keeper_) shutdown(keeper_->control.get(), SHUT_WR);
}

void Elim::act(const Say& e) { say(e.text); }

void Elim::act(const SayRest& e) {
  ++refused_;
  last_error_ = e.text;
  deaf_ = true;
  around_.states_changed = true;
  say(e.text + "; it has said " + printable(output_.rest(), kLineShown));
}

void Elim::listen(TimePoint now) {
  if (!keeper_) return;
  keeper_->control_watch.await_read([this] {
    take_keeper_words(time_now());
    around_.happened();
  });
  if (deaf_ || !gate_.open(now)) return;
  for (const Stream stream : {Stream::output, Stream::errors})
    watch(stream).await_read([this, stream] {
      read_stream(stream, time_now());
      around_.happened();
    });
}

void Elim::pass_time(TimePoint now) {
  // Reads first: what was written in time counts, even if we are late.
  if (keeper_ && life_.block_at && now >= *life_.block_at) read_stream(Stream::output, now);
  feed(TimePassed{}, now);
}

std::optional<TimePoint> Elim::next_deadline(TimePoint now) const {
  auto deadline = melim::next_deadline(life_);
  const bool reads = keeper_ && !deaf_ && (keeper_->output || keeper_->errors);
  if (reads && !gate_.open(now) && (!deadline || gate_.opens_at() < *deadline)) deadline = gate_.opens_at();
  return deadline;
}

// One read at a time, so that an elim with more output waits for the others.
void Elim::read_stream(Stream stream, TimePoint now) {
  if (deaf_ || !descriptor(stream)) return;
  const ssize_t size = read(descriptor(stream).get(), around_.buffer.data(), around_.buffer.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    watch(stream) = {};
    descriptor(stream).reset();
    return;
  }
  if (!gate_.took(static_cast<std::size_t>(size), now)) {
    deaf_ = true;
    last_error_ = "writes far more than an elim may";
    return feed(Flooded{}, now);
  }
  if (!take_bytes(stream, {around_.buffer.data(), static_cast<std::size_t>(size)}, now)) return;
  // A full buffer may end in the middle of a string: the rest is in the pipe.
  if (stream == Stream::errors || static_cast<std::size_t>(size) == around_.buffer.size()) return;
  feed(output_.in_line() ? Event(StringBegun{}) : Event(StringRead{}), now);
}

// Reads what is left in the pipes of an ended elim; its gate stops a flood.
void Elim::read_all(TimePoint now) {
  for (const Stream stream : {Stream::output, Stream::errors}) {
    std::size_t read_bytes = 1;
    for (int turns = 0; turns < 16 && read_bytes > 0 && !deaf_ && descriptor(stream); ++turns) {
      const ssize_t size = read(descriptor(stream).get(), around_.buffer.data(), around_.buffer.size());
      read_bytes = size > 0 ? static_cast<std::size_t>(size) : 0;
      if (read_bytes > 0) take_bytes(stream, {around_.buffer.data(), read_bytes}, now);
    }
  }
}

// False where the output ends the elim.
bool Elim::take_bytes(Stream stream, std::string_view bytes, TimePoint now) {
  if (stream == Stream::errors) {
    errors_.feed(bytes, [&](std::string_view line, LineCutter::Kind) { take_error_line(line, now); });
    return true;
  }
  bool complete = false;
  output_.feed(bytes, [&](std::string_view line, LineCutter::Kind kind) {
    complete = true;
    take_line(line, kind, now);
  });
  // The block time counts from the first byte of each string.
  if (complete && !deaf_) feed(StringRead{}, now);
  return !deaf_;
}

void Elim::take_line(std::string_view line, LineCutter::Kind kind, TimePoint now) {
  if (deaf_) return;
  const bool too_long = kind == LineCutter::Kind::too_long;
  if (around_.orders.debug && debug_lines_.take(now)) say("received " + printable(line, 4096));
  LoadString said = too_long ? refuse_long_line() : read_load_string(line, around_.names);
  if (!said.faults.empty()) ++refused_;
  for (const Fault& fault : said.faults) take_fault(fault, line);
  for (Reading& reading : said.readings) around_.merge.put(std::move(reading));
  if (!said.refused) return;
  deaf_ = true;
  feed(StringRefused{}, now);
}

void Elim::take_fault(const Fault& fault, std::string_view line) {
  last_error_ = fault.text;
  around_.states_changed = true;
  if (said_.first(fault)) say(fault.text + "; the line: " + printable(line, kLineShown));
}

void Elim::take_error_line(std::string_view line, TimePoint now) {
  if (!error_lines_.take(now)) return;
  if (const auto missing = error_lines_.left_out(); missing > 0)
    say(std::to_string(missing) + " lines of its stderr were left out: too many at once");
  say("stderr: " + printable(line, kLineShown));
}

void Elim::take_keeper_words(TimePoint now) {
  KeeperWord word;
  ssize_t size = 0;
  while ((size = recv(keeper_->control.get(), &word, sizeof word, MSG_DONTWAIT)) ==
         static_cast<ssize_t>(sizeof word)) {
    switch (word.kind) {
      case KeeperWord::started:
        say("started, pid " + std::to_string(word.value));
        break;
      case KeeperWord::not_started:
        last_error_ = start_failure(word, path());
        feed(StartFailed{last_error_}, now);
        break;
      case KeeperWord::ended:
        read_all(now);  // its last output comes before its end
        end(ExitStatus::from_wait(word.value), now);
        break;
    }
  }
  // The control channel is closed; the keeper's own end follows.
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) keeper_->control_watch = {};
}

void Elim::keeper_ended(int wait_status, TimePoint now) {
  take_keeper_words(now);  // its last messages come before its end
  if (WIFSIGNALED(wait_status)) around_.keeper_killed = true;
  close_keeper(now);
}

void Elim::end(const ExitStatus& status, TimePoint now) {
  // If we have ended it, the reason is recorded already.
  if (life_.phase == Phase::running) last_error_ = "has ended: " + status.text();
  feed(Ended{status}, now);
}

void Elim::close_keeper(TimePoint now) {
  read_all(now);
  if (errors_.in_line()) take_error_line(errors_.rest(), now);
  if (!deaf_ && !output_.rest().empty())
    say("has ended in the middle of a load update string: " + printable(output_.rest(), kLineShown));
  keeper_.reset();
  feed(Gone{}, now);
}

void Elim::describe(wire::ElimState& state) const {
  state.set_name(name_);
  state.set_state(wire_state(life_.phase));
  state.set_restarts(life_.restarts);
  state.set_errors(refused_);
  state.set_last_error(last_error_.substr(0, 2 * kLineShown));
}

}  // namespace rollcall::melim
