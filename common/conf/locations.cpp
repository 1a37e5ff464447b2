// The grammar of LOCATION:
//
//   location = "(" { instance } ")" | instance { instance }
//   instance = [ VALUE "@" ] "[" hosts "]"
//   hosts    = HOST { HOST }           these hosts share one instance
//            | "all" { "~" HOST }      all server hosts but those
//            | "others"                all server hosts that no other instance has
//            | "default"               each host has its own; the only instance
//
// A host is in at most one instance. Blanks may stand round VALUE "@" and inside the brackets.
#include "common/conf/locations.hpp"

#include <algorithm>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr const char* kInstance = "VALUE@[HOST ...], [all ~HOST ...], [others] or [default]";

Error found(std::string_view what, const std::string& expected) {
  return configuration_error("found " + printable(what) + ", expected " + expected);
}

// An instance as written: its value, and the words between the brackets.
struct Written {
  std::optional<std::string> value;
  std::vector<std::string> words;
  std::string text;
};

Result<std::vector<Written>> instances_of(std::string_view text) {
  text = trim(text);
  if (text.starts_with('(') && text.ends_with(')')) text = trim(text.substr(1, text.size() - 2));
  std::vector<Written> instances;
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    const std::size_t close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      return found(text, kInstance);
    Written written;
    written.text = std::string(text.substr(0, close + 1));
    std::string_view before = trim(text.substr(0, open));
    if (!before.empty()) {
      if (!before.ends_with('@')) return found(written.text, kInstance);
      before = trim_right(before.substr(0, before.size() - 1));
      if (before.empty() || before.find_first_of(" \t@()") != std::string_view::npos)
        return found(written.text, kInstance);
      written.value = std::string(before);
    }
    written.words = split_words(text.substr(open + 1, close - open - 1));
    if (written.words.empty())
      return found(written.text, "a host, all, others or default between the brackets");
    instances.push_back(std::move(written));
    text = trim_left(text.substr(close + 1));
  }
  if (instances.empty()) return found("", kInstance);
  return instances;
}

class Resolver {
 public:
  Resolver(const HostNames& names, const std::vector<std::string>& server_hosts, std::vector<Error>& left_out)
      : names_(names), server_hosts_(server_hosts), left_out_(left_out) {}

  Result<std::vector<ResourceInstance>> resolve(const std::vector<Written>& written);

 private:
  Result<std::string> host(const Written& written, std::string_view word) const {
    const auto official = names_.official(word);
    if (official) return *official;
    // [HOST]@VALUE: a common slip.
    if (word.find('@') != std::string_view::npos)
      return found(written.text, "VALUE@[HOST ...], the value first");
    return found(word, "a host of section Host");
  }
  Result<ResourceInstance> resolve(const Written& written);
  Result<std::vector<std::string>> all_but(const Written& written);

  const HostNames& names_;
  const std::vector<std::string>& server_hosts_;
  std::vector<Error>& left_out_;
  std::set<std::string> placed_;
};

Result<std::vector<std::string>> Resolver::all_but(const Written& written) {
  std::set<std::string> left_out;
  for (std::size_t i = 1; i < written.words.size(); ++i) {
    std::string_view word = written.words[i];
    if (word == "~" && i + 1 < written.words.size())
      word = written.words[++i];
    else if (word.starts_with('~'))
      word.remove_prefix(1);
    else
      return found(written.text, "nothing but ~HOST after all");
    const auto name = host(written, word);
    if (name)
      left_out.insert(*name);
    else
      left_out_.push_back(name.error());
  }
  std::vector<std::string> hosts;
  for (const std::string& name : server_hosts_)
    if (!left_out.contains(name)) hosts.push_back(name);
  return hosts;
}

Result<ResourceInstance> Resolver::resolve(const Written& written) {
  ResourceInstance instance{.value = written.value};
  if (written.words[0] == "all") {
    instance.all_hosts = true;
    auto hosts = all_but(written);
    if (!hosts) return hosts.error();
    instance.hosts = std::move(*hosts);
  } else {
    for (const std::string& word : written.words) {
      if (word.starts_with('~')) return found(written.text, "~HOST only after all");
      if (word == "default" || word == "others" || word == "all")
        return found(written.text, word + " alone between its brackets");
      auto name = host(written, word);
      if (name)
        instance.hosts.push_back(std::move(*name));
      else
        left_out_.push_back(name.error());
    }
  }
  for (const std::string& name : instance.hosts)
    if (!placed_.insert(name).second)
      return found(written.text, "a host in one instance only: " + name + " is in two");
  return instance;
}

Result<std::vector<ResourceInstance>> Resolver::resolve(const std::vector<Written>& written) {
  std::vector<ResourceInstance> instances;
  std::optional<std::size_t> others;
  for (const Written& one : written) {
    const bool alone = one.words.size() == 1;
    if (alone && one.words[0] == "default") {
      if (written.size() > 1) return found(one.text, "[default] as the only instance");
      return std::vector{ResourceInstance{.kind = ResourceInstance::Kind::each_host, .value = one.value}};
    }
    if (alone && one.words[0] == "others") {
      if (others) return found(one.text, "[others] once");
      others = instances.size();
      instances.push_back({.value = one.value});
      continue;
    }
    auto instance = resolve(one);
    if (!instance) return instance.error();
    if (!instance->hosts.empty() || instance->all_hosts) instances.push_back(std::move(*instance));
  }
  if (!others) return instances;
  for (const std::string& name : server_hosts_)
    if (!placed_.contains(name)) instances[*others].hosts.push_back(name);
  if (instances[*others].hosts.empty())
    instances.erase(instances.begin() + static_cast<std::ptrdiff_t>(*others));
  return instances;
}

}  // namespace

Result<std::vector<ResourceInstance>> parse_locations(std::string_view text, const HostNames& names,
                                                      const std::vector<std::string>& server_hosts,
                                                      std::vector<Error>& left_out) {
  const auto written = instances_of(text);
  if (!written) return written.error();
  return Resolver(names, server_hosts, left_out).resolve(*written);
}

}  // namespace rollcall::conf
