// AnswerView: a host of the master's answers, as a resource requirement sees it. Pure; it borrows the answers.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/resreq/evaluate.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

class AnswerView : public resreq::HostView {
 public:
  AnswerView(const IndexTable& indices, const wire::Facts& facts, const wire::Reply::Load* load,
             const std::unordered_map<ResourceId, int>& places);

  const std::string& host() const { return facts_->name(); }
  double number(ResourceId id) const override;
  std::string_view word(ResourceId id) const override;
  bool has(ResourceId id) const override;

 private:
  const IndexTable* indices_;
  const wire::Facts* facts_;
  const wire::Reply::Load* load_;               // nullptr: the master has none
  std::unordered_map<ResourceId, int> places_;  // of dynamic resources in the answer's lists
  std::string status_;
};

// One for each host of `hosts`, in that order. `loads` must live as long.
std::vector<AnswerView> answer_views(const IndexTable& indices, const wire::Reply::Hosts& hosts,
                                     const wire::Reply::Loads& loads);

}  // namespace rollcall::elim::show
