#include "elim/commands/cluster_setup.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "common/io/cluster_key.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/name_lookup.hpp"
#include "common/io/program_place.hpp"
#include "common/io/root_trust.hpp"

namespace rollcall::elim {
namespace {

namespace fs = std::filesystem;

Error cannot(const char* what, const std::string& path, const std::string& why) {
  return configuration_error(std::string("cannot ") + what + " " + path + ": " + why);
}

// Below the ports that the kernel gives to outgoing connections, and above those of well known services.
constexpr int kFirstPort = 10000, kPorts = 20000;

io::Descriptor bound_to(int port) {
  io::Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<std::uint16_t>(port));
  if (fd && bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) fd.reset();
  return fd;
}

// Three consecutive free ports. The search starts at a random port, so that two users who set up at once do not collide.
Result<int> three_free_ports() {
  const auto random = io::random_seed();
  const int first = kFirstPort + (random[0] << 8 | random[1]) % kPorts;
  for (int tried = 0; tried < kPorts; tried += 3) {
    const int port = kFirstPort + (first - kFirstPort + tried) % kPorts;
    if (bound_to(port) && bound_to(port + 1) && bound_to(port + 2)) return port;
  }
  return internal_error("found no three free ports in a row from " + std::to_string(kFirstPort) + " on");
}

Result<void> write_new(const std::string& path, const std::string& text) {
  const io::Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) return cannot("make", path, std::strerror(errno));
  if (write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return cannot("write", path, std::strerror(errno));
  return {};
}

Result<void> make_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return cannot("make", path, error.message());
  return {};
}

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path); }

// LSF_SERVERDIR of the installed tree. A build has none, so a directory of links to its programs is made.
Result<std::string> server_directory(const std::string& top) {
  const fs::path programs = io::program_directory(), beside = programs.parent_path() / "etc";
  if (is_program(beside / "lim")) return beside.string();
  if (!is_program(programs / "lim"))
    return configuration_error("found no lim in " + beside.string() + " nor in " + programs.string());
  const std::string made = top + "/etc";
  if (auto ok = make_directory(made); !ok) return ok.error();
  const auto link = [&](const fs::path& program) {
    std::error_code error;
    fs::create_symlink(program, fs::path(made) / program.filename(), error);
  };
  for (const char* name : {"lim", "melim", "res", "shepherd", "mbatchd"})
    if (is_program(programs / name)) link(programs / name);
  std::error_code error;
  for (fs::directory_iterator entry(beside, error), end; !error && entry != end; entry.increment(error))
    if (is_program(entry->path())) link(entry->path());
  return made;
}

Result<void> check_place(const std::string& top) {
  if (top.find_first_of(" \t\n") != top.npos)
    return usage_error("setup: found \"" + top +
                       "\", expected a directory whose path has no blanks: mpirun.lsf fails with them");
  if (fs::exists(top + "/conf/lsf.conf"))
    return configuration_error(top + "/conf/lsf.conf: is there; found a configuration, expected none");
  if (auto made = make_directory(top); !made) return made;
  const auto trust = io::read_root_trust();
  if (!trust) return trust.error();
  return io::check_trust(*trust, top, "root's daemons would believe what is in it");
}

}  // namespace

Result<show::OneHost> set_up_cluster(const std::string& top, const std::string& cluster) {
  if (const auto why = show::bad_cluster_name(cluster); !why.empty()) return usage_error(why);
  show::OneHost host{.cluster = cluster,
                     .top = top,
                     .host = io::host_name_here(),
                     .address = "",
                     .administrator = io::look_up_user(geteuid()),
                     .programs = io::program_directory()};
  if (host.administrator.empty())
    return configuration_error("user " + std::to_string(geteuid()) +
                               " has no name on this host, and a cluster's administrator needs one");
  if (auto place = check_place(top); !place) return place.error();
  auto servers = server_directory(top);
  if (!servers) return servers.error();
  host.servers = *servers;
  const auto ports = three_free_ports();
  if (!ports) return ports.error();
  host.lim_port = *ports, host.res_port = *ports + 1, host.mbd_port = *ports + 2;
  if (const auto addresses = io::look_up_host(host.host); !addresses || addresses->empty())
    host.address = "127.0.0.1";
  for (const char* directory : {"log", "work", "jobs"})
    if (auto made = make_directory(top + "/" + directory); !made) return made.error();
  for (const auto& file : show::one_host_files(host)) {
    const std::string path = top + "/" + file.path;
    if (auto made = make_directory(fs::path(path).parent_path()); !made) return made.error();
    if (auto written = write_new(path, file.text); !written) return written.error();
  }
  return host;
}

}  // namespace rollcall::elim
