#include "elim/lim/melim_orders.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/io/program_place.hpp"
#include "elim/lim/elim_logs.hpp"

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
    const bool fixed = !definition.dynamic();
    if (fixed && definition.built_in) continue;
    auto& known = *orders.add_known();
    known.set_name(definition.name);
    known.set_fixed(fixed);
    known.set_type(static_cast<std::uint32_t>(definition.type));
    known.set_built_in(definition.built_in);
    if (!definition.built_in) continue;
    if (const auto most = most_of(definition.name, facts)) known.set_most(*most);
  }
}

std::vector<gid_t> groups_of(const std::string& name, gid_t first) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (getgrouplist(name.c_str(), first, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    getgrouplist(name.c_str(), first, groups.data(), &count);
  }
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  return groups;
}

// The variables of LSF and of the account, by which an elim finds its commands, files and log.
void add_environment(const Configuration& configuration, const ElimAccount& account,
                     wire::MelimOrders& orders) {
  const auto& settings = configuration.files.settings;
  const auto add = [&orders](const char* name, const std::string& value) {
    if (!value.empty()) orders.add_environment(std::string(name) + "=" + value);
  };
  add("LSF_ENVDIR", settings.env_dir);
  add("LSF_SERVERDIR", orders.server_dir());
  add("LSF_BINDIR", command_directory(configuration));
  add("LSF_LIBDIR", configuration.files.programs.lim.elim_lib_dir);
  add("LSF_LOGDIR", settings.log_dir);
  add("HOME", account.home);
  add("USER", account.name);
  add("LOGNAME", account.name);
}

}  // namespace

std::string command_directory(const Configuration& configuration) {
  const std::string& configured = configuration.files.programs.lim.elim_bin_dir;
  if (!configured.empty()) return configured;
  // In a build daemons and commands share a folder; installed, etc and bin are side by side.
  const std::string here = io::program_directory();
  return access((here + "/lsid").c_str(), X_OK) == 0 ? here : here.substr(0, here.rfind('/')) + "/bin";
}

std::string server_directory(const Configuration& configuration) {
  const std::string& configured = configuration.files.settings.server_dir;
  return configured.empty() ? io::program_directory() : configured;
}

wire::MelimOrders melim_orders(const Configuration& configuration, const HostFacts& facts,
                               const ElimAccount& account, const effect::OrderMelim& order) {
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
  add_environment(configuration, account, orders);
  for (const auto& directory : elim_log_directories(settings.log_dir, configuration.host))
    orders.add_log_directories(directory);
  orders.set_private_log_directory("/tmp/rollcall-elims-" + std::to_string(account.uid) + "-" +
                                   std::to_string(settings.lim_port));
  orders.set_poll_interval_ms(ms(parameters.elim_poll_interval));
  orders.set_block_time_ms(ms(parameters.elim_block_time));
  orders.set_restart_interval_ms(ms(parameters.elim_restart_interval));
  if (parameters.elim_restarts)
    orders.set_most_restarts(static_cast<std::uint32_t>(*parameters.elim_restarts));
  orders.set_abort_value(static_cast<std::uint32_t>(parameters.elim_abort_value));
  orders.set_debug(parameters.elim_debug);
  return orders;
}

Result<ElimAccount> elim_account(const conf::ClusterFiles& files) {
  const auto& administrators = files.cluster.administrators;
  const std::string first = administrators.empty() ? "root" : administrators.front();
  const bool other = geteuid() == 0 && first != "root";
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  if (other)
    getpwnam_r(first.c_str(), &entry, room.data(), room.size(), &found);
  else
    getpwuid_r(geteuid(), &entry, room.data(), room.size(), &found);
  ElimAccount account;
  account.uid = geteuid();
  if (found == nullptr && other)
    return configuration_error("the administrator " + first + " is no user of this host: no elim can run");
  if (found == nullptr) return account;
  account.uid = found->pw_uid;
  account.name = found->pw_name;
  account.home = found->pw_dir;
  if (other)
    account.identity = io::SpawnIdentity{found->pw_uid, found->pw_gid, groups_of(first, found->pw_gid)};
  return account;
}

}  // namespace rollcall::lim
