// Melim: the loop of MELIM. It starts the elims that LIM's orders and LSF_SERVERDIR call for, hears them, and tells LIM
// every poll interval what is new.
//
// One thread, one poll(2). It sleeps until somebody has something to say: no timer runs but for what is waited for, and
// one slow look at LSF_SERVERDIR. It decides nothing about an elim: elim_life does. It ends when LIM is gone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elim/melim/elim.hpp"
#include "elim/melim/lim_link.hpp"
#include "elim/melim/server_dir.hpp"

namespace rollcall::melim {

class Melim {
 public:
  // signals: a signalfd of every signal, all of which are blocked.
  Melim(LimLink link, int signals) : link_(std::move(link)), signals_(signals) {}

  // Until LIM is gone and every elim has been ended.
  void run();

 private:
  bool finished(TimePoint now) const;
  void turn();
  void wait(TimePoint now);
  int timeout_ms(TimePoint now) const;
  bool ready(int fd) const;

  void take_signals();
  void reap();
  void take_orders(const wire::MelimOrders& message, TimePoint now);
  void look_around(TimePoint now);
  void take_elim(const std::string& name, const FoundElim& found, TimePoint now);
  void say_verdict(const std::string& name, const FileVerdict& verdict);
  void forget_retired();
  void report(TimePoint now);
  void add_states(wire::MelimReport& report) const;
  void end_all(const char* why, TimePoint now);

  LimLink link_;
  int signals_;
  Surroundings around_;
  ServerDir server_dir_;
  std::map<std::string, std::unique_ptr<Elim>> elims_;
  std::map<std::string, FileVerdict> verdicts_;  // of files that do not simply run; said once
  std::string unsafe_directory_;                 // said once
  std::vector<pollfd> fds_;
  std::optional<TimePoint> look_at_;
  std::optional<TimePoint> last_report_;
  std::string private_logs_;             // below /tmp, where it is used; removed at the end
  std::optional<TimePoint> give_up_at_;  // LIM is gone, or we are told to end
};

}  // namespace rollcall::melim
