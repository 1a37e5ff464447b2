#include "sched/policy/values/file_checks.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/resreq/evaluate.hpp"
#include "common/resreq/resreq.hpp"
#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::sched {
namespace {

// The first name that is unknown in this cluster.
std::optional<resreq::ParseError> unknown_name(const resreq::ResReq& wanted,
                                               const conf::ClusterFiles& cluster,
                                               const resreq::Syntax& syntax) {
  resreq::BindContext context;
  context.indices = &cluster.indices;
  if (const auto bound = resreq::bind(wanted.select, context); bound.error) return bound.error;
  if (const auto bound = resreq::bind_order(wanted.order, cluster.indices); bound.error) return bound.error;
  return resreq::check_names(wanted, cluster.indices, syntax);
}

// The resource's row in lsf.shared is invalid, and ckconfig reports that row; its uses are not reported again.
bool told_already(const std::string& text, const conf::ClusterFiles& cluster) {
  const auto& names = cluster.shared.invalid_resources;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return cluster.shared.invalid_resource(name) && text.starts_with("found " + printable(name) + ",");
  });
}

}  // namespace

void check_requirements(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                        conf::Problems& problems) {
  const auto syntax = resreq_syntax(cluster.settings);
  const auto check = [&](const conf::GivenRequirement& given) {
    const std::string where = given.keyword + ": ";
    const auto at = [](const resreq::ParseError& error) {
      return error.text + ", at character " + std::to_string(error.offset + 1);
    };
    const auto parsed = resreq::parse(given.text, syntax);
    if (parsed.error)
      problems.error(given.place, where + at(*parsed.error));
    else if (const auto unknown = unknown_name(parsed.value, cluster, syntax);
             unknown && !told_already(unknown->text, cluster))
      problems.warning(given.place, where + at(*unknown));
  };
  for (const auto& queue : lsb.queues)
    for (const auto& given : queue.jobs.requirements) check(given);
  // STOP_COND and RESUME_COND have no effect in a profile.
  for (const auto& profile : lsb.applications)
    for (const auto& given : profile.jobs.requirements)
      if (given.keyword == "RES_REQ") check(given);
}

}  // namespace rollcall::sched
