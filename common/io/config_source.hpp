// Where the configuration files are on this host, and the wall clock for their #if time(): what conf::read_cluster_files()
// is given by every program.
//
// It reads files and the environment, and decides nothing else. Linked by daemons and commands.
#pragma once

#include <optional>
#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// The files under LSF_ENVDIR of the environment. Without it: conf/ beside the folder of the program, where an lsf.conf is
// in it (bin, etc and conf stand side by side in an installed tree), else /etc.
conf::FileSources real_file_sources();
// The same for one directory, whatever the environment says.
conf::FileSources file_sources_of(const std::string& env_dir);

// A regular file as text; an error is "PATH: why".
Result<std::string> read_config_file(const std::string& path);

// The time of the week now, in the site's zone ("", TZ or /etc/localtime), in a zone of the system's tables (Europe/Rome),
// or by an abbreviation (EDT, CEST): those have a fixed distance to UTC. Nothing for other words.
std::optional<conf::LocalTime> local_time_in(const std::string& zone);

}  // namespace rollcall::io
