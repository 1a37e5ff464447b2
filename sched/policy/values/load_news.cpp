#include "sched/policy/values/load_news.hpp"

#include <array>
#include <string_view>
#include <unordered_map>

#include "common/base/load_vector.hpp"

namespace rollcall::sched {
namespace {

constexpr std::array<std::string_view, 3> kQueues{"r15s", "r1m", "r15m"};

// The column of each run queue in this answer; -1: it is missing.
std::array<int, kQueues.size()> columns_of(const wire::Reply::Loads& loads) {
  std::array<int, kQueues.size()> columns{-1, -1, -1};
  for (int column = 0; column < loads.names_size(); ++column)
    for (std::size_t queue = 0; queue < kQueues.size(); ++queue)
      if (loads.names(column) == kQueues[queue]) columns[queue] = column;
  return columns;
}

}  // namespace

LoadNews load_news_of(FourAnswers answers) {
  LoadNews news;
  news.mutable_hosts()->Swap(answers.hosts.mutable_hosts());
  news.mutable_loads()->Swap(answers.effective.mutable_loads());
  news.mutable_shareds()->Swap(answers.shared.mutable_shareds());
  const auto& normalised = answers.normalised.loads();
  const auto columns = columns_of(normalised);
  std::unordered_map<std::string_view, const wire::Reply::Load*> by_host;
  for (const auto& load : normalised.hosts()) by_host.emplace(load.host(), &load);
  for (auto& load : *news.mutable_loads()->mutable_hosts()) {
    const auto found = by_host.find(load.host());
    if (found == by_host.end()) continue;
    for (const int column : columns)
      load.add_normalised(column >= 0 && column < found->second->values_size() ? found->second->values(column)
                                                                               : kUnknownLoad);
  }
  return news;
}

}  // namespace rollcall::sched
