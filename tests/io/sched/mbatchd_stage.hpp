// The stage for the tests of mbatchd: its files, a fake LIM, fake RES's, clients, and the daemon itself, which may be
// killed and started again at any moment.
//
// Every wait has a deadline, and says what it waited for, and what mbatchd's log says, when that passes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/links.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/load.pb.h"
#include "common/wire/res.pb.h"

namespace rollcall::mbatchd::test {

// The program that the stage starts: of each test's own mbatchd_program.cpp.
const char* mbatchd_program();

inline constexpr std::chrono::seconds kPatience{60};  // far beyond what anything here takes

// One connection to mbatchd, of a client or of a RES.
class Talk {
 public:
  Talk(std::uint16_t port, io::ClusterChannel channel);

  bool open() const { return open_; }
  const std::string& hash() const { return channel_.hash(); }
  void say(const wire::ToMbatchd& message);
  void say_payload(const std::string& payload);  // of another cluster's mbatchd
  void say_bytes(const std::string& bytes);      // as they are, unsealed
  // The next message; nothing when the connection ends, or nothing comes in time.
  std::optional<wire::FromMbatchd> hear(std::chrono::milliseconds patience = kPatience);
  std::optional<std::string> hear_payload(std::chrono::milliseconds patience = kPatience);
  bool ended() const { return ended_; }

 private:
  bool read(std::chrono::steady_clock::time_point until);
  boost::asio::io_context loop_;
  boost::asio::ip::tcp::socket socket_{loop_};
  io::ClusterChannel channel_;
  std::deque<std::string> heard_;
  bool open_ = false, ended_ = false;
};

// A RES that keeps in memory what a real one keeps on disk: it outlives its connections, and mbatchd.
class FakeRes {
 public:
  struct Attempt {
    int started = 0;        // orders that were new
    int ordered = 0;        // all of them
    bool prepared = false;  // waits for its go-ahead
    bool released = false;
    bool over = false;
    bool acknowledged = false;
    std::vector<wire::ToRes::SignalJob> signals;
    wire::ToRes::StartJob order;
  };
  using Key = std::pair<std::pair<int, int>, std::uint64_t>;  // job, element; attempt

  explicit FakeRes(std::string host) : host_(std::move(host)) {}

  // Hello with all that is held.
  bool connect(std::uint16_t port, const io::ClusterKey& key);
  void hang_up() { talk_.reset(); }
  bool connected() const { return talk_ && !talk_->ended(); }
  // Hears orders for so long, or until `enough`.
  void serve(
      std::chrono::milliseconds time, const std::function<bool()>& enough = [] { return false; });
  void say_running(const Key& key);
  void end(const Key& key, int exit_status = 0);
  void say(const wire::FromRes& message);

  const std::map<Key, Attempt>& attempts() const { return attempts_; }
  Attempt& attempt(const Key& key) { return attempts_[key]; }
  std::uint64_t term() const { return term_; }
  const wire::ToRes::Welcome& welcome() const { return welcome_; }  // the last one
  int refused_terms() const { return refused_; }
  void say_prepared(const Key& key);
  void say_not_prepared(const Key& key, const std::string& why);
  // Every start order is answered by JobRunning and JobOver at once.
  bool runs_at_once = true;
  bool knows_go = false;  // as an older RES; before connect()
  bool prepares = true;   // says that it has an order

 private:
  void take(const wire::ToRes& order);
  bool take_of_start(const wire::ToRes& order);
  void begin(const Key& key);
  wire::FromRes over_message(const Key& key) const;
  std::string host_;
  std::unique_ptr<Talk> talk_;
  std::map<Key, Attempt> attempts_;
  std::map<Key, int> exits_;
  wire::ToRes::Welcome welcome_;
  std::uint64_t term_ = 0;
  int refused_ = 0;
};

class Stage : public ::testing::Test {
 protected:
  Stage();
  ~Stage() override;

  // Files: what is in them by default, then what a test changes.
  void write(const std::string& name, const std::string& text) const;
  void write_lsf_conf(const std::string& more = {}) const;
  void write_queues(const std::string& more = {}) const;

  // Starts mbatchd and waits for its one line; gives it.
  std::string start();
  void kill_hard();
  int stop();  // TERM; the exit status
  void expect_started() { ASSERT_EQ(start(), "ready") << log(); }

  std::unique_ptr<Talk> client() const;    // the owner's
  std::unique_ptr<Talk> stranger() const;  // has proved nothing
  std::unique_ptr<FakeRes> res(const std::string& host) const;

  // One request, all parts of the answer in one.
  wire::BatchReply ask(const wire::BatchRequest& request) const;
  static wire::BatchReply ask(Talk& talk, const wire::BatchRequest& request);
  static wire::BatchRequest submit_request(const std::string& command = "true");
  int submit(const std::string& command = "true") const;  // its id; 0: refused
  wire::JobStatus status(int id) const;                   // STATUS_NULL: not known
  std::string log() const;
  std::string why_pending(int id) const;
  std::string file(const std::string& path) const;
  std::string share() const { return directory_ + "/work/test"; }

  std::string directory_;
  std::string host_;
  io::ClusterKey key_;
  std::uint16_t port_ = 0, lim_port_ = 0;
  std::string store_directory_;                               // LSB_SHAREDIR, where it is another one
  bool lim_is_old_ = false;                                   // it does not know AskCluster; before start()
  std::vector<wire::Request::RequestCase> lim_asked() const;  // all questions to the LIM so far

 private:
  void run_lim();
  mutable std::mutex lim_mutex_;
  std::vector<wire::Request::RequestCase> lim_asked_;
  pid_t daemon_ = -1;
  boost::asio::io_context lim_loop_;
  std::unique_ptr<io::Links> lim_;
  std::thread lim_thread_;
};

}  // namespace rollcall::mbatchd::test
