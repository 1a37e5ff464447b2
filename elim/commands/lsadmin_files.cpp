// lsadmin's subcommands for configuration files.
#include <ctime>

#include "common/base/host_list.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/conf/lsb/system_names.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/shared_addresses.hpp"
#include "common/conf/show_conf.hpp"
#include "common/io/config_source.hpp"
#include "common/io/configured_directories.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/system_names.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/lsadmin.hpp"
#include "elim/commands/start_checks.hpp"
#include "elim/policy/show/show_admin.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", std::localtime(&now));
  return text;
}

Result<CommandWords> parse(const std::string& subcommand, const std::string& operands, const Words& words) {
  const CommandShape shape{"lsadmin " + subcommand,
                           operands,
                           {{"-v", Value::none, "say more"}},
                           CommandShape::Order::anywhere,
                           ""};
  return CommandWords::parse(shape, words);
}

}  // namespace

namespace {

// Warnings only, since the files may be another host's: the exit status does not change.
void say_what_start_refuses(const Admin& admin) {
  const auto checked = conf::read_cluster_files(io::real_file_sources());
  if (!checked.files) return;
  const auto batch = conf::read_batch_settings(*checked.files);
  if (!batch) return;
  for (const auto& line : start_obstacles(*checked.files, *batch))
    admin.stage.print("lsf_daemons start fails on this host: " + line + "\n");
  for (const auto& line : start_warnings(*checked.files)) admin.stage.print("warning: " + line + "\n");
}

// RES runs here.
bool is_server_here(const conf::ClusterFiles& files) {
  const auto official = files.names.official(io::host_name_here());
  const auto* row = official ? files.cluster.host(*official) : nullptr;
  return row != nullptr && row->server;
}

}  // namespace

conf::Problems check_configuration(const Admin& admin, bool verbose) {
  if (!admin.json) admin.stage.print("Checking configuration files ...\n");
  const auto sources = io::real_file_sources();
  auto checked = conf::read_cluster_files(sources);
  const auto& files = checked.files ? *checked.files : *checked.rest;
  conf::read_peer_settings(files, conf::read_batch_settings(files, checked.problems).mbd_port,
                           checked.problems);
  conf::refuse_shared_addresses(files, sources, checked.problems);
  io::check_directories(
      conf::named_directories(files.lsf_conf, {"LSF_LOGDIR", "LSF_SERVERDIR", "ROLLCALL_RUNDIR"}),
      checked.problems);
  if (is_server_here(files))
    io::check_directories(conf::named_directories(files.lsf_conf, {"ROLLCALL_JOBDIR"}), checked.problems);
  // Name services may be slow, so reconfig does not ask them.
  if (admin.subcommand == "ckconfig") conf::check_system_names(files, io::system_names(), checked.problems);
  checked.problems.sort();
  if (!admin.json)
    admin.stage.print(conf::check_text(checked.problems, checked.read, verbose) + "\n");
  else if (checked.problems.has_errors() || admin.subcommand == "ckconfig")
    admin.stage.print(show::check_json(admin.subcommand, checked.problems, checked.read));
  return checked.problems;
}

int ckconfig(const Admin& admin, const Words& words) {
  const auto parsed = parse("ckconfig", "", words);
  if (!parsed) return admin.stage.fail("ckconfig: " + parsed.error().text);
  if (check_configuration(admin, parsed->has("-v")).has_errors()) return io::kFailed;
  if (!admin.json) say_what_start_refuses(admin);
  return 0;
}

int showconf(const Admin& admin, const Words& words) {
  io::Stage& stage = admin.stage;
  const auto parsed = parse("showconf", "lim", words);
  if (!parsed) return stage.fail("showconf: " + parsed.error().text);
  const auto& operands = parsed->operands();
  if (operands.empty() || operands.front() != "lim")
    return stage.fail("showconf: found " +
                      (operands.empty() ? std::string("nothing") : printable(operands.front())) +
                      ", expected lim");
  const std::string here = this_host(stage.files());
  for (std::size_t at = 1; at < operands.size(); ++at)
    if (stage.files().names.official(operands[at]).value_or(operands[at]) != here)
      return stage.fail("showconf: found the host " + printable(operands[at]) + ", expected " + here +
                        " or nothing: it shows the files as this host has them");
  if (admin.json) return stage.print(show::parameters_json(conf::shown_parameters(stage.files())));
  std::string text = "LIM configuration at " + now_text() + "\n";
  text += conf::show_conf_text(conf::shown_parameters(stage.files()), parsed->has("-v"));
  return stage.print(text);
}

}  // namespace rollcall::elim
