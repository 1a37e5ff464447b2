// lsresreq: explains a resource requirement: its tree, and for each host whether it fits and why.
#include <nlohmann/json.hpp>

#include "common/io/lim_client.hpp"
#include "common/resreq/evaluate.hpp"
#include "common/resreq/explain.hpp"
#include "elim/commands/commands.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/policy/show/answer_view.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

// Which hosts, in the master's words.
io::Answer ask(const io::LimClient& client, const CommandWords& words, bool load) {
  wire::Request request;
  const auto fill = [&words](auto& question) {
    for (const auto& host : words.values("--against")) question.add_hosts(host);
  };
  if (load) {
    fill(*request.mutable_load());
    request.mutable_load()->set_queue(wire::Request::AskLoad::EFFECTIVE);
  } else {
    fill(*request.mutable_hosts());
  }
  return client.ask_master(request);
}

std::string json_of(const resreq::ResReq& resreq, const std::vector<resreq::HostAnswer>& answers) {
  nlohmann::ordered_json document{{"COMMAND", "lsresreq"}, {"RES_REQ", resreq::print(resreq)}};
  auto records = nlohmann::ordered_json::array();
  for (const auto& answer : answers) {
    auto parts = nlohmann::ordered_json::array();
    bool fits = true;
    for (const auto& part : answer.parts) {
      fits = fits && part.holds;
      parts.push_back({{"TEXT", part.text}, {"HOLDS", part.holds}, {"GAVE", part.gave}});
    }
    records.push_back({{"HOST_NAME", answer.host}, {"FITS", fits}, {"PARTS", std::move(parts)}});
  }
  document["RECORDS"] = std::move(records);
  return show::json_text(document);
}

int explain_hosts(io::Stage& stage, const CommandWords& words, const std::string& text,
                  const resreq::ResReq& resreq) {
  resreq::BindContext context;
  context.indices = &stage.files().indices;
  const auto facts = stage.files().facts(this_host(stage.files()));
  context.official_host = [&stage](std::string_view host) { return stage.files().names.official(host); };
  context.local_type = facts.type;
  context.local_model = facts.model;
  const auto bound = resreq::bind(resreq.select, context);
  if (bound.error) return stage.fail(resreq::caret_lines(text, *bound.error));

  const io::LimClient client(stage.files());
  const io::Answer hosts = ask(client, words, false);
  const io::Answer loads = hosts.error ? io::Answer{} : ask(client, words, true);
  const auto& error = hosts.error ? hosts.error : loads.error;
  if (error) return stage.fail(error->text);
  std::vector<resreq::HostAnswer> answers;
  for (const auto& view : show::answer_views(stage.files().indices, hosts.reply.hosts(), loads.reply.loads()))
    answers.push_back({view.host(), bound.select->parts(view)});
  return stage.print(words.has("-json") ? json_of(resreq, answers) : resreq::rows(answers));
}

int run_lsresreq(io::Stage& stage, const CommandWords& words) {
  if (words.operands().size() != 1)
    return stage.fail("found " + std::to_string(words.operands().size()) +
                      " words, expected one resource requirement");
  const std::string& text = words.operands().front();
  const auto parsed = resreq::parse(text, {words.has("--strict")});
  if (parsed.error) return stage.fail(resreq::caret_lines(text, *parsed.error));
  if (words.has("-json") && words.has("--parse-only")) return stage.print(json_of(parsed.value, {}));
  const int failed = words.has("-json") ? 0 : stage.print(resreq::tree(parsed.value));
  if (failed) return failed;
  return words.has("--parse-only") ? 0 : explain_hosts(stage, words, text, parsed.value);
}

}  // namespace

io::Command lsresreq_command() {
  return {{"lsresreq",
           "'RES_REQ'",
           {{"--against", Value::required, "HOST this host alone (may be repeated)"},
            {"--parse-only", Value::none, "ask no LIM"},
            {"--strict", Value::none, "as with LSF_STRICT_RESREQ=Y"}},
           CommandShape::Order::anywhere,
           "Shows how a resource requirement is understood, and which hosts fit it and why."},
          run_lsresreq};
}

}  // namespace rollcall::elim
