// ActiveConfiguration: the set of files that mbatchd runs with, and how another set comes into force: by reconfiguration, or because a
// #if time() of the same texts has changed.
//
// Owns the pointer to the set in force and the set that was refused at this hour. It does not read files (configuration.hpp) and
// does not apply them: Handler tells the daemon. Owned by the daemon, used in its loop.
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

#include "common/base/wall_time.hpp"
#include "common/io/log.hpp"
#include "common/wire/batch.pb.h"
#include "sched/mbatchd/configuration.hpp"

namespace rollcall::mbatchd {

class ActiveConfiguration {
 public:
  struct Handler {
    std::function<void()> taken;    // another set is in force
    std::function<void()> restart;  // mbatchd is to start again; called before the answer leaves
  };
  // `env_dir`: LSF_ENVDIR by option. `first`: the set that mbatchd starts with.
  ActiveConfiguration(std::optional<std::string> env_dir, std::shared_ptr<const Configuration> first,
                      io::Log& log, Handler handler);

  const std::shared_ptr<const Configuration>& configuration() const { return configuration_; }

  // Reads the files again. The answer has what is wrong with them.
  wire::BatchReply reconfigure();
  // Looks once a minute whether a #if time() has begun or ceased to hold. Windows begin and end with a minute.
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
  std::int64_t minute_ = 0;                         // when #if time() was looked at
  std::shared_ptr<const conf::FileSnapshot>
      refused_;  // the files in force at an hour at which they have errors
  conf::ToldLines told_;
};

}  // namespace rollcall::mbatchd
