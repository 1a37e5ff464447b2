// bhosts: the batch system's hosts and their jobs. bhosts(1).
#include <algorithm>
#include <cstdlib>
#include <map>

#include "common/resreq/resreq.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/show_batch_hosts.hpp"
#include "sched/policy/show/show_leases.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// An invalid requirement is shown with the place of its error.
int hosts_failed(io::Stage& stage, const client::Failure& failure, const std::string& resreq) {
  if (failure.refusal.why() != wire::BatchReply::Refusal::BAD_RESREQ) return failed(stage, failure);
  return stage.fail(resreq::caret_lines(resreq, {failure.refusal.text(), failure.refusal.offset()}));
}

int print_hosts(io::Stage& stage, const CommandWords& words, const show::BatchHosts& hosts) {
  if (words.has("-gpu")) {
    std::string text = show::batch_hosts_gpus(hosts, words.has("-w"));
    if (text.empty()) return complain("No GPU is counted on these hosts");
    if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
    return stage.print(text);
  }
  const std::string standard = own_or("LSB_BHOSTS_FORMAT", programs(stage).bhosts_format);
  const bool fields =
      words.has("-o") || words.has("-json") || (!standard.empty() && !words.has("-w") && !words.has("-l"));
  if (fields) {
    const std::string format =
        words.value("-o").value_or(standard.empty() ? show::kDefaultHostFields : standard);
    const auto text = show::batch_hosts_fields(hosts, format, {words.has("-json"), !words.has("-noheader")});
    return text ? stage.print(*text) : stage.fail(text.error().text);
  }
  if (words.has("-l")) return stage.print(show::batch_hosts_long(hosts));
  std::string text = show::batch_hosts_table(hosts, words.has("-w"));
  if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
  return stage.print(text);
}

