#include "sched/commands/interactive_job.hpp"

#include <optional>

#include "common/io/stream_client.hpp"
#include "sched/commands/terminal_carrier.hpp"

namespace rollcall::sched {

namespace {

// Files that are written where the job was submitted, when it has ended: by way of the masters, if it ran in another cluster.
bool returns_files(const wire::Submission& job) {
  return !job.output_file().empty() || !job.error_file().empty() || job.transfers_size() != 0;
}

}  // namespace

int run_interactive(io::Stage& stage, JobWaiter& waiter, const wire::Submission& job) {
  std::optional<EndingSignals> signals(std::in_place);  // none is lost until the stream's loop reads them
  const auto ready = waiter.until_ready(*signals);
  if (!ready) return stage.fail(ready.error().text);
  if (const auto* const ended = std::get_if<client::JobEnd>(&*ready)) {
    if (ended->killed_pending) waiter.say("<<Terminated while pending>>");
    return client::exit_code_of(*ended);
  }
  const auto& place = std::get<wire::StreamPlace>(*ready);
  io::StreamOrder order{place, job.input_file().empty() && !job.has_spooled_input()};
  std::optional<TerminalCarrier> carrier;
  if (place.port() == 0) {  // in another cluster
    carrier.emplace(stage.files_to_ask(), CarriedJob{waiter.key(), waiter.attempt()});
    if (const auto begun = carrier->begin(); !begun) return stage.fail(begun.error().text);
    order.carrier = carrier->take_socket();
  } else {
    order.place.set_host(stage.files_to_ask().names.address(place.host()).value_or(place.host()));
  }
  io::StreamSettings settings{job.interactive() != wire::Submission::PLAIN,
                              job.interactive() == wire::Submission::TERMINAL};
  settings.silence = waiter.alive_timeout();
  // Where the job has a terminal, Ctrl-C is a key of it: a shell there gets many.
  if (!settings.terminal) settings.passed_on = [&waiter](int signal) { waiter.tell_passed_on(signal); };
  const auto ends = io::run_streams({order}, settings);
  signals.reset();
  const bool elsewhere = carrier.has_value();
  carrier.reset();
  const auto& end = ends.front();
  if (end.how == io::StreamEnd::How::over) {
    // The program that calls bsub may read the files next. The job is over once they have been written.
    if (elsewhere && returns_files(job))
      if (const auto ended = waiter.until_over(); !ended) return stage.fail(ended.error().text);
    return io::exit_code_of(end);
  }
  stage.fail(end.why);
  if (end.how == io::StreamEnd::How::not_started) return io::exit_code_of(end);
  // The connection is gone, and the job perhaps not: mbatchd knows how it ends.
  const auto ended = waiter.until_over();
  return ended ? client::exit_code_of(*ended) : stage.fail(ended.error().text);
}

}  // namespace rollcall::sched
