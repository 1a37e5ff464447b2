// The functions behind answers.hpp, one for each kind of request. Private to this folder's .cpp files.
#pragma once

#include "sched/policy/answers/answers.hpp"

namespace rollcall::sched::answers {

std::vector<wire::BatchReply> queues_answer(const AnswerView& view, const wire::AskQueues& ask);
std::vector<wire::BatchReply> shared_answer(const AnswerView& view, const wire::AskBatchHosts& ask);
std::vector<wire::BatchReply> users_answer(const AnswerView& view, const wire::AskUsers& ask,
                                           const Identity& who);
std::vector<wire::BatchReply> parameters_answer(const AnswerView& view);
std::vector<wire::BatchReply> clusters_answer(const AnswerView& view);
std::vector<wire::BatchReply> exported_answer(const AnswerView& view, const wire::AskBatchHosts& ask);
std::vector<wire::BatchReply> groups_answer(const AnswerView& view, const wire::AskGroups& ask);
std::vector<wire::BatchReply> applications_answer(const AnswerView& view, const wire::AskApplications& ask);
std::vector<wire::BatchReply> limits_answer(const AnswerView& view, const wire::AskLimits& ask);
NextPart hosts_answer(const AnswerView& view, const wire::AskBatchHosts& ask);
NextPart borrowed_answer(const AnswerView& view, const wire::AskBorrowed& ask);
NextPart jobs_answer(const AnswerView& view, const wire::AskJobs& ask, const Identity& who);

// The official name of a host named in a request; the name itself if it is unknown.
std::string official_host(const AnswerView& view, const std::string& name);

// Distributes rows over parts by size. `add` puts a row into a part; it gets nullptr once, for the first part.
template <class Row, class Add>
std::vector<wire::BatchReply> in_parts(const std::vector<Row>& rows, const Add& add) {
  std::vector<wire::BatchReply> parts(1);
  std::size_t bytes = 0;
  add(parts.back(), nullptr);
  for (const auto& row : rows) {
    if (bytes > kAnswerPart) {
      parts.emplace_back();
      bytes = 0;
    }
    add(parts.back(), &row);
    bytes += row.ByteSizeLong();
  }
  parts.back().set_last(true);
  return parts;
}

}  // namespace rollcall::sched::answers
