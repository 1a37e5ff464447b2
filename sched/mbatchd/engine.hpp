// Engine: what runs jobs, as a part of mbatchd: the interface of sched/policy/values/engine.hpp, plus what the daemon adds: the
// files in force, connections, and a callback for reports.
//
// run_daemon() gets one engine, which may be made of several (engine_router.hpp). No other part of mbatchd knows which it is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "common/wire/piece.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/policy/lease/host_grants.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::mbatchd {

// Where what starts tasks on a host is reached: for jobs on hosts of several clusters.
struct HostPlace {
  std::vector<std::string> addresses;  // numeric
  std::uint16_t port = 0;
};

// What an engine is made with; all of it lives longer than the engine.
struct EngineSetup {
  boost::asio::io_context& loop;
  io::Links& links;
  const io::Log& log;
  std::uint64_t term = 0;  // of this mbatchd: grows with every start
  // The reports of a host, in their order; HostCame first.
  std::function<void(const std::string& host, const sched::HostReport&)> told;
  // `silent`: how long nothing had been heard of it by then.
  std::function<void(const std::string& host, Duration silent)> gone;
  // The host has read what was sent: has_room() holds again.
  std::function<void(const std::string& host)> room{};
  // The answer to read() and to file().
  std::function<void(const std::string& host, std::uint64_t number, const wire::Piece&)> piece{};
  // The grants of leases whose slots of the host the attempt takes, as they are when its order leaves; none: slots of our own.
  std::function<sched::lease::GrantNumbers(const std::string& host, const sched::Attempt&)> grants_of{};
  // The answer to name_grants().
  std::function<void(const std::string& host, const sched::lease::GrantsOnHost&)> grants_held{};
  // The key, relay name and addresses that the attempt's hosts share; none: all its hosts are of one cluster.
  std::function<std::optional<wire::JobSpan>(const sched::Attempt&)> span_of{};
  // The attempt is a part of another cluster's job: a host that releases it says when nothing of it is left.
  std::function<bool(const sched::Attempt&)> is_part{};
  // The order for this host could not leave: not every host of the attempt can be named yet. It is to be given again.
  std::function<void(const std::string& host, const sched::Attempt&)> awaits_span{};
  // Attempts are on the host, which is no server any more: its daemon is heard until let_go(). `held`: the jobs that it says in its
  // hello it has; none: it says no hello now.
  std::function<bool(const std::string& host, const std::optional<std::vector<sched::JobKey>>& held)>
      has_attempts{};
};

// A piece of a file, read or written as this user.
struct FileOnHost {
  std::string user;
  std::uint32_t uid = 0;
  std::string path;
  std::string name;  // of the file, where `path` is a directory
  bool append = false;
  std::string transfer;  // pieces that are written to one file after the other have the same
  wire::PieceAsked asked;
};

class Engine : public sched::Engine {
 public:
  // Files that are in force from now on; once before anything else.
  virtual void configure(std::shared_ptr<const Configuration> configuration) = 0;
  // Orders for the host arrive there: it has come, and has not gone.
  virtual bool reaches(const std::string& host) const = 0;
  // Further orders for the host may be given now. True also for a host that is not reached: its orders are lost.
  virtual bool has_room(const std::string&) const { return true; }
  // Restarts or ends the engine's daemon on the host; jobs go on. False: the host is not reached.
  virtual bool restart(const std::string& host, bool stop) = 0;
  // Called when no attempt is left on a removed host. Closes its daemon's link, unless the host is a server again.
  virtual void let_go(const std::string&) {}
  // Reads a piece of what the attempt has written on its first host. `number`: of the answer, which may never come. False: the host
  // is not reached, or its engine cannot read.
  virtual bool read(const std::string&, const sched::Attempt&, std::uint64_t, const wire::PieceAsked&) {
    return false;
  }
  // A file of a user on any of its hosts, for a job in another cluster. The answer comes as that of read().
  virtual bool file(const std::string&, std::uint64_t, const FileOnHost&) { return false; }

  // Names the newest grants of leases. False: the host is not reached, or keeps no numbers of leases.
  virtual bool name_grants(const std::string&, const sched::lease::GrantQuestion&) { return false; }

  // None: the host is not reached, or takes no part in jobs on hosts of several clusters.
  virtual std::optional<HostPlace> place_of(const std::string&) const { return std::nullopt; }

  // Daemons of the cluster that call mbatchd's port are the engine's own. An error ends the link; `engine`: of ToMbatchd.
  virtual void opened(io::LinkId link, const io::LinkPeer& peer) = 0;
  // The link was opened here, and the engine has not given it up.
  virtual bool has(io::LinkId link) const = 0;
  virtual Result<void> message(io::LinkId link, std::string_view engine) = 0;
  virtual void ended(io::LinkId link, const std::string& why) = 0;
  virtual void drained(io::LinkId) {}
};

using EngineMaker = std::function<std::unique_ptr<Engine>(EngineSetup)>;

}  // namespace rollcall::mbatchd
