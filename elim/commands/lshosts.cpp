// lshosts: the static facts of the hosts. The master answers.
#include "common/io/lim_client.hpp"
#include "elim/commands/borrowed.hpp"
#include "elim/commands/commands.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/policy/show/show_gpus.hpp"
#include "elim/policy/show/show_hosts.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

std::vector<std::string> threshold_names(const conf::ClusterFiles& files) {
  std::vector<std::string> names;
  for (const auto& resource : files.indices.all())
    if (resource.dynamic() && resource.type == ResourceType::numeric) names.push_back(resource.name);
  return names;
}

// Elims report what static values do not have.
int print_gpus(io::Stage& stage, const CommandWords& words, const show::Hosts& hosts) {
  wire::Request request;
  for (const auto& host : words.operands()) request.mutable_load()->add_hosts(host);
  request.mutable_load();
  const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) return fail_with(stage, *answer.error, "");
  const std::string text = show::hosts_gpus(hosts, answer.reply.loads(), words.has("-w"));
  return text.empty() ? stage.fail("no GPU is counted on these hosts; see elim.hwloc(8)") : stage.print(text);
}

// Of the hosts of ours that are named, or of all where none is; then of the borrowed ones. None: the error was printed.
std::optional<show::Hosts> facts_of(io::Stage& stage, const CommandWords& words, const NamedHosts& named) {
  show::Hosts all;
  const std::string resreq = words.value("-R").value_or("");
  if (!named.ours.empty() || named.borrowed.empty()) {
    wire::Request request;
    auto& hosts = *request.mutable_hosts();
    for (const auto& host : named.ours) hosts.add_hosts(host);
    hosts.set_resreq(resreq);
    hosts.set_topology(words.has("-T"));
    hosts.set_from_host(this_host(stage.files_to_ask()));
    const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
    if (answer.error) return fail_with(stage, *answer.error, resreq), std::nullopt;
    all = answer.reply.hosts();
  }
  if (named.borrowed.empty()) return all;
  const auto borrowed = borrowed_facts(stage, named.borrowed, resreq);
  if (!borrowed) return std::nullopt;
  all.MergeFrom(*borrowed);
  return all;
}

int run_lshosts(io::Stage& stage, const CommandWords& words) {
  if (words.has("-s")) return print_shared(stage, words, false);
  const NamedHosts named = named_hosts(words);
  for (const char* const option : {"-T", "-gpu"})
    if (words.has(option) && !named.borrowed.empty()) return not_of_borrowed(stage, option);
  const auto hosts = facts_of(stage, words, named);
  if (!hosts) return io::kFailed;
  if (words.has("-gpu")) return print_gpus(stage, words, *hosts);
  if (words.has("-json")) return stage.print(show::hosts_json(*hosts));
  if (const auto format = words.value("-o")) {
    const auto text = show::hosts_fields(*hosts, *format);
    return text ? stage.print(*text) : stage.fail(text.error().text);
  }
  if (words.has("-T")) return stage.print(show::hosts_topology(*hosts));
  if (words.has("-l")) return stage.print(show::hosts_long(*hosts, threshold_names(stage.files())));
  return stage.print(show::hosts_table(*hosts, words.has("-w")));
}

}  // namespace

io::Command lshosts_command() {
  return {{"lshosts",
           "[host ...]",
           {{"-w", Value::none, "wide: nothing is cut"},
            {"-gpu", Value::none, "the GPUs of the hosts, a row for each"},
            {"-l", Value::none, "everything that is known, a block for each host"},
            {"-R", Value::required, "RES_REQ only hosts that fit"},
            {"-s", Value::none, "static resources with their values; operands are resource names"},
            {"-o", Value::required, "FORMAT these fields: \"host_name:20 type ncpus:-5 resources\""},
            {"-T", Value::none, "the tree of packages, caches, cores and NUMA nodes"}},
           CommandShape::Order::anywhere,
           "Shows the hosts of the cluster and their static resources."},
          run_lshosts};
}

}  // namespace rollcall::elim
