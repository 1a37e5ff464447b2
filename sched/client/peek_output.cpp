#include "sched/client/peek_output.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "sched/client/job_hosts.hpp"
#include "sched/client/questions.hpp"
#include "sched/policy/values/host_id.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::client {
namespace {

constexpr std::chrono::seconds kPause{1};

Failure no_output(std::string text) { return {Failure::Kind::no_match, std::move(text)}; }

std::string name_of(const wire::JobRecord& job) {
  return "Job <" + sched::text(sched::key_of(job.key())) + ">";
}

// Why there is nothing to read of a job that is no longer, or not yet, on a host; "" where it is on one.
std::string why_unreadable(const wire::JobRecord& job) {
  if (sched::pending(job.status())) return name_of(job) + " : Not yet started.";
  if (sched::finished(job.status())) return name_of(job) + " : Already finished.";
  return job.hosts_size() == 0 ? name_of(job) + " : has no host" : "";
}

// In another cluster, which it was forwarded to or whose host is its first one.
bool runs_elsewhere(const wire::JobRecord& job) {
  return job.has_forwarded() || !sched::HostId(job.hosts(0).name()).ours();
}

// What mbatchd says of the job now; nothing where it does not answer.
std::optional<wire::JobRecord> record_of(Session& session, const wire::JobKey& key) {
  wire::AskJobs question;
  *question.mutable_filter()->add_keys() = key;
  std::optional<wire::JobRecord> record;
  ask_jobs(session, std::move(question),
           {[&record](const auto& job, const auto&) { record = job.record(); }});
  return record;
}

// The same as read_output(), of a job in another cluster: mbatchd has it read there, piece by piece.
std::optional<HostTrouble> read_elsewhere(Session& session, const wire::JobRecord& job, OutputPart part,
                                          const std::function<bool(const std::string&)>& take) {
  while (true) {
    wire::BatchRequest question;
    *question.mutable_piece()->mutable_key() = job.key();
    question.mutable_piece()->set_attempt(job.attempt());
    auto& asked = *question.mutable_piece()->mutable_asked();
    asked.set_operation(part.errors ? wire::PieceAsked::ERRORS : wire::PieceAsked::OUTPUT);
    asked.set_from(part.from);
    const auto reply = session.ask(std::move(question));
    if (!reply) return HostTrouble{reply.error().kind == Failure::Kind::refused, reply.error().text};
    const wire::Piece& piece = reply->piece();
    if (!piece.why_not().empty()) return HostTrouble{!piece.later(), piece.why_not()};
    if (!piece.data().empty()) {
      if (!take(piece.data())) return std::nullopt;
      part.from += static_cast<std::int64_t>(piece.data().size());
    } else if (!part.follow || piece.over()) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
}

// Follows one job through losses of its host.
class Reader {
 public:
  Reader(Session& session, wire::JobRecord job, OutputWanted wanted)
      : session_(session), job_(std::move(job)), first_attempt_(job_.attempt()) {
    part_.errors = wanted.errors;
    part_.follow = wanted.follow;
  }

  std::optional<Failure> read(const std::function<bool(const std::string&)>& take) {
    while (true) {
      const auto from = part_.from;
      const auto trouble = read_part(take);
      if (!trouble) return std::nullopt;
      const bool refused = trouble->refused && !awaited_on_host();
      if (refused) return Failure{Failure::Kind::refused, trouble->text};
      if (part_.from != from) continue;
      if (!begun_ || !part_.follow) return Failure{Failure::Kind::unreachable, trouble->text};
      if (!trouble->refused) tell_once(outage_told_, trouble->text + ". Please wait ...");
      if (auto over = await_host()) return over;
    }
  }

 private:
  std::optional<HostTrouble> read_part(const std::function<bool(const std::string&)>& take) {
    auto next = part_.from;
    const auto take_some = [&](const std::string& bytes) {
      begun_ = true;
      outage_told_ = false;
      next += static_cast<std::int64_t>(bytes.size());
      return take(bytes);
    };
    const auto trouble = runs_elsewhere(job_)
                             ? read_elsewhere(session_, job_, part_, take_some)
                             : read_output(session_.files(), session_.settings(), job_, part_, take_some);
    part_.from = next;
    return trouble;
  }

  // mbatchd has just sent the job there: its host may not have it yet, and then refuses.
  bool awaited_on_host() const { return job_.attempt() != first_attempt_ && part_.from == 0; }

  // Looks once where the job is, and waits a moment where it is not elsewhere. The failure: it cannot be read any more.
  std::optional<Failure> await_host() {
    const auto now = record_of(session_, job_.key());
    if (now && sched::pending(now->status())) {
      tell_once(pending_told_, why_unreadable(*now) + " Please wait ...");
    } else if (const auto why = now ? why_unreadable(*now) : ""; !why.empty()) {
      return no_output(why);
    } else if (now && now->attempt() != job_.attempt()) {
      session_.tell(name_of(*now) + " was started again on host <" + now->hosts(0).name() + ">");
      job_ = *now;
      part_.from = 0;
      pending_told_ = false;
      return std::nullopt;
    }
    std::this_thread::sleep_for(kPause);
    return std::nullopt;
  }

  void tell_once(bool& told, const std::string& line) {
    if (!std::exchange(told, true)) session_.tell(line);
  }

  Session& session_;
  wire::JobRecord job_;
  OutputPart part_;
  const decltype(job_.attempt()) first_attempt_;
  bool begun_ = false;  // something was read
  bool outage_told_ = false, pending_told_ = false;
};

}  // namespace

Answered<PeekedJob> find_output(Session& session, wire::JobFilter filter) {
  wire::AskJobs question;
  *question.mutable_filter() = std::move(filter);
  question.set_submissions(true);
  std::optional<PeekedJob> found;
  std::string unknown;
  const auto failure = ask_jobs(session, std::move(question),
                                {[&](const auto& job, const auto& asked) {
                                   if (!found || found->job.submit_us() <= job.record().submit_us())
                                     found = PeekedJob{job.record(), asked};
                                 },
                                 [&](const auto& part) {
                                   for (const auto& id : part.unknown()) unknown = id;
                                 }});
  if (failure) return *failure;
  if (!unknown.empty()) return no_output("Job <" + unknown + "> is not found");
  if (!found) return no_output("No unfinished job found");
  if (const auto why = why_unreadable(found->job); !why.empty()) return no_output(why);
  return std::move(*found);
}

std::optional<Failure> peek_output(Session& session, wire::JobRecord job, OutputWanted wanted,
                                   const std::function<bool(const std::string&)>& take) {
  return Reader(session, std::move(job), wanted).read(take);
}

}  // namespace rollcall::client
