#include "common/conf/meant_host.hpp"

#include "common/base/host_list.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

bool names_nobody(const std::string& meant) {
  const bool address = meant.find_first_of(".:") != std::string::npos &&
                       meant.find_first_not_of("0123456789abcdefABCDEF.:") == std::string::npos;
  return meant.empty() || address || lower(meant) == "localhost";
}

}  // namespace

std::optional<std::string> objection_to_host(const HostNames& names, const std::string& own,
                                             const std::string& meant) {
  if (names_nobody(meant) || lower(meant) == lower(own)) return std::nullopt;
  auto official = names.official(meant);
  // A name server may qualify a name that the cluster's files have short.
  if (!official) official = names.official(meant.substr(0, meant.find('.')));
  if (official == own) return std::nullopt;
  return "a request for host " + printable(meant) + " has reached host " + own + ": " +
         (official ? "the name " + printable(meant) +
                         " leads to a wrong address; check LSF_ENVDIR/hosts, /etc/hosts and the name server"
                   : own + " does not know this name; check LSF_ENVDIR/hosts and lsf.cluster");
}

}  // namespace rollcall::conf
