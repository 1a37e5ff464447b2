#include "elim/lim/melim_orders.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/io/program_place.hpp"

namespace rollcall::lim {
namespace {

std::uint32_t ms(Duration duration) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// The largest value an override of a built-in index may have; none: no limit.
std::optional<double> most_of(const std::string& name, const HostFacts& facts) {
  if (name == "mem" && facts.maxmem > 0) return static_cast<double>(facts.maxmem);
  if (name == "swp" && facts.maxswp > 0) return static_cast<double>(facts.maxswp);
  if (name == "tmp" && facts.maxtmp > 0) return static_cast<double>(facts.maxtmp);
  return std::nullopt;
}

void add_known(const Configuration& configuration, const HostFacts& facts, wire::MelimOrders& orders) {
  const auto& indices = configuration.files.indices;
  for (ResourceId id = 0; id < indices.size(); ++id) {
    const auto& definition = indices.at(id);
    if (!definition.dynamic()) continue;
    auto& known = *orders.add_known();
    known.set_name(definition.name);
    known.set_type(static_cast<std::uint32_t>(definition.type));
    known.set_built_in(definition.built_in);
    if (!definition.built_in) continue;
    if (const auto most = most_of(definition.name, facts)) known.set_most(*most);
  }
}

}  // namespace

std::string server_directory(const Configuration& configuration) {
  const std::string& configured = configuration.files.settings.server_dir;
  return configured.empty() ? io::program_directory() : configured;
}

wire::MelimOrders melim_orders(const Configuration& configuration, const HostFacts& facts,
                               const effect::OrderMelim& order) {
  const auto& settings = configuration.files.settings;
  const auto& parameters = configuration.files.cluster.parameters;
  wire::MelimOrders orders;
  orders.set_host(configuration.host);
  orders.set_server_dir(server_directory(configuration));
  if (!settings.log_dir.empty()) orders.set_log_file(settings.log_dir + "/melim.log." + configuration.host);
  orders.set_master(order.master);
  for (const auto& resource : order.resources) orders.add_resources(resource);
  add_known(configuration, facts, orders);
  for (const auto& word : parameters.elim_arguments) orders.add_arguments(word);
  orders.add_environment("LSF_ENVDIR=" + settings.env_dir);
  orders.add_environment("LSF_SERVERDIR=" + orders.server_dir());
  if (!settings.log_dir.empty()) orders.add_environment("LSF_LOGDIR=" + settings.log_dir);
  orders.set_poll_interval_ms(ms(parameters.elim_poll_interval));
  orders.set_block_time_ms(ms(parameters.elim_block_time));
  orders.set_restart_interval_ms(ms(parameters.elim_restart_interval));
  if (parameters.elim_restarts)
    orders.set_most_restarts(static_cast<std::uint32_t>(*parameters.elim_restarts));
  orders.set_abort_value(static_cast<std::uint32_t>(parameters.elim_abort_value));
  orders.set_debug(parameters.elim_debug);
  return orders;
}

Result<std::optional<io::SpawnIdentity>> melim_identity(const conf::ClusterFiles& files) {
  const auto& administrators = files.cluster.administrators;
  const std::string name = administrators.empty() ? "root" : administrators.front();
  if (geteuid() != 0 || name == "root") return std::optional<io::SpawnIdentity>();
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  if (found == nullptr)
    return configuration_error("the administrator " + name + " is no user of this host: no elim can run");
  io::SpawnIdentity identity{found->pw_uid, found->pw_gid, {}};
  int count = 64;
  identity.groups.resize(static_cast<std::size_t>(count));
  if (getgrouplist(name.c_str(), found->pw_gid, identity.groups.data(), &count) < 0) {
    identity.groups.resize(static_cast<std::size_t>(count));
    getgrouplist(name.c_str(), found->pw_gid, identity.groups.data(), &count);
  }
  identity.groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return std::optional(identity);
}

}  // namespace rollcall::lim
