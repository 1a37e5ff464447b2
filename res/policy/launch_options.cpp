// blaunch = { "-n" | "-no-shell" | "-use-login-shell" | remote } [ "-u" FILE | "-z" "HOST ..." | HOST ] COMMAND { argument }
//           options and -u, -z in any order, up to the first other word
// remote  = "-" flag { flag } | "-" letter VALUE | "-" letter " " VALUE      of rsh and ssh, without effect
// lsgrun  = { "-i" | "-n" | "-p" | "-P" | "-S" | "-v" } [ "-f" FILE | "-m" "HOST ..." | "-R" RES_REQ ] COMMAND { argument }
// lsrun   = { "-l" | "-L" | "-P" | "-S" | "-v" | "-m" "HOST ..." | "-R" RES_REQ } COMMAND { argument }
// file    = { line LF }      line = [ HOST ] [ "#" comment ]
#include "res/policy/launch_options.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"

namespace rollcall::res {
namespace {

// The actions of options without a value (flags) and with one (values).
struct Table {
  std::map<std::string, std::function<void()>> flags;
  std::map<std::string, std::function<void(const std::string&)>> values;
  bool takes_remote_shells = false;  // ignore options of rsh and ssh
};

// blaunch stands in for rsh and ssh, and ignores these options of theirs. The letters are from ssh(1).
constexpr std::string_view kRemoteFlags = "46AaCfGgKkMNqsTtvXxYy8d";
constexpr std::string_view kRemoteValues = "BbcDEeFIiJLlmoOpQRSWw";

// Returns how many words the option takes, or 0 if rsh and ssh do not have it.
std::size_t remote_shell_words(const std::string& word) {
  if (kRemoteValues.find(word[1]) != kRemoteValues.npos) return word.size() == 2 ? 2 : 1;
  return word.find_first_not_of(kRemoteFlags, 1) == word.npos ? 1 : 0;
}

// Returns the words after the options.
Result<std::vector<std::string>> take_options(const std::vector<std::string>& words, const Table& table) {
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    if (const auto flag = table.flags.find(word); flag != table.flags.end()) {
      flag->second();
    } else if (const auto value = table.values.find(word); value != table.values.end()) {
      if (++i == words.size()) return usage_error(word + ": found no value, expected one");
      value->second(words[i]);
    } else if (const auto passed = table.takes_remote_shells ? remote_shell_words(word) : 0; passed > 0) {
      i += passed - 1;
    } else {
      return usage_error(word + ": unknown option; -h lists the options");
    }
  }
  const auto rest = static_cast<std::ptrdiff_t>(std::min(i, words.size()));
  return std::vector<std::string>(words.begin() + rest, words.end());
}

// A task of lsrun is no job, so no lease has a slot for it, and the RES of another cluster takes none from us.
Result<void> check_are_ours(const std::string& command, const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts)
    if (host.find('@') != std::string::npos)
      return usage_error("-m: " + command + " does not run on hosts of other clusters, found " +
                         printable(host) + "; submit a job, such as bsub -I -m HOST@CLUSTER COMMAND");
  return {};
}

std::function<void()> sets(bool& flag) {
  return [&flag] { flag = true; };
}
std::function<void(const std::string&)> sets(std::string& text) {
  return [&text](const std::string& value) { text = value; };
}
std::function<void(const std::string&)> adds(std::vector<std::string>& hosts) {
  return [&hosts](const std::string& value) {
    for (auto& host : conf::split_words(value)) hosts.push_back(std::move(host));
  };
}

Error no_command() { return usage_error("found no command, expected one"); }

}  // namespace

Result<BlaunchOptions> parse_blaunch(const std::vector<std::string>& words) {
  BlaunchOptions options;
  Table table;
  table.flags = {{"-h", sets(options.help)},
                 {"-V", sets(options.version)},
                 {"-n", sets(options.no_input)},
                 {"-no-shell", [&] { options.shell = LaunchShell::none; }},
                 {"-use-login-shell", [&] { options.shell = LaunchShell::login; }}};
  table.values = {{"-u", sets(options.host_file)}, {"-z", adds(options.hosts)}};
  table.takes_remote_shells = true;
  auto rest = take_options(words, table);
  if (!rest) return rest.error();
  if (options.help || options.version) return options;
  if (!options.hosts.empty() && !options.host_file.empty())
    return usage_error("-u: found with -z, expected one of them");
  if (rest->empty()) return no_command();
  options.words = std::move(*rest);
  return options;
}

