#include "sched/policy/answers/opened_hosts.hpp"

#include <string>

namespace rollcall::sched::answers {
namespace {

// "": the text is of another outcome.
std::string opened_host(const std::string& text) {
  constexpr std::string_view kBegin = "Open <", kEnd = "> ...... done";
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd)) return "";
  return text.substr(kBegin.size(), text.size() - kBegin.size() - kEnd.size());
}

}  // namespace

void say_what_stays_closed(const cycle::Snapshot& snapshot, wire::BatchReply& reply) {
  for (auto& outcome : *reply.mutable_outcomes()->mutable_outcomes()) {
    const auto host = snapshot.rules().host(opened_host(outcome.text()));
    if (!host || !snapshot.host(*host).closed_by_provider) continue;
    outcome.set_text(outcome.text() + "; but an administrator of cluster " +
                     std::string(snapshot.rules().hosts[*host].cluster()) +
                     " has closed the host, and no job starts there until it is opened there too");
  }
}

}  // namespace rollcall::sched::answers
