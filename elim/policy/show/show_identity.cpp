#include "elim/policy/show/show_identity.hpp"

#include <nlohmann/json.hpp>

#include "common/base/table_cells.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim::show {
namespace {

bool stand_in(const Identity& identity) {
  return !identity.master().empty() && identity.master() != identity.first_candidate();
}

const char* status_of(const Identity& identity) { return identity.master().empty() ? "unavail" : "ok"; }

}  // namespace

std::string identity_text(const Identity& identity, const std::string& product) {
  std::string text = product + "\n\nMy cluster name is " + identity.cluster() + '\n';
  text += "My master name is " + identity.master() + '\n';
  if (stand_in(identity))
    text += "It stands in for " + identity.first_candidate() + ", the first master candidate\n";
  return text;
}

std::string identity_json(const Identity& identity, const std::string& product) {
  return json_text({{"COMMAND", "lsid"},
                    {"PRODUCT", product},
                    {"CLUSTER", identity.cluster()},
                    {"MASTER", identity.master()},
                    {"FIRST_CANDIDATE", identity.first_candidate()},
                    {"ANSWERED_BY", identity.host()},
                    {"CALLER", identity.caller()}});
}

std::string clusters_table(const Identity& identity, bool wide) {
  const std::size_t name = wide ? std::max<std::size_t>(15, identity.cluster().size() + 1) : 15;
  const std::size_t master = wide ? std::max<std::size_t>(25, identity.master().size() + 1) : 25;
  std::string text = left("CLUSTER_NAME", name) + left("STATUS", 9) + left("MASTER_HOST", master) +
                     right("ADMIN", 6) + right("HOSTS", 9) + right("SERVERS", 9) + '\n';
  const std::string shown_master = identity.master().empty() ? "-" : identity.master();
  text += left(identity.cluster(), name) + left(status_of(identity), 9) + left(shown_master, master) +
          right(identity.administrator(), 6) + right(std::to_string(identity.hosts()), 9) +
          right(std::to_string(identity.servers()), 9) + '\n';
  return text;
}

std::string clusters_json(const Identity& identity) {
  nlohmann::ordered_json document{{"COMMAND", "lsclusters"}, {"CLUSTERS", 1}};
  document["RECORDS"] = nlohmann::ordered_json::array({{{"CLUSTER_NAME", identity.cluster()},
                                                        {"STATUS", status_of(identity)},
                                                        {"MASTER_HOST", identity.master()},
                                                        {"ADMIN", identity.administrator()},
                                                        {"HOSTS", identity.hosts()},
                                                        {"SERVERS", identity.servers()}}});
  return json_text(document);
}

}  // namespace rollcall::elim::show
