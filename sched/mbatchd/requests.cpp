#include "sched/mbatchd/requests.hpp"

#include <algorithm>
#include <utility>

#include "common/io/local_time.hpp"
#include "common/io/memory_reserve.hpp"
#include "sched/policy/answers/opened_hosts.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/jobs/submission_check.hpp"

namespace rollcall::mbatchd {
namespace {

using Control = wire::ControlBatch;
using Refusal = wire::BatchReply::Refusal;

constexpr std::size_t kPiece = 500;     // jobs of one request in a turn: some ten milliseconds
constexpr std::size_t kRoom = 1 << 20;  // bytes that a turn needs besides
constexpr std::size_t kCopies = 4;      // of a submission: Book, store, event, answer
constexpr std::size_t kElement = 2048;  // bytes
constexpr std::chrono::seconds kAwaited{
    8};  // another cluster's answer; the client of the command waits for ten

}  // namespace

void Requests::take(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
  io::changing([&] { carry_out(link, who, request); });
}

void Requests::carry_out(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
  using Request = wire::BatchRequest;
  const auto now = io::wall_now();
  switch (request.request_case()) {
    case Request::kSubmit:
      return submit(link, who, request.submit());
    case Request::kSignal:
      return do_piece(
          {link, [this, work = commands_.begin_signal(request.signal(), who)](std::size_t most, WallTime at) {
             return commands_.signal_some(*work, most, at);
           }});
    case Request::kMove:
      return applied(link, commands_.move_job(request.move(), who, now));
    case Request::kSwitchJobs:
      return do_piece(
          {link, [this, work = commands_.begin_switch(request.switch_jobs(), who)](
                     std::size_t most, WallTime at) { return commands_.switch_some(*work, most, at); }});
    case Request::kModify:
      return do_piece(
          {link, [this, work = commands_.begin_modify(request.modify(), who)](std::size_t most, WallTime at) {
             return commands_.modify_some(*work, most, at);
           }});
    case Request::kPiece:
      return handler_.piece(link, who, request.piece());
    case Request::kControl:
      return control(link, who, request.control());
    default:
      queries_.ask(link, who, request);
      return handler_.turn_soon();
  }
}

void Requests::submit(io::LinkId link, const sched::Identity& who, const wire::Submit& request) {
  for (const auto& job : request.jobs())
    if (const auto size = job.ByteSizeLong(); size > sched::jobs::kMostSubmission)
      return clients_.reply(
          link, refusal(Refusal::BAD_REQUEST, "the job's script and environment have " +
                                                  std::to_string(size) + " bytes, expected at most " +
                                                  std::to_string(sched::jobs::kMostSubmission)));
  if (!has_memory_for(request))
    return clients_.reply(link,
                          refusal(Refusal::FAILED,
                                  "mbatchd cannot have the memory that more jobs need; submit again when "
                                  "jobs have ended, or ask your administrator"));
  auto done = commands_.submit(request, who, io::wall_now());
  for (int i = 0; i < done.reply.submitted().jobs_size(); ++i)
    if (const auto& job = done.reply.submitted().jobs(i);
        job.id() != 0 && request.jobs(i).interactive() != wire::Submission::NONE)
      handler_.interactive(link, {job.id(), 0});
  applied(link, std::move(done));
}

// A submission must not fail halfway, so memory for all of it is checked before it begins.
bool Requests::has_memory_for(const wire::Submit& request) const {
  std::size_t bytes = kRoom;
  for (const auto& job : request.jobs()) {
    bytes += kCopies * job.ByteSizeLong();
    // Too many elements are refused later, with the message for users.
    std::size_t elements = 0;
    for (const auto& range : job.indices())
      elements += static_cast<std::size_t>(
          std::max<std::int64_t>(0, std::int64_t{range.last()} - range.first()) / std::max(1, range.step()));
    if (elements <= sched::jobs::kMostElements) bytes += kElement * elements;
  }
  return handler_.memory_for(bytes);
}

// The reply leaves after its commit.
void Requests::applied(io::LinkId link, sched::book::Applied done) {
  done.reply.set_last(true);
  if (done.effects.empty() && (committer_.failing() || !committer_.to_save()))
    return clients_.reply(link, done.reply);
  links_.promise(link);
  committer_.reply(link, std::move(done.reply));
  handler_.changed(std::move(done.effects));
  handler_.turn_soon();
}

// The request is completed even if its client disconnects meanwhile.
void Requests::do_piece(LongWork work) {
  auto done = work.some(kPiece, io::wall_now());
  if (done.waits) return await(std::move(work), std::move(done.effects));
  if (done.reply.last()) return applied(work.link, std::move(done));
  links_.promise(work.link);
  committer_.reply(work.link,
                   std::move(done.reply));  // also with no outcome yet: a failed commit must be reported
  handler_.changed(std::move(done.effects));
  works_.push_back(std::move(work));
  handler_.turn_soon();
}

void Requests::await(LongWork work, sched::Effects effects) {
  links_.promise(work.link);
  if (!effects.empty()) {
    handler_.changed(std::move(effects));
    handler_.turn_soon();
  }
  if (work.until == decltype(work.until)()) work.until = std::chrono::steady_clock::now() + kAwaited;
  awaiting_.push_back(std::move(work));
  give_up();
}

void Requests::give_up() {
  const auto now = std::chrono::steady_clock::now();
  for (auto& work : std::exchange(awaiting_, {}))
    if (work.until > now)
      awaiting_.push_back(std::move(work));
    else
      clients_.reply(
          work.link,
          refusal(Refusal::FAILED,
                  "another cluster was asked to give a job back, and has not answered yet: no job is "
                  "modified, but that one will pend here again when the cluster answers; repeat the "
                  "command then; bjobs -p names the cluster, bclusters -l says how it stands"));
  if (awaiting_.empty()) return void(give_up_.cancel());
  const auto next = std::min_element(awaiting_.begin(), awaiting_.end(),
                                     [](const auto& a, const auto& b) { return a.until < b.until; });
  give_up_.expires_at(next->until);
  give_up_.async_wait([this](const boost::system::error_code& error) {
    if (!error) give_up();
  });
}

// What nobody waits for any longer is dropped: nothing of it is done yet.
void Requests::jobs_came_back() {
  for (auto& work : std::exchange(awaiting_, {}))
    if (clients_.has(work.link)) do_piece(std::move(work));
}

void Requests::go_on() {
  for (auto& work : std::exchange(works_, {})) {
    if (committer_.failing()) work.link = 0;  // the client knows that this waits
    do_piece(std::move(work));
  }
}

void Requests::write_off(io::LinkId link, const sched::Identity& who, const Control& asked) {
  std::string clusters;
  for (const auto& name : asked.names()) clusters += " @" + name;
  if (!asked.only_say()) log_.notice(who.user + ": badmin hforget -jobs" + clusters);
  applied(link, handler_.write_off(asked, who));
}

void Requests::note_stores_taken(const sched::Identity& who, const Control& asked,
                                 const wire::BatchReply& reply) {
  const auto& outcomes = reply.outcomes().outcomes();
  sched::Effects notes;
  for (int i = 0; i < std::min(asked.names_size(), outcomes.size()); ++i)
    if (!outcomes[i].failed())
      notes.push_back(sched::book::ForwardedJobs::taken_anew(asked.names(i), who, io::wall_now()));
  if (notes.empty()) return;
  handler_.changed(std::move(notes));
  handler_.turn_soon();
}

void Requests::control(io::LinkId link, const sched::Identity& who, const Control& asked) {
  switch (asked.action()) {
    case Control::QUEUE_OPEN:
    case Control::QUEUE_CLOSE:
    case Control::QUEUE_ACTIVATE:
    case Control::QUEUE_INACTIVATE:
    case Control::HOST_OPEN:
    case Control::HOST_CLOSE: {
      auto done = commands_.control(asked, who, io::wall_now());
      if (asked.action() == Control::HOST_OPEN && done.reply.has_outcomes())
        sched::answers::say_what_stays_closed(handler_.snapshot(), done.reply);
      return applied(link, std::move(done));
    }
    case Control::SHOW_CONFIGURATION:  // every user may read these, as in LSF
    case Control::SHOW_STATUS:
      return clients_.reply(link, controls_.carry_out(asked, handler_.configuration()));
    default:
      break;
  }
  if (!who.is_admin) {
    log_.warning(who.user + " asked for " + Control::Action_Name(asked.action()) + ", and may not");
    return clients_.reply(link, refusal(Refusal::NOT_ALLOWED, "User permission denied"));
  }
  if (asked.action() == Control::WRITE_OFF_CLUSTERS) return write_off(link, who, asked);
  if (!asked.only_say()) log_.notice(who.user + ": " + Control::Action_Name(asked.action()));
  const auto reply = controls_.carry_out(asked, handler_.configuration());
  if (asked.action() == Control::FORGET_CLUSTERS && !asked.only_say()) note_stores_taken(who, asked, reply);
  clients_.reply(link, reply);
}

}  // namespace rollcall::mbatchd
