// HostNames: the one rule by which every program of a cluster knows a host's name. A value.
//
// A host may be written short or qualified, in any case, by an alias, or by another of its names. The official name is the one in
// lsf.cluster's Host section, less a domain of LSF_STRIP_DOMAIN. The rule has four steps: a name of LSF_ENVDIR/hosts is replaced
// by the first name of its line; a domain of LSF_STRIP_DOMAIN is cut off; case is ignored; a short name matches a qualified
// official name if exactly one fits. No resolver is asked: the name that gethostname gives must be found by this rule too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::conf {

class HostNames {
 public:
  HostNames() = default;
  // strip_domains: the value of LSF_STRIP_DOMAIN (":.a.com:.b.com"); hosts_file: the text of LSF_ENVDIR/hosts, "" where
  // there is none (address name alias ...; malformed lines are skipped, as the resolver does with /etc/hosts).
  HostNames(std::string_view strip_domains, std::string_view hosts_file);

  // Adds a host of lsf.cluster. A name that fits two hosts is then ambiguous and matches neither.
  void add_official(const std::string& name);

  // A name without a domain of LSF_STRIP_DOMAIN and without a trailing dot. The names of section Host go through this before they
  // become official.
  std::string short_of_domain(std::string_view name) const;

  // The official name of a word; none where it names no host.
  std::optional<std::string> official(std::string_view word) const;
  // The address that LSF_ENVDIR/hosts gives for an official name; none where it has no such line.
  std::optional<std::string> address(std::string_view official) const;
  // All addresses of the LSF_ENVDIR/hosts lines that have the name, first or as an alias.
  std::vector<std::string> addresses(std::string_view official) const;

 private:
  std::string stripped(std::string_view word) const;  // alias resolved, domain cut, lower case

  std::vector<std::string> domains_;
  std::unordered_map<std::string, std::string>
      first_names_;  // lower-case name or alias -> first name of its line
  std::unordered_map<std::string, std::string> addresses_;                   // first name -> address
  std::unordered_map<std::string, std::vector<std::string>> all_addresses_;  // name or alias -> of every line
  std::unordered_map<std::string, std::vector<std::string>>
      official_;  // stripped and short forms -> official names
};

}  // namespace rollcall::conf