Result<LsgrunOptions> parse_lsgrun(const std::vector<std::string>& words) {
  LsgrunOptions options;
  Table table;
  table.flags = {{"-h", sets(options.help)},     {"-V", sets(options.version)},
                 {"-i", sets(options.ask)},      {"-n", sets(options.no_input)},
                 {"-p", sets(options.parallel)}, {"-P", sets(options.terminal)},
                 {"-S", sets(options.terminal)}, {"-v", sets(options.verbose)}};
  table.values = {{"-f", sets(options.host_file)}, {"-m", adds(options.hosts)}, {"-R", sets(options.resreq)}};
  auto rest = take_options(words, table);
  if (!rest) return rest.error();
  if (options.help || options.version) return options;
  const int ways = (options.hosts.empty() ? 0 : 1) + (options.host_file.empty() ? 0 : 1) +
                   (options.resreq.empty() ? 0 : 1);
  if (ways > 1)
    return usage_error("found " + std::to_string(ways) + " of -m, -f and -R, expected one of them at most");
  if (options.parallel && options.terminal)
    return usage_error("-p: found with -P or -S, expected one of them: there is one terminal");
  if (const auto ours = check_are_ours("lsgrun", options.hosts); !ours) return ours.error();
  if (rest->empty()) return no_command();
  options.words = std::move(*rest);
  return options;
}

Result<LsrunOptions> parse_lsrun(const std::vector<std::string>& words) {
  LsrunOptions options;
  Table table;
  table.flags = {{"-h", sets(options.help)},   {"-V", sets(options.version)},  {"-l", [] {}},
                 {"-L", sets(options.remote)}, {"-P", sets(options.terminal)}, {"-S", sets(options.terminal)},
                 {"-v", sets(options.verbose)}};
  table.values = {{"-m", adds(options.hosts)}, {"-R", sets(options.resreq)}};
  auto rest = take_options(words, table);
  if (!rest) return rest.error();
  if (options.help || options.version) return options;
  if (const auto ours = check_are_ours("lsrun", options.hosts); !ours) return ours.error();
  if (rest->empty()) return no_command();
  options.words = std::move(*rest);
  return options;
}

std::vector<std::string> hosts_of_file(std::string_view text) {
  std::vector<std::string> hosts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    for (auto& host : conf::split_words(line)) hosts.push_back(std::move(host));
  }
  return hosts;
}

Result<LaunchJob> launch_job(std::string_view job_id, std::string_view job_index) {
  constexpr int kMost = 2'147'483'646;
  const auto id = parse_whole(job_id, 1, kMost);
  const auto index = job_index.empty() ? std::optional(0) : parse_whole(job_index, 0, kMost);
  if (!id || !index)
    return usage_error("LSB_JOBID: found \"" + std::string(job_id) + "\", expected to be run in a job");
  return LaunchJob{*id, *index};
}

std::vector<std::string> hosts_of_job(const JobHostWords& words) {
  std::vector<std::string> all;
  const auto add = [&all](std::string host) {
    if (std::find(all.begin(), all.end(), host) == all.end()) all.push_back(std::move(host));
  };
  const auto pairs = conf::split_words(words.mcpu_hosts);
  for (std::size_t i = 0; i < pairs.size(); i += 2) add(pairs[i]);
  for (auto& host : conf::split_words(words.hosts)) add(std::move(host));
  for (auto& host : hosts_of_file(words.file)) add(std::move(host));
  return all;
}

std::vector<std::string> slots_of_job(const JobHostWords& words) {
  if (auto slots = hosts_of_file(words.file); !slots.empty()) return slots;
  if (auto slots = conf::split_words(words.hosts); !slots.empty()) return slots;
  std::vector<std::string> slots;
  const auto pairs = conf::split_words(words.mcpu_hosts);
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
    slots.insert(slots.end(), static_cast<std::size_t>(parse_whole(pairs[i + 1], 1, 100'000).value_or(1)),
                 pairs[i]);
  return slots;
}

Result<void> take_host(BlaunchOptions& options, const std::function<bool(const std::string&)>& is_host,
                       const std::vector<std::string>& slots) {
  if (!options.hosts.empty() || !options.host_file.empty()) return {};
  if (is_host(options.words.front())) {
    options.hosts = {options.words.front()};
    options.words.erase(options.words.begin());
    return options.words.empty() ? Result<void>(no_command()) : Result<void>();
  }
  if (slots.empty()) return usage_error("found no host, expected [options] HOST COMMAND");
  options.hosts = slots;
  return {};
}

std::string stranger_among(const std::vector<std::string>& asked, const std::vector<std::string>& of_job,
                           const LaunchJob& job) {
  constexpr std::size_t kShown = 8;
  if (of_job.empty()) return "";
  for (const auto& host : asked) {
    if (std::find(of_job.begin(), of_job.end(), host) != of_job.end()) continue;
    std::string line = "host " + host + " is not one of job " + std::to_string(job.id) +
                       (job.index == 0 ? "" : "[" + std::to_string(job.index) + "]") + ", which has";
    for (std::size_t i = 0; i < std::min(of_job.size(), kShown); ++i) line += " " + of_job[i];
    return of_job.size() > kShown ? line + " and " + std::to_string(of_job.size() - kShown) + " more" : line;
  }
  return "";
}

}  // namespace rollcall::res