double number_of(const wire::BatchReply::BatchHost& host, const char* name) {
  const auto found = host.words().find(name);
  return found == host.words().end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

// -x: hosts on which more jobs have exited lately than EXIT_RATE allows. False: the error was printed.
bool keep_exceptional(io::Stage& stage, show::BatchHosts& hosts) {
  double longest = 0;
  for (const auto& host : hosts.hosts()) longest = std::max(longest, number_of(host, "exit_rate_minutes"));
  std::map<std::string, std::vector<std::int64_t>> exits;  // when, by first host
  const std::int64_t now = show_time().now.us;
  if (longest > 0) {
    wire::AskFinished ask;
    ask.set_only_exited(true);
    ask.add_users("all");
    ask.set_completed_from_us(now - static_cast<std::int64_t>(longest * 60e6));
    auto session = client_of(stage);
    if (!session) return false;
    const auto failure =
        client::ask_finished(*session, std::move(ask), [&](const wire::BatchReply::Events& part) {
          for (const auto& event : part.events())
            if (const auto& job = event.finish().record(); job.hosts_size() > 0)
              exits[job.hosts(0).name()].push_back(job.end_us());
        });
    if (failure) return failed(stage, *failure), false;
  }
  auto& rows = *hosts.mutable_hosts();
  for (int i = rows.size() - 1; i >= 0; --i) {
    const auto since = now - static_cast<std::int64_t>(number_of(rows[i], "exit_rate_minutes") * 60e6);
    const auto& there = exits[rows[i].name()];
    const auto count =
        std::count_if(there.begin(), there.end(), [since](std::int64_t at) { return at >= since; });
    const double allowed = number_of(rows[i], "exit_rate");
    if (allowed <= 0 || static_cast<double>(count) <= allowed) rows.DeleteSubrange(i, 1);
  }
  return true;
}

int print_exported(io::Stage& stage, const CommandWords& words, const wire::BatchReply::Leases& leases) {
  const char* const no = words.operands().empty() ? "No " : "No such ";
  if (words.has("-s")) {
    if (words.has("-json")) return stage.print(show::exported_resources_json(leases));
    if (!show::exports_resources(leases))
      return complain(std::string(no) + "shared resource is exported to another cluster");
    std::string text =
        words.has("-l") ? show::exported_resources_long(leases) : show::exported_resources_table(leases);
    if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
    return stage.print(text);
  }
  if (words.has("-json")) return stage.print(show::exported_hosts_json(leases));
  std::vector<std::string> unused = show::wasted_lines(leases);
  for (auto& line : show::left_out_lines(leases)) unused.push_back(std::move(line));
  if (!show::exports_hosts(leases)) {
    for (const auto& line : unused) complain("bhosts: " + line);
    return complain(std::string(no) + "host is exported to another cluster");
  }
  std::string text = words.has("-l") ? show::exported_hosts_long(leases)
                                     : show::exported_hosts_table(leases, words.has("-w"));
  if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
  const int printed = stage.print(text);
  for (const auto& line : unused) complain("bhosts: " + line);
  return printed;
}

int run_exported(io::Stage& stage, const CommandWords& words) {
  for (const char* other : {"-R", "-x", "-gpu", "-o"})
    if (words.has(other)) return stage.fail(std::string(other) + " does not go with -e");
  wire::AskBatchHosts ask;
  ask.set_shared(words.has("-s"));
  for (const auto& name : words.operands()) words.has("-s") ? ask.add_resources(name) : ask.add_hosts(name);
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto leases = client::ask_exported(*session, std::move(ask));
  if (!leases) return failed(stage, leases.error());
  return print_exported(stage, words, *leases);
}

int run_bhosts(io::Stage& stage, const CommandWords& words) {
  if (words.has("-e")) return run_exported(stage, words);
  wire::AskBatchHosts ask;
  ask.set_shared(words.has("-s"));
  ask.set_load(words.has("-l"));
  ask.set_resreq(words.value("-R").value_or(""));
  for (const auto& name : words.operands()) words.has("-s") ? ask.add_resources(name) : ask.add_hosts(name);
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  if (words.has("-s")) {
    const auto shared = client::ask_shared_resources(*session, ask);
    if (!shared) return hosts_failed(stage, shared.error(), ask.resreq());
    if (shared->rows().empty())
      return complain_of_none(stage, words, show::shared_rows_json(*shared), "No shared resources defined");
    return stage.print(words.has("-json") ? show::shared_rows_json(*shared)
                                          : show::shared_rows_table(*shared));
  }
  auto hosts = client::ask_hosts(*session, ask);
  if (!hosts) return hosts_failed(stage, hosts.error(), ask.resreq());
  session.reset();
  if (words.has("-x")) {
    if (!keep_exceptional(stage, *hosts)) return io::kFailed;
    if (hosts->hosts().empty() && words.has("-json")) return print_hosts(stage, words, *hosts), io::kFailed;
    if (hosts->hosts().empty()) return complain("There is no exceptional host found");
  }
  const bool each = words.has("-X") || words.has("-l") || words.has("-gpu") || words.has("-x");
  return print_hosts(stage, words, each ? *hosts : show::condensed(*hosts));
}

}  // namespace

io::Command bhosts_command() {
  return {{"bhosts",
           "[host | host_group ...]",
           {{"-w", Value::none, "wide: nothing is cut, and why a host is closed"},
            {"-l", Value::none, "everything that is known, a block for each host"},
            {"-R", Value::required, "RES_REQ only hosts that fit"},
            {"-s", Value::none, "shared resources; operands are their names"},
            {"-e", Value::none, "hosts that are exported to other clusters; with -s shared resources"},
            {"-x", Value::none, "hosts on which more jobs exited lately than EXIT_RATE allows"},
            {"-X", Value::none, "the hosts of condensed groups each by itself"},
            {"-a", Value::none, "all hosts, given back ones too: none is ever given back"},
            {"-alloc", Value::none, "slots are counted: they always are"},
            {"-gpu", Value::none, "the GPUs of the hosts, and their jobs"},
            {"-o", Value::required, "FORMAT these fields: \"host_name:20 status njobs:-5\""},
            {"-noheader", Value::none, "no header line"},
            {"-json", Value::none, "print JSON"}},
           CommandShape::Order::anywhere,
           "Shows the hosts of the batch system, their states and their jobs.",
           {{"-aff", "jobs are not bound to processors or memory; lshosts -T shows what hosts have"},
            {"-rc -rconly", "no host is borrowed from a resource provider"},
            {"-cname", "hosts of other clusters have theirs in their names: HOST@CLUSTER"},
            {"-sl -C", "there are no compute units and no guarantees of them"},
            {"-sharedresource", "bhosts -s shows shared resources"}}},
          run_bhosts,
          {}};
}

}  // namespace rollcall::sched
