#include "elim/commands/load_options.hpp"

#include "common/base/numbers.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/screen.hpp"

namespace rollcall::elim {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int> most_hosts(const CommandWords& words) {
  const auto word = words.value("-n");
  return word ? parse_whole(*word, 1, 1'000'000) : std::nullopt;
}

}  // namespace

wire::Request load_request(io::Stage& stage, const CommandWords& words) {
  wire::Request request;
  auto& load = *request.mutable_load();
  for (const auto& host : words.operands()) load.add_hosts(host);
  load.set_resreq(words.value("-R").value_or(""));
  load.set_from_host(this_host(stage.files_to_ask()));
  if (words.has("-E")) load.set_queue(wire::Request::AskLoad::EFFECTIVE);
  if (words.has("-N")) load.set_queue(wire::Request::AskLoad::NORMALISED);
  load.set_elims(words.has("-json"));
  load.set_most(static_cast<std::uint32_t>(most_hosts(words).value_or(0)));
  return request;
}

show::LoadTable load_table_of(const CommandWords& words) {
  show::LoadTable table;
  if (words.has("-w")) table.form = show::LoadTable::Form::wide;
  if (words.has("-l")) table.form = show::LoadTable::Form::complete;
  table.colour = output_takes_colour();
  table.indices = split(words.value("-I").value_or(""), ':');
  return table;
}

std::optional<std::string> contradiction(const CommandWords& words) {
  if (words.has("-n") && !most_hosts(words))
    return "-n: found " + *words.value("-n") + ", expected a number of hosts, at least 1";
  static constexpr std::pair<const char*, const char*> kNotBoth[] = {
      {"-E", "-N"}, {"--watch", "-s"}, {"--watch", "-json"}, {"--watch", "-o"}};
  for (const auto& [one, other] : kNotBoth)
    if (words.has(one) && words.has(other))
      return std::string("found both ") + one + " and " + other + ", expected one of them";
  return std::nullopt;
}

std::vector<CommandOption> load_options() {
  using Value = CommandOption::Value;
  return {{"-w", Value::none, "wide: nothing is cut"},
          {"-l", Value::none, "all indices, the site's too"},
          {"-N", Value::none, "normalised run queue lengths"},
          {"-E", Value::none, "effective run queue lengths"},
          {"-R", Value::required, "RES_REQ only hosts that fit, in its order"},
          {"-I", Value::required, "INDEX[:INDEX...] these indices alone"},
          {"-n", Value::required, "HOSTS so many hosts at the most, the best ones"}};
}

}  // namespace rollcall::elim
