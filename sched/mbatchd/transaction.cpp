#include "sched/mbatchd/transaction.hpp"

#include <algorithm>
#include <utility>

namespace rollcall::mbatchd {
namespace {

namespace effect = sched::effect;
using Refusal = wire::BatchReply::Refusal;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::int32_t id_of(const sched::Effect& effect) {
  return std::visit(Overloaded{[](const effect::OrderStart& e) { return e.key.id; },
                               [](const effect::OrderExpect& e) { return e.key.id; },
                               [](const effect::OrderGo& e) { return e.key.id; },
                               [](const effect::OrderSignal& e) { return e.signal.attempt.job.id; },
                               [](const effect::OrderAcknowledge& e) { return e.attempt.job.id; },
                               [](const effect::OrderRelease& e) { return e.attempt.job.id; },
                               [](const auto&) { return 0; }},
                    effect);
}

void refuse(wire::BatchReply::Accepted& job, const io::StoreError& error) {
  const bool full = error.kind == io::StoreError::Kind::disk_full;
  job.Clear();
  job.mutable_refusal()->set_why(full ? Refusal::DISK_FULL : Refusal::FAILED);
  job.mutable_refusal()->set_text(full ? "The disk of mbatchd is full: no job can be accepted now"
                                       : "mbatchd cannot store the job: " + error.text);
}

// Of a change that is made in memory: it is saved and carried out when the store accepts writes again.
wire::BatchReply not_yet(const io::StoreError& error) {
  const bool full = error.kind == io::StoreError::Kind::disk_full;
  wire::BatchReply reply;
  reply.set_last(true);
  reply.mutable_refusal()->set_why(full ? Refusal::DISK_FULL : Refusal::FAILED);
  reply.mutable_refusal()->set_text(
      (full ? std::string("The disk of mbatchd is full")
            : "mbatchd cannot store what was asked: " + error.text) +
      "; it is done as soon as mbatchd can store it, if mbatchd is not ended before");
  return reply;
}

}  // namespace

Transaction::Touched Transaction::take(sched::Effects effects) {
  Touched touched;
  for (auto& any : effects) {
    std::visit(Overloaded{[&](effect::SaveJob& e) {
                            jobs_.insert(e.key);
                            touched.jobs.insert(e.key);
                          },
                          [&](effect::SaveSubmission& e) { submissions_.insert(e.number); },
                          [&](effect::SavePayload& e) {
                            const auto row = e.row.number;
                            payloads_[row] = std::make_shared<const io::StoredPayload>(std::move(e.row));
                          },
                          [&](effect::DropPayload& e) {
                            payloads_.erase(e.number);
                            dropped_payloads_.push_back(e.number);
                          },
                          [&](effect::RemoveJob& e) {
                            const auto key = sched::key_of(e.record.key());
                            jobs_.erase(key);
                            touched.jobs.insert(key);
                            removed_.push_back(std::move(e.record));
                          },
                          [&](effect::SaveCounters&) { counters_ = true; },
                          [&](effect::SaveControl& e) {
                            touched.controls.push_back(e.state);
                            controls_.push_back(std::move(e.state));
                          },
                          [&](effect::SaveToken& e) { tokens_.insert(std::move(e.token)); },
                          [&](effect::ForgetTokens& e) { forget_tokens_before_ = e.before_us; },
                          [&](effect::RecordEvent& e) { events_.push_back(std::move(e.event)); },
                          [&](effect::TellWaiters& e) {
                            touched.jobs.insert(e.key);
                            told_.insert(e.key);
                          },
                          [&](effect::ScheduleSoon&) { touched.schedule = true; },
                          [&](auto& order) { orders_.push_back(std::move(order)); }},
               any);
  }
  return touched;
}

void Transaction::reply(io::LinkId link, wire::BatchReply reply) {
  replies_.push_back({link, std::move(reply)});
}

void Transaction::forget(io::LinkId link) {
  // A submission whose client has disconnected keeps its entry, for failed().
  for (auto& waiting : replies_)
    if (waiting.link == link) waiting.link = 0;
}

bool Transaction::to_save() const {
  return counters_ || !jobs_.empty() || !submissions_.empty() || !payloads_.empty() ||
         !dropped_payloads_.empty() || !removed_.empty() || !controls_.empty() || !events_.empty() ||
         !tokens_.empty() || forget_tokens_before_;
}

const io::StoredPayload* Transaction::payload(std::uint64_t row) const {
  const auto found = payloads_.find(row);
  return found == payloads_.end() ? nullptr : found->second.get();
}

io::StoreBatch Transaction::batch() {
  io::StoreBatch batch;
  batch.submissions.reserve(submissions_.size());
  batch.payloads.reserve(payloads_.size());
  batch.jobs.reserve(jobs_.size() + removed_.size());
  for (const auto number : submissions_)
    if (auto asked = rows_.submission(number)) batch.submissions.push_back({number, std::move(asked)});
  for (const auto& [number, payload] : payloads_) batch.payloads.push_back(payload);
  batch.drop_payloads = dropped_payloads_;
  for (const auto key : jobs_)
    if (const auto* record = rows_.record(key)) batch.jobs.push_back(*record);
  batch.jobs.insert(batch.jobs.end(), removed_.begin(), removed_.end());
  for (const auto& state : controls_) batch.controls.push_back(row_of(state));
  batch.events = std::exchange(events_, {});
  for (const auto& token : tokens_)
    if (const auto* kept = rows_.token(token)) batch.tokens.push_back({token, kept->at_us, kept->answer});
  batch.forget_tokens_before = forget_tokens_before_;
  if (counters_) {
    batch.set(io::StoreNumber::next_job, rows_.next_job_id());
    batch.set(io::StoreNumber::next_submission, static_cast<std::int64_t>(rows_.next_submission()));
  }
  return batch;
}

Done Transaction::committed(io::StoreBatch batch) {
  jobs_.clear();
  submissions_.clear();
  payloads_.clear();
  dropped_payloads_.clear();
  removed_.clear();
  controls_.clear();
  tokens_.clear();
  forget_tokens_before_.reset();
  counters_ = false;
  return {std::exchange(orders_, {}), std::exchange(replies_, {}), std::exchange(told_, {}),
          std::move(batch.events)};
}

void Transaction::keep(io::StoreBatch batch) {
  if (events_.empty()) events_ = std::move(batch.events);
}

Transaction::Withdrawn Transaction::failed(io::StoreBatch batch, const io::StoreError& error) {
  keep(std::move(batch));
  Withdrawn out;
  std::set<std::int32_t> ids;
  for (auto& waiting : std::exchange(replies_, {})) {
    if (!waiting.reply.has_submitted()) {
      out.replies.push_back({waiting.link, not_yet(error)});
      continue;
    }
    for (auto& job : *waiting.reply.mutable_submitted()->mutable_jobs()) {
      if (job.has_refusal() || job.id() == 0) continue;
      ids.insert(job.id());
      refuse(job, error);
    }
    out.replies.push_back(std::move(waiting));
  }
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {  // the last one first: their ids are given again
    const auto keys = rows_.withdraw(*id);
    out.jobs.insert(out.jobs.end(), keys.begin(), keys.end());
  }
  const auto of_them = [&ids](std::int32_t id) { return ids.count(id) != 0; };
  std::erase_if(jobs_, [&](sched::JobKey key) { return of_them(key.id); });
  std::erase_if(told_, [&](sched::JobKey key) { return of_them(key.id); });
  std::erase_if(events_, [&](const wire::JobEvent& event) { return of_them(event.key().id()); });
  std::erase_if(removed_, [&](const wire::JobRecord& record) { return of_them(record.key().id()); });
  std::erase_if(orders_, [&](const sched::Effect& order) { return of_them(id_of(order)); });
  std::erase_if(tokens_, [&](const std::string& token) { return rows_.token(token) == nullptr; });
  std::erase_if(payloads_, [&](const auto& row) { return !rows_.uses_payload(row.first); });
  std::erase_if(submissions_, [&](std::uint64_t number) { return rows_.submission(number) == nullptr; });
  return out;
}

io::StoredControl row_of(const wire::ControlState& state) {
  io::StoredControl row{state.host() ? "host" : "queue", state.name(), {}};
  if (state.closed() || state.inactive()) row.value = state.SerializeAsString();
  return row;
}

}  // namespace rollcall::mbatchd
