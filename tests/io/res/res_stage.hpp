// The stage for the tests of RES: a real res with a cluster of one host in a directory of its own, and a fake mbatchd
// at the other end of its link. Every wait has a deadline and says what it waited for.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/io/links.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/res.pb.h"

namespace rollcall::res::test {

inline constexpr std::chrono::seconds kPatience{60};  // far beyond what anything here takes

class ResStage : public ::testing::Test {
 protected:
  ResStage();
  ~ResStage() override;
  void TearDown() override;

  // "" where jobs have cgroups here, else why not.
  std::string why_no_cgroups() const;
  // One more line of lsf.conf, before res starts.
  void configure(const std::string& line);
  void start_res();
  void kill_res(int signo);
  // mbatchd goes and comes again, with the next term.
  void restart_mbatchd();

  // A job of the user who runs the test.
  wire::ToRes::StartJob job(const std::string& command, int id = 1, std::uint64_t attempt = 1);
  void send(wire::ToRes order);
  void start(const wire::ToRes::StartJob& start);
  void signal(wire::ToRes::SignalJob order, int id = 1, std::uint64_t attempt = 1);
  void kill_job(int id = 1);
  void acknowledge(int id = 1, std::uint64_t attempt = 1);

  void wait_until(const std::string& what, const std::function<bool()>& condition,
                  std::chrono::seconds patience = kPatience);
  const wire::FromRes::ResHello& wait_for_hello(std::size_t number = 1);
  wire::FromRes::JobRunning wait_for_running(int id = 1);
  wire::FromRes::JobOver wait_for_over(int id = 1);
  template <class Is>
  const wire::FromRes* find(Is is) const {
    for (const auto& told : heard_)
      if (is(told)) return &told;
    return nullptr;
  }
  std::size_t count_over(int id) const;

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string text(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  // A file that a job writes: its words, when it is there and ends with a line.
  std::string wait_for_file(const std::string& name);
  std::string job_directory(int id = 1, std::uint64_t attempt = 1) const;
  // Pids of the guard and the shepherd of a job.
  pid_t guard_of(int id = 1);
  pid_t shepherd_of(int id = 1);
  void wait_until_gone(pid_t pid);

  std::string directory_, host_;
  std::uint64_t term_ = 1;
  bool refuses_ = false;           // mbatchd ends the link after ResHello
  wire::ToRes::Welcome settings_;  // what mbatchd welcomes with, before res starts
  boost::asio::io_context loop_{1};
  std::unique_ptr<io::Links> links_;
  io::LinkId link_ = 0;
  std::vector<wire::FromRes> heard_;
  std::vector<wire::FromRes::ResHello> hellos_;
  pid_t res_ = -1;
  uid_t as_user_ = 0;  // whom root starts res as
  int mbd_port_ = 0, res_port_ = 0;
  io::ClusterKey key_;

 private:
  void listen(int port);
  Result<void> hear(io::LinkId link, std::string_view payload);
};

bool lives(pid_t pid);

}  // namespace rollcall::res::test
