// Melim: the daemon that runs the elims of a host. It starts those that LIM's orders and LSF_SERVERDIR call for, hears them, and
// tells LIM every poll interval what is new.
//
// One thread, one DaemonLoop. It sleeps until somebody has something to say: no timer runs but for what is waited for, and
// one slow look at LSF_SERVERDIR. It decides nothing about an elim: elim_life does. It ends when LIM is gone.
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
  // Every signal is blocked, and stays so but for those of the loop. open_files: the limit of an elim.
  Melim(LimLink link, const rlimit& open_files);

  // Until LIM is gone and every elim has been ended.
  io::DaemonEnd run();

 private:
  bool finished(TimePoint now) const;
  // After what has happened, and what happens in the same turn of the loop: what follows from it for all elims.
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

  const io::Log log_;  // LIM's: the loop's errors. around_.log has what people read
  io::DaemonLoop loop_;
  LimLink link_;
  DescriptorWatch link_watch_;
  boost::asio::steady_timer timer_{loop_.context()};
  std::optional<TimePoint> timer_at_;
  bool settles_ = false;  // settle() is on its way
  bool strays_ = false;   // some were killed, and may not all be gone
  Surroundings around_;
  ServerDir server_dir_;
  DescriptorWatch server_watch_;
  std::map<std::string, std::unique_ptr<Elim>> elims_;
  std::map<std::string, FileVerdict> verdicts_;  // of files that do not simply run; said once
  std::string unsafe_directory_;                 // said once
  std::optional<TimePoint> look_at_;
  std::optional<TimePoint> last_report_;
  std::string private_logs_;             // below /tmp, where it is used; removed at the end
  std::optional<TimePoint> give_up_at_;  // LIM is gone, or we are told to end
};

}  // namespace rollcall::melim
