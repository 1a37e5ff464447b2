// ActiveConfiguration: the set of files that mbatchd runs with, and how another set comes into force: by reconfiguration, or
// because a #if time() of the same texts has changed.
//
// Owns the pointer to the set in force, and the last set that was refused because of a #if time(). It neither reads files
// (configuration.hpp) nor applies them: it calls the daemon's Handler. Owned by the daemon, used in its loop.
//
//   a new set has  | what happens
//   ---------------+------------------------------------------------------------------------------
//   a fatal error  | its errors are logged; the set in force stays
//   no fatal error | it is in force; it is kept beside the store; Handler::taken is called
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/wall_time.hpp"
#include "common/io/log.hpp"
#include "common/wire/batch.pb.h"
#include "sched/mbatchd/configuration.hpp"

namespace rollcall::mbatchd {

class ActiveConfiguration {
 public:
  struct Handler {
    std::function<std::vector<std::string>()> taken;  // other files are in force: lines for the administrator
    std::function<void()> restart;  // mbatchd is to start again; called before the answer leaves
  };
  // `env_dir`: LSF_ENVDIR by option. `first`: the set that mbatchd starts with.
  ActiveConfiguration(std::optional<std::string> env_dir, std::shared_ptr<const Configuration> first,
                      io::Log& log, Handler handler);

  const std::shared_ptr<const Configuration>& configuration() const { return configuration_; }

  // Reads the files again. The answer lists their errors.
  wire::BatchReply reconfigure();
  // Checks once a minute whether the condition of a #if time() has changed: windows begin and end at full minutes.
  void look_at_conditions(WallTime now);
  // Checks that a new mbatchd could start with the files and the key, and asks for the restart.
  wire::BatchReply restart();

 private:
  wire::BatchReply take(const LoadedConfiguration& loaded, const char* what);

  const std::optional<std::string> env_dir_;
  const std::string directory_;  // where the store is: of the first set, whatever later sets say
  std::shared_ptr<const Configuration> configuration_;
  io::Log& log_;
  Handler handler_;
  std::int64_t minute_ = 0;  // when #if time() was looked at
  std::shared_ptr<const conf::FileSnapshot>
      refused_;  // the texts in force, as a #if time() now selects them, with errors
  conf::ToldLines told_;
};

}  // namespace rollcall::mbatchd
