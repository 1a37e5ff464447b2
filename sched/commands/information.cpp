// busers, bparams, bclusters, bmgroup, bugroup, bapp, blimits: what the files of the batch system say, and how much of it is in use.
#include <algorithm>

#include "common/io/name_lookup.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/show_information.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// Removes the rows of unknown users, and reports them: mbatchd answers for every name.
int drop_unknown(wire::BatchReply::Users& users) {
  int status = 0;
  auto& rows = *users.mutable_users();
  for (int i = 0; i < rows.size();) {
    const auto& row = rows[i];
    const bool known = row.group() || row.name() == "default" || row.counts().jobs() > 0;
    if (known || !io::no_such_user(row.name())) {
      ++i;
      continue;
    }
    status = complain(row.name() + ": No such user or user group");
    rows.DeleteSubrange(i, 1);
  }
  return status;
}

int busers(io::Stage& stage, const CommandWords& words) {
  wire::AskUsers ask;
  for (const auto& name : words.operands()) ask.add_users(name);
  auto users = ask_all(stage, client::ask_users, std::move(ask));
  if (!users) return io::kFailed;
  // A user who is only named in lsb.users may be unknown on this host.
  const auto& names = words.operands();
  const bool named = !names.empty() && std::find(names.begin(), names.end(), "all") == names.end();
  const int status = named ? drop_unknown(*users) : 0;
  if (status != 0 && users->users().empty()) return status;
  const std::string standard = own_or("LSB_BUSERS_FORMAT", programs(stage).busers_format);
  if (words.has("-o") || words.has("-json") || (!standard.empty() && !words.has("-w"))) {
    const std::string format =
        words.value("-o").value_or(standard.empty() ? show::kDefaultUserFields : standard);
    const auto text = show::users_fields(*users, format, {words.has("-json"), !words.has("-noheader")});
    if (!text) return stage.fail(text.error().text);
    return std::max(status, stage.print(*text));
  }
  std::string text =
      show::users_table(*users, words.has("-w") ? show::UserForm::wide : show::UserForm::narrow);
  if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
  return std::max(status, stage.print(text));
}

int bparams(io::Stage& stage, const CommandWords& words) {
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto parameters = client::ask_parameters(*session);
  if (!parameters) return failed(stage, parameters.error());
  if (words.has("-json")) return stage.print(show::parameters_json(*parameters));
  const show::ParameterForm form = words.has("-a")   ? show::ParameterForm::all
                                   : words.has("-l") ? show::ParameterForm::explained
                                                     : show::ParameterForm::shortly;
  return stage.print(show::parameters_text(*parameters, form));
}

int bclusters(io::Stage& stage, const CommandWords& words) {
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto clusters = client::ask_clusters(*session);
  if (!clusters) return failed(stage, clusters.error());
  const bool json = words.has("-json"), counters = words.has("-l");
  if (words.has("-app"))
    return stage.print(json ? show::cluster_applications_json(*clusters)
                            : show::cluster_applications_table(*clusters));
  return stage.print(json ? show::clusters_json(*clusters, counters)
                          : show::clusters_table(*clusters, counters));
}

int groups(io::Stage& stage, const CommandWords& words, bool of_users) {
  wire::AskGroups ask;
  for (const auto& name : words.operands()) ask.add_groups(name);
  ask.set_of_users(of_users);
  ask.set_recursive(words.has("-r"));
  const auto groups = ask_all(stage, client::ask_groups, std::move(ask));
  if (!groups) return io::kFailed;
  if (groups->groups().empty())
    return complain(of_users ? "No user group defined in the system" : "No host group defined in the system");
  return stage.print(words.has("-l") ? show::groups_long(*groups, of_users)
                                     : show::groups_table(*groups, of_users));
}

int bapp(io::Stage& stage, const CommandWords& words) {
  wire::AskApplications ask;
  for (const auto& name : words.operands()) ask.add_names(name);
  const auto answer = ask_all(stage, client::ask_applications, std::move(ask));
  if (!answer) return io::kFailed;
  const auto& applications = *answer;
  if (applications.applications().empty())
    return complain_of_none(stage, words, show::applications_json(applications, false),
                            "No application profile found");
  if (words.has("-json")) return stage.print(show::applications_json(applications, words.has("-l")));
  return stage.print(words.has("-l") ? show::applications_long(applications)
                                     : show::applications_table(applications));
}

