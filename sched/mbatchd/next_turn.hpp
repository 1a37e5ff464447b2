// NextTurn: runs one turn of the daemon after the loop has handled all that had already arrived.
//
// At most kMostLaps rounds of the loop are collected into one turn. It does not know what a turn does (daemon.cpp), and calls it
// also if the daemon ends meanwhile. Owned by the daemon.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <utility>

namespace rollcall::mbatchd {

class NextTurn {
 public:
  NextTurn(boost::asio::io_context& loop, std::function<void()> turn) : loop_(loop), turn_(std::move(turn)) {}

  // Requests a turn; further calls before it do not add another.
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
