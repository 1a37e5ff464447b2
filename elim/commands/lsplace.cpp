// lsplace: hosts for tasks, the least loaded ones first. The master raises their load for a while (ADJUST_DURATION), so that the
// next request gets other hosts.
#include <nlohmann/json.hpp>

#include "common/base/numbers.hpp"
#include "common/io/lim_client.hpp"
#include "elim/commands/commands.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

// lsplace(1): 1 not enough hosts, 246 (-10) a problem of LSF, 255 (-1) anything else.
constexpr int kNotEnough = 1;
constexpr int kLsfProblem = 246;
constexpr int kMostSlots = 1'000'000;

std::optional<int> count(const CommandWords& words, const std::string& option, int otherwise) {
  const auto word = words.value(option);
  return word ? parse_whole(*word, 0, kMostSlots) : otherwise;
}

int fail(io::Stage& stage, const io::ClientError& error, const std::string& resreq) {
  if (error.refusal.why() == wire::Reply::Refusal::NOT_ENOUGH) {
    stage.fail("Not enough host(s) currently eligible");
    return kNotEnough;
  }
  const int code = fail_with(stage, error, resreq);
  return error.kind == io::ClientError::Kind::unreachable ? kLsfProblem : code;
}

std::string names_of(const wire::Reply::Loads& loads) {
  std::string line;
  for (const auto& host : loads.hosts())
    for (unsigned slot = 0; slot < host.slots(); ++slot) line += (line.empty() ? "" : " ") + host.host();
  return line + "\n";
}

std::string json_of(const wire::Reply::Loads& loads) {
  nlohmann::ordered_json document{{"COMMAND", "lsplace"}};
  auto records = nlohmann::ordered_json::array();
  for (const auto& host : loads.hosts())
    records.push_back({{"HOST_NAME", host.host()}, {"SLOTS", host.slots()}});
  document["RECORDS"] = std::move(records);
  return show::json_text(document);
}

int run_lsplace(io::Stage& stage, const CommandWords& words) {
  const auto least = count(words, "-n", 1);
  const auto most = count(words, "-w", 0);
  if (!least) return stage.fail("-n: found " + *words.value("-n") + ", expected a whole number");
  if (!most) return stage.fail("-w: found " + *words.value("-w") + ", expected a whole number");
  wire::Request request;
  auto& load = *request.mutable_load();
  for (const auto& host : words.operands()) load.add_hosts(host);
  load.set_resreq(words.value("-R").value_or(""));
  load.set_from_host(this_host(stage.files_to_ask()));
  load.set_default_local(true);
  load.set_only_usable(true);
  load.set_place(static_cast<unsigned>(*least));
  load.set_place_most(static_cast<unsigned>(*most));
  const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) return fail(stage, *answer.error, load.resreq());
  const auto& loads = answer.reply.loads();
  return stage.print(words.has("-json") ? json_of(loads) : names_of(loads));
}

}  // namespace

io::Command lsplace_command() {
  return {{"lsplace",
           "[host ...]",
           {{"-n", Value::required, "MIN so many slots at the least; 0: every host that fits"},
            {"-w", Value::required, "MAX so many slots at the most"},
            {"-R", Value::required, "RES_REQ only hosts that fit, in its order"},
            {"-L", Value::none, "hosts of the local cluster alone (there is no other yet)"}},
           CommandShape::Order::anywhere,
           "Prints the hosts on which tasks would best be started now."},
          run_lsplace};
}

}  // namespace rollcall::elim
