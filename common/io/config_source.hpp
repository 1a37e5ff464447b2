// config_source: where the configuration files are on this host, and the wall clock for #if time(): the sources that every
// program hands to conf::read_cluster_files().
//
// It reads files and the environment; all other decisions are its callers'. Linked by daemons and commands.
#pragma once

#include <optional>
#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// The files under LSF_ENVDIR of the environment. Without it: conf/ beside the program's folder if it has an lsf.conf (bin, etc
// and conf stand side by side in an installed tree), else /etc.
conf::FileSources real_file_sources();
// The files of one directory, whatever the environment says.
conf::FileSources file_sources_of(const std::string& env_dir);

// A regular file as text; an error is "PATH: why".
Result<std::string> read_config_file(const std::string& path);

// The present time of the week in the site's zone ("", TZ or /etc/localtime), in a zone of the system's tables (Europe/Rome), or
// by an abbreviation with a fixed offset (EDT, CEST). None for other words.
std::optional<conf::LocalTime> local_time_in(const std::string& zone);

}  // namespace rollcall::io
