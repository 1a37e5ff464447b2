#include "sched/mbatchd/last_good_configuration.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/share_directory.hpp"
#include "common/io/config_source.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/durable_file.hpp"
#include "common/io/local_time.hpp"

namespace rollcall::mbatchd {
namespace {

constexpr const char* kKeptName = "configuration.kept";
constexpr std::size_t kMostKeptBytes = 256UL << 20;

// A user who may write in a directory may place a file there.
io::Descriptor own_directory(const std::string& path) {
  io::Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!directory || fstat(directory.get(), &found) != 0 || found.st_uid != geteuid() ||
      (found.st_mode & 022) != 0)
    return {};
  return directory;
}

std::string kept_date(int directory) {
  struct stat found {};
  if (fstatat(directory, kKeptName, &found, AT_SYMLINK_NOFOLLOW) != 0) return "an earlier time";
  return long_date(io::local_time()(found.st_mtime));
}

// The values of lsf.conf, as far as it can be read. Its errors were reported before.
struct Remains {
  std::string mbd_host;
  std::vector<std::string> directories;  // where the store may be
};

Remains remains_of(const conf::FileSources& sources) {
  Remains remains;
  conf::Problems told;
  const auto text = sources.read(sources.env_dir + "/lsf.conf");
  const auto files = conf::lsf_conf_alone(text ? *text : std::string(), sources.env_dir, told);
  remains.mbd_host = conf::named_mbd_host(files);
  const auto share = conf::share_directory(files);
  if (!share) return remains;
  const auto& settings = files.settings;
  if (!settings.cluster.empty()) {
    remains.directories.push_back(*share + "/" + settings.cluster);
    return remains;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(*share, error), end; !error && entry != end;
       entry.increment(error))
    if (std::filesystem::exists(entry->path() / kKeptName, error))
      remains.directories.push_back(entry->path());
  return remains;
}

bool is_for_this_host(const std::string& mbd_host, const Configuration& kept) {
  return mbd_host.empty() || kept.files.cluster->names.official(mbd_host).value_or(mbd_host) == kept.host;
}

}  // namespace

void keep_configuration(const std::string& directory, const std::string& packed, const io::Log& log) {
  const auto own = own_directory(directory);
  if (!own) return;  // opening the store reports what is wrong with it
  const auto before = io::read_at(own.get(), kKeptName, kMostKeptBytes);
  if (before && *before && **before == packed) return;
  if (const auto kept = io::write_durably(own.get(), kKeptName, packed); !kept)
    log.warning(directory + ": " + kept.error().text + "; a start with broken files will not find these");
}

std::optional<LoadedConfiguration> kept_configuration(const std::optional<std::string>& env_dir,
                                                      const LoadedConfiguration& refused) {
  const auto sources = env_dir ? io::file_sources_of(*env_dir) : io::real_file_sources();
  const auto remains = remains_of(sources);
  if (remains.directories.size() != 1) return std::nullopt;
  const auto own = own_directory(remains.directories.front());
  if (!own) return std::nullopt;
  const auto packed = io::read_at(own.get(), kKeptName, kMostKeptBytes);
  if (!packed || !*packed) return std::nullopt;
  const std::string why = refused.errors.empty() ? "the files cannot be read" : refused.errors.front();
  auto kept = load_packed_configuration(**packed, "the files of " + kept_date(own.get()) + ", since " + why);
  if (!kept.configuration || !is_for_this_host(remains.mbd_host, *kept.configuration)) return std::nullopt;
  return kept;
}

}  // namespace rollcall::mbatchd
