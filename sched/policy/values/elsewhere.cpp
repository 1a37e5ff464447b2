#include "sched/policy/values/elsewhere.hpp"

#include "sched/policy/values/job.hpp"

namespace rollcall::sched {
namespace {

constexpr int kKill = 9;

std::string order_words(const wire::SentSignal& sent, const wire::JobRecord& record) {
  const char* const end = record.requeue_asked() ? "to requeue the job" : "to kill the job";
  switch (sent.action()) {
    case wire::SentSignal::TERMINATE:
      return end;
    case wire::SentSignal::SUSPEND:
      return "to stop the job";
    case wire::SentSignal::RESUME:
      return "to resume the job";
    case wire::SentSignal::LIMITS:
      return "to change the job's limits";
    default:
      return sent.signal() == kKill ? end : "to send the job signal " + std::to_string(sent.signal());
  }
}

}  // namespace

bool differ_beyond_usage(wire::JobElsewhere a, wire::JobElsewhere b) {
  a.clear_usage();
  b.clear_usage();
  return a.SerializeAsString() != b.SerializeAsString();
}

void name_hosts_elsewhere(wire::JobRecord& record) {
  if (record.hosts_size() == 0 || !record.forwarded().has_there()) return;
  record.mutable_hosts()->CopyFrom(record.forwarded().there().hosts());
  for (auto& host : *record.mutable_hosts()) host.set_name(host.name() + "@" + record.forwarded().cluster());
}

std::string from_host_word(const wire::JobRecord& record, const wire::Submission& asked) {
  if (!record.has_from()) return asked.from_host();
  return asked.from_host() + "@" + record.from().cluster() + ":" + text(key_of(record.from().key()));
}

std::string forwarded_words(JobKey key, const wire::ForwardedTo& forwarded) {
  const auto& there = forwarded.there();
  std::string words = "Job <" + text(key) + "> forwarded to cluster <" + forwarded.cluster() + ">, queue <" +
                      (forwarded.has_there() ? there.queue() : forwarded.queue()) + ">";
  if (forwarded.has_there()) words += ", as job <" + text(key_of(there.key())) + ">";
  return words;
}

std::vector<std::string> waiting_orders(const wire::JobRecord& record) {
  std::vector<std::string> lines;
  if (!is_elsewhere(record)) return lines;
  for (const auto& sent : record.signals())
    if (sent.number() > record.forwarded().there().signal_number())
      lines.push_back("The order " + order_words(sent, record) + " waits until cluster <" +
                      record.forwarded().cluster() + "> is connected");
  return lines;
}

std::string mapped_words(const wire::JobRecord& record, const wire::Submission& asked) {
  const auto words = [&](const char* which, const std::string& user, const std::string& cluster) {
    return user.empty() || user == asked.user() ? "" : std::string(which) + user + "@" + cluster + ">";
  };
  if (record.has_from()) return words(", Mapped from <", record.from().user(), record.from().cluster());
  return words(", Mapped to <", record.forwarded().there().exec_user(), record.forwarded().cluster());
}

}  // namespace rollcall::sched
