// Controls: badmin's orders for mbatchd itself: new files, restart, end, log levels, the daemons of hosts. The Book opens and
// closes queues and hosts.
//
// The caller has checked that an administrator asks. What only the running daemon can do, its Handler does.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/io/log.hpp"
#include "common/wire/batch.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/engine.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::mbatchd {

class Controls {
 public:
  struct Handler {
    std::function<wire::BatchReply()> reconfigure, restart;
    std::function<void()> shut_down, rebuild_events;
    std::function<std::string()> status;
    std::function<std::pair<std::string, bool>(const std::string& cluster, bool only_say)>
        forget_cluster;  // the text, and whether it is done
  };
  Controls(io::Log& log, Engine& engine, Handler handler)
      : log_(log), engine_(engine), handler_(std::move(handler)) {}

  wire::BatchReply carry_out(const wire::ControlBatch& asked, const Configuration& configuration);

 private:
  wire::BatchReply set_log_level(const std::string& word);
  wire::BatchReply forget_clusters(const wire::ControlBatch& asked);
  wire::BatchReply order_hosts(const wire::ControlBatch& asked, const Configuration& configuration);

  io::Log& log_;
  Engine& engine_;
  Handler handler_;
};

// An answer of lines alone.
wire::BatchReply text_reply(std::string text);

}  // namespace rollcall::mbatchd