int blimits(io::Stage& stage, const CommandWords& words) {
  wire::AskLimits ask;
  ask.set_user(words.value("-u").value_or(""));
  ask.set_queue(words.value("-q").value_or(""));
  ask.set_host(words.value("-m").value_or(""));
  ask.set_name(words.value("-n").value_or(""));
  ask.set_project(words.value("-P").value_or(""));
  ask.set_application(words.value("-A").value_or(""));
  ask.set_unused_too(words.has("-a"));
  ask.set_configured(words.has("-c"));
  const auto limits = ask_all(stage, client::ask_limits, std::move(ask));
  if (!limits) return io::kFailed;
  if (limits->rows().empty())
    return complain_of_none(stage, words, show::limits_json(*limits), "No resource usage found.");
  if (words.has("-json")) return stage.print(show::limits_json(*limits));
  return stage.print(show::limits_table(*limits, words.has("-c")));
}

// No slots are reserved for large jobs (docs/decisions/0024), so there is no window for backfill.
int bslots(io::Stage&, const CommandWords&) {
  return complain("No backfill window meets these requirements at this time"), 0;
}

}  // namespace

std::vector<io::Command> information_commands() {
  const auto anywhere = CommandShape::Order::anywhere;
  const CommandOption wide{"-w", Value::none, "wide: nothing is cut"};
  const CommandOption json{"-json", Value::none, "print JSON"};
  const CommandOption allocated{"-alloc", Value::none, "slots are counted: they always are"};
  const RefusedOptions units{"-cu -cuname", "there are no compute units"};
  return {
      {{"busers",
        "[user | user_group ... | all]",
        {{"-w", Value::none, "wide: with the jobs that pend, and how many may"},
         allocated,
         {"-o", Value::required, "FORMAT these fields: \"user:12 njobs pend run\""},
         {"-noheader", Value::none, "no header line"},
         json},
        anywhere,
        "Shows limits and jobs of users: unless they are named, your own."},
       busers,
       {}},
      {{"bparams",
        "",
        {{"-l", Value::none, "with what they mean"}, {"-a", Value::none, "all of them"}, json},
        anywhere,
        "Shows the parameters of the batch system."},
       bparams,
       {}},
      {{"bclusters",
        "",
        {{"-l", Value::none, "with the slots and the room that other clusters told"},
         {"-app", Value::none, "the application profiles of other clusters"},
         wide,
         json},
        anywhere,
        "Shows the queues that send jobs to other clusters and receive jobs of them."},
       bclusters,
       {}},
      {{"bmgroup",
        "[host_group ...]",
        {wide,
         {"-r", Value::none, "groups in groups are opened"},
         {"-l", Value::none, "a block for each, with its administrators"}},
        anywhere,
        "Shows host groups.",
        {units}},
       [](io::Stage& stage, const CommandWords& words) { return groups(stage, words, false); },
       {}},
      {{"bugroup",
        "[user_group ...]",
        {wide,
         {"-r", Value::none, "groups in groups are opened"},
         {"-l", Value::none, "a block for each, with its administrators and its shares"}},
        anywhere,
        "Shows user groups."},
       [](io::Stage& stage, const CommandWords& words) { return groups(stage, words, true); },
       {}},
      {{"bapp",
        "[profile ...]",
        {{"-l", Value::none, "everything that is known, a block for each"}, wide, allocated, json},
        anywhere,
        "Shows application profiles."},
       bapp,
       {}},
      {{"blimits",
        "",
        {{"-c", Value::none, "what is allowed, not what is taken"},
         {"-n", Value::required, "NAME this limit"},
         {"-u", Value::required, "USER of this user"},
         {"-q", Value::required, "QUEUE of this queue"},
         {"-m", Value::required, "HOST of this host"},
         {"-P", Value::required, "PROJECT of this project"},
         {"-A", Value::required, "APPLICATION of this application profile"},
         {"-a", Value::none, "limits of which nothing is taken, too"},
         wide,
         json},
        anywhere,
        "Shows how much is taken of the limits of queues, users and resources.",
        {{"-Lp", "license projects are not there"},
         {"-fwd -C", "each cluster shows its own limits"},
         {"-app", "-A selects an application profile"},
         {"-gl", "there are no global limits"}}},
       blimits,
       {}},
      {{"bslots",
        "",
        {{"-l", Value::none, "with the hosts"},
         {"-n", Value::required, "SLOTS so many at the least"},
         {"-R", Value::required, "RES_REQ on hosts that fit"},
         {"-W", Value::required, "[HOURS:]MINUTES for so long at the least"}},
        anywhere,
        "Shows the slots that are kept for jobs which start later: there are none, nothing is kept back."},
       bslots,
       {}},
  };
}

}  // namespace rollcall::sched
