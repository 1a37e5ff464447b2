// The answers to busers, bparams, bmgroup, bugroup, bapp and bclusters.
#include <algorithm>
#include <map>
#include <set>

#include "common/conf/known_parameters.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/answers/answers_parts.hpp"
#include "sched/policy/answers/lease_rows.hpp"

namespace rollcall::sched::answers {
namespace {

using User = wire::BatchReply::User;
using Group = wire::BatchReply::Group;
using Parameter = wire::BatchReply::Parameter;

// ---------------------------------------------------------------- users

void add(const book::StatusCounts& counts, wire::BatchReply::Counts& to) {
  to.set_jobs(to.jobs() + counts.jobs);
  to.set_pending(to.pending() + counts.pend);
  to.set_running(to.running() + counts.run);
  to.set_ssusp(to.ssusp() + counts.ssusp);
  to.set_ususp(to.ususp() + counts.ususp);
  to.set_pending_jobs(to.pending_jobs() + counts.pending_jobs);
}

const conf::UserGroup* user_group(const conf::LsbFiles& files, const std::string& name) {
  for (const auto& group : files.users.groups)
    if (group.name == name) return &group;
  return nullptr;
}

// Expands groups within groups. `seen`: groups expanded already, since a group may contain itself.
void members_of(const conf::LsbFiles& files, const std::string& name, std::set<std::string>& seen,
                std::vector<std::string>& members) {
  const auto* group = user_group(files, name);
  if (group == nullptr) {
    if (seen.insert(name).second) members.push_back(name);
    return;
  }
  if (!seen.insert(name).second) return;
  for (const auto& member : group->members) members_of(files, member, seen, members);
}

User user_of(const AnswerView& view, const std::string& name) {
  const auto& files = *view.snapshot.rules().lsb;
  User user;
  user.set_name(name);
  user.set_group(user_group(files, name) != nullptr);
  const conf::UserLimits* limits = nullptr;
  bool each_member = false;  // a row "group@": the group as a whole has no limit
  for (const auto& row : files.users.users) {
    each_member = each_member || row.name == name + "@";
    if (row.name == name || (limits == nullptr && row.name == "default")) limits = &row;
  }
  if (limits != nullptr && limits->name != name && each_member) limits = nullptr;
  if (limits != nullptr) {
    if (limits->max_jobs) user.set_max(static_cast<std::uint32_t>(*limits->max_jobs));
    if (limits->per_processor) user.set_processor_limit(*limits->per_processor);
    if (limits->max_pending && (limits->name == name || !user.group()))
      user.set_max_pending(static_cast<std::uint32_t>(*limits->max_pending));
  }
  if (name == "default") return user;
  std::set<std::string> seen;
  std::vector<std::string> members;
  members_of(files, name, seen, members);
  for (const auto& member : members) add(view.jobs.user_counts(member), *user.mutable_counts());
  return user;
}

// All names of lsb.users, and all users with jobs.
std::vector<std::string> all_users(const AnswerView& view) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto take = [&](const std::string& name) {
    if (!name.ends_with('@') && seen.insert(name).second) names.push_back(name);
  };
  const auto& files = *view.snapshot.rules().lsb;
  for (const auto& row : files.users.users) take(row.name);
  for (const auto& group : files.users.groups) take(group.name);
  for (const auto& user : view.jobs.users_with_jobs()) take(user);
  return names;
}

// ---------------------------------------------------------------- parameters

struct Known {
  const char* name;
  const char* meaning;
  const char* unit;
  const char* standard;
  bool shown_short;
};
// In bparams' order. bparams without options shows the first five. One without a standard is shown where the file sets it.
constexpr Known kKnown[] = {
    {"DEFAULT_QUEUE", "System default queues for automatic queue selection", "", "", true},
    {"MBD_SLEEP_TIME", "The interval for dispatching jobs by master batch daemon", "seconds", "60", true},
    {"SBD_SLEEP_TIME", "The interval for checking jobs by slave batch daemon", "seconds", "30", true},
    {"JOB_ACCEPT_INTERVAL", "The interval for a host to accept two batch jobs subsequently",
     "* MBD_SLEEP_TIME", "0", true},
    {"PG_SUSP_IT", "The idle time of a host for resuming pg suspended jobs", "seconds", "180", false},
    {"CLEAN_PERIOD", "The amount of time during which finished jobs are kept in core", "seconds", "3600",
     false},
    {"MAX_JOB_NUM", "The maximum number of finished jobs that are logged in current event file", "", "1000",
     false},
    {"MAX_SBD_FAIL", "The maximum number of retries for reaching a slave batch daemon", "", "3", false},
    {"DEFAULT_APPLICATION", "The default application profile of jobs", "", "", false},
    {"DEFAULT_PROJECT", "The default project assigned to jobs", "", "default", false},
    {"JOB_TERMINATE_INTERVAL", "The interval to terminate a job", "seconds", "10", false},
    {"JOB_PREPROC_TIMEOUT", "The time that a pre-execution may take", "minutes", "none", false},
    {"JOB_POSTPROC_TIMEOUT", "The time that a post-execution may take", "minutes", "none", false},
    {"MAX_JOB_ARRAY_SIZE", "The maximum number of elements of a job array", "", "1000", false},
    {"MAX_JOBID", "The largest job ID", "", "999999", false},
    {"MAX_USER_JOB_STORAGE", "The maximum size of scripts and environments stored for a user's jobs", "MB",
     "4096", false},
    {"MAX_REQUEUE_PAUSE", "The longest pause before a job that ended at once is started again", "seconds",
     "MBD_SLEEP_TIME", false},
    {"JOB_HISTORY_DAYS", "The number of days for which finished jobs are kept for bhist and bacct", "days",
     "none", false},
    {"PREEMPT_FOR", "What else counts when jobs are preempted", "", "", false},
    {"PREEMPT_JOBTYPE", "The types of jobs that preempt and are preempted besides others", "", "", false},
    {"PREEMPTABLE_RESOURCES", "The resources for which jobs are preempted", "", "", false},
    {"PREEMPT_DELAY", "The time that a job waits before it preempts", "seconds", "", false},
    {"MAX_JOB_PREEMPT", "The maximum number of times that a job is preempted", "", "", false},
    {"MAX_TOTAL_TIME_PREEMPT", "The time for which a job may be preempted in all", "minutes", "", false},
    {"NO_PREEMPT_INTERVAL", "The time for which a job that goes on is not preempted again", "minutes", "",
     false},
    {"NO_PREEMPT_RUN_TIME", "The run time after which a job is not preempted", "", "", false},
    {"NO_PREEMPT_FINISH_TIME", "The remaining run time below which a job is not preempted", "", "", false},
    {"MC_PLUGIN_SCHEDULE_ENHANCE", "How a queue of another cluster is chosen for a job", "", "", false},
    {"MC_PLUGIN_UPDATE_INTERVAL", "The interval for telling other clusters of queues that receive their jobs",
     "seconds", "", false},
    {"MC_RESOURCE_MATCHING_CRITERIA", "The resources whose values other clusters are told", "", "", false},
    {"MC_RUSAGE_UPDATE_INTERVAL", "The interval for telling other clusters what their jobs use here",
     "seconds", "", false},
    {"MC_PENDING_REASON_UPDATE_INTERVAL", "The interval for telling other clusters why their jobs pend here",
     "seconds", "", false},
    {"MC_PENDING_REASON_PKG_SIZE", "The most of pending reasons that one update has", "KB", "", false},
    {"MC_RECLAIM_DELAY", "The interval for giving idle slots of shared leases to one side", "minutes", "",
     false},
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string value_of(const conf::LsbParams& params, const Known& known) {
  const std::string_view name = known.name;
  if (name == "DEFAULT_QUEUE") return joined(params.default_queues);
  for (const auto& line : params.shown)
    if (conf::same_name(line.keyword, name) && !conf::Cell{line.text, {}}.is_default()) return line.text;
  return known.standard;
}

// Without trailing zeros.
std::string number_words(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// ---------------------------------------------------------------- groups

template <class ConfiguredGroup>
Group group_of(const ConfiguredGroup& configured) {
  Group group;
  group.set_name(configured.name);
  for (const auto& member : configured.members) {
    if (member == "all") group.set_all(true);
    group.add_members(member);
  }
  for (const auto& name : configured.administrators) group.add_administrators(name);
  return group;
}

std::vector<Group> user_groups(const conf::LsbFiles& files, bool recursive) {
  std::vector<Group> groups;
  for (const auto& configured : files.users.groups) {
    Group group = group_of(configured);
    group.clear_members();
    for (const auto& share : configured.shares)
      group.add_shares("[" + share.name + ", " + number_words(share.amount) + "]");
    std::set<std::string> seen;
    std::vector<std::string> members;
    if (recursive) members_of(files, configured.name, seen, members);
    for (const auto& member : recursive ? members : configured.members) {
      const bool inner = user_group(files, member) != nullptr;
      group.add_members(inner ? member + "/" : member);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<Group> host_groups(const cycle::PlacementRules& rules, bool recursive) {
  std::vector<Group> groups;
  for (const auto& configured : rules.lsb->hosts.groups) {
    Group group = group_of(configured);
    const auto resolved = rules.host_groups.find(configured.name);
    group.set_condensed(configured.condensed);
    if (recursive && !group.all() && resolved != rules.host_groups.end()) {
      group.clear_members();
      for (const HostNumber host : resolved->second) group.add_members(rules.hosts[host].text());
    }
    for (auto& member : *group.mutable_members())
      if (rules.host_groups.count(member) != 0) member += "/";
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

std::vector<wire::BatchReply> users_answer(const AnswerView& view, const wire::AskUsers& ask,
                                           const Identity& who) {
  std::vector<std::string> names(ask.users().begin(), ask.users().end());
  if (ask.all() || std::find(names.begin(), names.end(), "all") != names.end())
    names = all_users(view);
  else if (names.empty())
    names.push_back(who.user);
  std::vector<User> users;
  for (const auto& name : names) users.push_back(user_of(view, name));
  return in_parts(users, [](wire::BatchReply& part, const User* user) {
    auto& to = *part.mutable_users();
    if (user != nullptr) *to.add_users() = *user;
  });
}

std::vector<wire::BatchReply> parameters_answer(const AnswerView& view) {
  const auto& params = view.snapshot.rules().lsb->params;
  std::vector<Parameter> parameters;
  std::set<std::string> named;
  for (const auto& known : kKnown) {
    Parameter parameter;
    parameter.set_name(known.name);
    parameter.set_meaning(known.meaning);
    parameter.set_unit(known.unit);
    parameter.set_value(value_of(params, known));
    parameter.set_shown_short(known.shown_short);
    named.insert(known.name);
    parameters.push_back(std::move(parameter));
  }
  for (const auto& line : params.shown) {
    if (!named.insert(line.keyword).second || !conf::has_effect(line.keyword)) continue;
    Parameter parameter;
    parameter.set_name(line.keyword);
    parameter.set_value(line.text);
    parameters.push_back(std::move(parameter));
  }
  return in_parts(parameters, [](wire::BatchReply& part, const Parameter* parameter) {
    auto& to = *part.mutable_parameters();
    if (parameter != nullptr) *to.add_parameters() = *parameter;
  });
}

std::vector<wire::BatchReply> clusters_answer(const AnswerView& view) {
  wire::BatchReply reply;
  auto& clusters = *reply.mutable_clusters();
  if (view.clusters) clusters = view.clusters();
  if (view.leases)
    for (const auto& lease : view.leases()) *clusters.add_leases() = lease_row(lease, false);
  reply.set_last(true);
  return {std::move(reply)};
}

std::vector<wire::BatchReply> groups_answer(const AnswerView& view, const wire::AskGroups& ask) {
  const auto& rules = view.snapshot.rules();
  std::vector<Group> groups =
      ask.of_users() ? user_groups(*rules.lsb, ask.recursive()) : host_groups(rules, ask.recursive());
  const auto named = [&](const std::string& name) {
    return ask.groups_size() == 0 ||
           std::find(ask.groups().begin(), ask.groups().end(), name) != ask.groups().end();
  };
  for (const auto& name : ask.groups())
    if (std::none_of(groups.begin(), groups.end(), [&](const Group& group) { return group.name() == name; }))
      return {refused_answer(
          ask.of_users() ? wire::BatchReply::Refusal::NO_USER : wire::BatchReply::Refusal::NO_HOST,
          name + ": No such user/host group")};
  std::erase_if(groups, [&](const Group& group) { return !named(group.name()); });
  return in_parts(groups, [](wire::BatchReply& part, const Group* group) {
    auto& to = *part.mutable_groups();
    if (group != nullptr) *to.add_groups() = *group;
  });
}

std::vector<wire::BatchReply> applications_answer(const AnswerView& view, const wire::AskApplications& ask) {
  using Application = wire::BatchReply::Application;
  const auto& profiles = view.snapshot.rules().lsb->applications;
  for (const auto& name : ask.names())
    if (std::none_of(profiles.begin(), profiles.end(), [&](const auto& p) { return p.name == name; }))
      return {refused_answer(wire::BatchReply::Refusal::BAD_REQUEST, name + ": No such application profile")};
  std::vector<Application> applications;
  for (const auto& profile : profiles) {
    if (ask.names_size() > 0 &&
        std::find(ask.names().begin(), ask.names().end(), profile.name) == ask.names().end())
      continue;
    Application application;
    application.set_name(profile.name);
    application.set_description(profile.jobs.description);
    for (const auto& line : profile.shown) (*application.mutable_lines())[line.keyword] = line.text;
    add(view.jobs.application_counts(profile.name), *application.mutable_counts());
    applications.push_back(std::move(application));
  }
  return in_parts(applications, [](wire::BatchReply& part, const Application* application) {
    auto& to = *part.mutable_applications();
    if (application != nullptr) *to.add_applications() = *application;
  });
}

}  // namespace rollcall::sched::answers
