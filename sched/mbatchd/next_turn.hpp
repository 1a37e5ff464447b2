// NextTurn: posts one turn of the daemon to the loop, for when the loop has nothing more that has already come.
//
// It collects at most kMostLaps rounds of the loop into one turn. It does not know what a turn does (daemon.cpp), and it calls the
// turn also where the daemon ends meanwhile. Owned by the daemon.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <utility>

namespace rollcall::mbatchd {

class NextTurn {
 public:
  NextTurn(boost::asio::io_context& loop, std::function<void()> turn) : loop_(loop), turn_(std::move(turn)) {}

  // The turn comes soon; more calls until then make no second one.
  void soon() {
    more_came_ = true;
    if (posted_) return;
    posted_ = true;
    laps_ = 0;
    lap();
  }
  bool posted() const { return posted_; }

 private:
  static constexpr int kMostLaps = 16;

  void lap() {
    more_came_ = false;
    boost::asio::post(loop_, [this] {
      if (more_came_ && ++laps_ < kMostLaps) return lap();
      posted_ = false;
      turn_();
    });
  }

  boost::asio::io_context& loop_;
  std::function<void()> turn_;
  bool posted_ = false, more_came_ = false;
  int laps_ = 0;
};

}  // namespace rollcall::mbatchd
