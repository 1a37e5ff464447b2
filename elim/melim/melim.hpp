// Melim: the daemon that runs the elims of a host. It starts those that LIM's orders and LSF_SERVERDIR call for, reads their
// values, and sends LIM the new ones every poll interval.
//
// One thread, one DaemonLoop. It sleeps between events: its timers are deadlines, and one slow look at LSF_SERVERDIR. elim_life
// makes the decisions about an elim. It ends when LIM is gone.
#pragma once

#include <sys/resource.h>

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/io/daemon_loop.hpp"
#include "elim/melim/elim.hpp"
#include "elim/melim/lim_link.hpp"
#include "elim/melim/server_dir.hpp"

namespace rollcall::melim {

class Melim {
 public:
  // All signals are blocked, and stay so except those of the loop. open_files: the limit for elims.
  Melim(LimLink link, const rlimit& open_files);

  // Runs until LIM is gone and every elim has been ended.
  io::DaemonEnd run();

 private:
  bool finished(TimePoint now) const;
  // Handles the consequences for all elims, after all events of the same turn of the loop.
  void settle_soon();
  void settle();
  void listen(TimePoint now);
  void set_timer(TimePoint now);
  std::optional<TimePoint> next_deadline(TimePoint now) const;

  void child_ended();
  void end_strays();
  void hear_lim();
  void take_orders(const wire::MelimOrders& message, TimePoint now);
  void look_around(TimePoint now);
  void take_elim(const std::string& name, const FoundElim& found, TimePoint now);
  void say_verdict(const std::string& name, const FileVerdict& verdict);
  void forget_retired();
  void report(TimePoint now);
  void add_states(wire::MelimReport& report) const;
  void end_all(const char* why, TimePoint now);

  const io::Log log_;  // LIM's log, for errors of the loop. around_.log is the one for people
  io::DaemonLoop loop_;
  LimLink link_;
  DescriptorWatch link_watch_;
  boost::asio::steady_timer timer_{loop_.context()};
  std::optional<TimePoint> timer_at_;
  bool settles_ = false;  // settle() is posted
  bool strays_ = false;   // some were killed, and may not be gone yet
  Surroundings around_;
  ServerDir server_dir_;
  DescriptorWatch server_watch_;
  std::map<std::string, std::unique_ptr<Elim>> elims_;
  std::map<std::string, FileVerdict> verdicts_;  // of files with a problem; logged once
  std::string unsafe_directory_;                 // logged once
  std::optional<TimePoint> look_at_;
  std::optional<TimePoint> last_report_;
  std::string private_logs_;             // below /tmp, where it is used; removed at the end
  std::optional<TimePoint> give_up_at_;  // set when LIM is gone, or we are told to end
};

}  // namespace rollcall::melim
