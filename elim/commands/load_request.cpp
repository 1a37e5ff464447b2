#include "elim/commands/load_request.hpp"

#include "common/io/host_addresses.hpp"
#include "common/resreq/resreq.hpp"
#include "elim/policy/show/show_hosts.hpp"

namespace rollcall::elim {

std::string this_host(const conf::ClusterFiles& files) {
  const std::string name = io::host_name_here();
  return files.names.official(name).value_or(name);
}

int fail_with(io::Stage& stage, const io::ClientError& error, const std::string& resreq) {
  if (error.refusal.why() != wire::Reply::Refusal::BAD_RESREQ) return stage.fail(error.text);
  return stage.fail(resreq::caret_lines(resreq, {error.refusal.text(), error.refusal.offset()}));
}

int print_shared(io::Stage& stage, const CommandWords& words, bool dynamic) {
  wire::Request request;
  request.mutable_shared()->set_dynamic(dynamic);
  for (const auto& name : words.operands()) request.mutable_shared()->add_resources(name);
  const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) return stage.fail(answer.error->text);
  const auto& shareds = answer.reply.shareds();
  return stage.print(words.has("-json") ? show::shareds_json(shareds, stage.command())
                                        : show::shareds_table(shareds));
}

}  // namespace rollcall::elim
