// HostNames: the one rule by which every program of a cluster knows a host's name. A value.
//
// A host may be written short or qualified, in any case, by an alias, or by another of its names. The official name is
// what lsf.cluster's Host section says, less a domain of LSF_STRIP_DOMAIN. The rule: a name of LSF_ENVDIR/hosts is
// replaced by the first name of its line;
// then LSF_STRIP_DOMAIN's domains are cut off; then letters are compared without regard to case; and a short name meets
// a qualified official one where exactly one fits. No resolver is asked: what gethostname says must be found by this rule.
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
  // there is none (address name alias ...; bad lines are passed over, as the system's own file is read).
  HostNames(std::string_view strip_domains, std::string_view hosts_file);

  // Takes the hosts of lsf.cluster. A name that means two of them afterwards means neither.
  void add_official(const std::string& name);

  // A name as written, without a domain of LSF_STRIP_DOMAIN and without a dot at its end. What the Host section of
  // lsf.cluster says goes through this before it is official.
  std::string short_of_domain(std::string_view name) const;

  // The official name of a word; nothing where no host is meant.
  std::optional<std::string> official(std::string_view word) const;
  // The address that LSF_ENVDIR/hosts gives for an official name; nothing where it does not.
  std::optional<std::string> address(std::string_view official) const;
  // All addresses that it gives: of every line that has the name, be it first or an alias.
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
