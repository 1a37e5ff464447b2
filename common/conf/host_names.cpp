#include "common/conf/host_names.hpp"

#include <algorithm>

#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

// A rough check; a malformed address fails later when connecting.
bool looks_like_address(std::string_view word) {
  return word.find_first_of(".:") != std::string_view::npos &&
         word.find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos;
}

}  // namespace

HostNames::HostNames(std::string_view strip_domains, std::string_view hosts_file) {
  for (const std::string& domain : split_words(strip_domains, ":"))
    domains_.push_back((domain.starts_with('.') ? "" : ".") + lower(domain));
  for (const std::string& line : split_words(hosts_file, "\n")) {
    const auto words = split_words(std::string_view(line).substr(0, line.find('#')));
    if (words.size() < 2 || !looks_like_address(words[0])) continue;
    const std::string first = lower(words[1]);
    // The first line of a name counts, as in /etc/hosts.
    for (std::size_t i = 1; i < words.size(); ++i) first_names_.emplace(lower(words[i]), first);
    addresses_.emplace(first, words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) all_addresses_[lower(words[i])].push_back(words[0]);
  }
}

std::string HostNames::short_of_domain(std::string_view name) const {
  if (name.size() > 1 && name.ends_with('.')) name.remove_suffix(1);
  const std::string small = lower(name);
  for (const std::string& domain : domains_)
    if (small.size() > domain.size() && small.ends_with(domain))
      return std::string(name.substr(0, name.size() - domain.size()));
  return std::string(name);
}

std::string HostNames::stripped(std::string_view word) const {
  const auto first = first_names_.find(lower(word));
  return lower(short_of_domain(first == first_names_.end() ? word : std::string_view(first->second)));
}

void HostNames::add_official(const std::string& name) {
  const std::string whole = stripped(name);
  const auto add = [&](const std::string& form) {
    auto& names = official_[form];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  add(whole);
  add(whole.substr(0, whole.find('.')));
}

std::optional<std::string> HostNames::official(std::string_view word) const {
  const std::string form = stripped(word);
  const auto found = official_.find(form);
  if (found == official_.end()) return std::nullopt;
  const auto& names = found->second;
  // An exact name wins over hosts whose short form it is.
  const auto exact = [&](const std::string& name) { return stripped(name) == form; };
  const auto first = std::find_if(names.begin(), names.end(), exact);
  if (first == names.end()) return names.size() == 1 ? std::optional(names.front()) : std::nullopt;
  if (std::find_if(std::next(first), names.end(), exact) != names.end()) return std::nullopt;
  return *first;
}

std::optional<std::string> HostNames::address(std::string_view official) const {
  const auto first = first_names_.find(lower(official));
  if (first == first_names_.end()) return std::nullopt;
  const auto found = addresses_.find(first->second);
  if (found == addresses_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> HostNames::addresses(std::string_view official) const {
  std::vector<std::string> all;
  const auto add_those_of = [&](const std::string& name) {
    const auto found = all_addresses_.find(name);
    if (found == all_addresses_.end()) return;
    for (const auto& address : found->second)
      if (std::find(all.begin(), all.end(), address) == all.end()) all.push_back(address);
  };
  add_those_of(lower(official));
  if (const auto first = first_names_.find(lower(official)); first != first_names_.end())
    add_those_of(first->second);
  return all;
}

}  // namespace rollcall::conf
