// lsadmin's subcommands for configuration files.
#include <ctime>

#include "common/base/host_list.hpp"
#include "common/conf/show_conf.hpp"
#include "common/io/config_source.hpp"
#include "elim/commands/lsadmin.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[64];
  std::strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", std::localtime(&now));
  return text;
}

Result<CommandWords> parse(const std::string& subcommand, const Words& words) {
  const CommandShape shape{
      "lsadmin " + subcommand, "", {{"-v", Value::none, "say more"}}, CommandShape::Order::anywhere, ""};
  return CommandWords::parse(shape, words);
}

}  // namespace

bool check_configuration(io::Stage& stage, bool verbose) {
  stage.print("Checking configuration files ...\n");
  const auto checked = conf::read_cluster_files(io::real_file_sources());
  stage.print(conf::check_text(checked.problems, checked.read, verbose) + "\n");
  return checked.files.has_value();
}

int ckconfig(io::Stage& stage, const Words& words) {
  const auto parsed = parse("ckconfig", words);
  if (!parsed) return stage.fail(parsed.error().text);
  return check_configuration(stage, parsed->has("-v")) ? 0 : io::kFailed;
}

int showconf(io::Stage& stage, const Words& words) {
  const auto parsed = parse("showconf", words);
  if (!parsed) return stage.fail(parsed.error().text);
  if (parsed->operands().size() != 1 || parsed->operands().front() != "lim")
    return stage.fail("showconf: found " +
                      (words.empty() ? std::string("nothing") : printable(words.front())) + ", expected lim");
  std::string text = "LIM configuration at " + now_text() + "\n";
  text += conf::show_conf_text(conf::shown_parameters(stage.files()), parsed->has("-v"));
  return stage.print(text);
}

}  // namespace rollcall::elim
