// Streams of shepherds: interactive jobs, tasks in a job, and tasks of no job, with a client of few words.
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "common/conf/batch_settings.hpp"
#include "common/io/config_source.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/res_client.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/stream.pb.h"
#include "res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

// The client's end of one stream.
class Client {
 public:
  Client(std::uint32_t port, const std::string& key) {
    io::Key bytes{};
    std::copy(key.begin(), key.end(), bytes.begin());
    channel_.emplace(io::SecureChannel::starter(bytes, io::random_nonce()));
    socket_ = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    put(channel_->start());
  }
  bool connected() const { return connected_; }

  void begin(bool input, std::uint64_t credit = 1 << 20) {
    wire::ToStream message;
    message.mutable_begin()->set_input(input);
    message.mutable_begin()->set_credit(credit);
    message.mutable_begin()->set_terminal("xterm");
    message.mutable_begin()->mutable_window()->set_rows(33);
    message.mutable_begin()->mutable_window()->set_columns(77);
    say(message);
  }
  void say(const wire::ToStream& message) {
    if (!channel_->open()) {
      waiting_.push_back(message);
      return;
    }
    put(channel_->seal(message.SerializeAsString()));
  }
  void input(const std::string& bytes) {
    wire::ToStream message;
    message.set_input(bytes);
    say(message);
  }
  void signal(int signo) {
    wire::ToStream message;
    message.set_signal(signo);
    say(message);
  }
  void hang_up() { socket_.reset(); }

  // Whatever has come; never waits.
  void turn() {
    char room[65536];
    ssize_t size = 0;
    while (socket_ && (size = recv(socket_.get(), room, sizeof room, MSG_DONTWAIT)) > 0) {
      std::string answer;
      const auto fed = channel_->feed(
          {room, static_cast<std::size_t>(size)}, answer, [this](std::string_view payload) -> Result<void> {
            wire::FromStream message;
            EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
            if (message.has_output()) output += message.output();
            if (message.has_errors()) errors += message.errors();
            if (message.has_over()) over = message.over();
            if (message.has_not_started()) not_started = message.not_started();
            if (message.has_started()) pid = message.started().pid();
            return {};
          });
      if (!fed) refused = true;
      put(answer);
      if (channel_->open())
        for (auto& message : std::exchange(waiting_, {})) say(message);
    }
    if (size == 0) closed = true;
  }

  std::string output, errors;
  std::optional<wire::FromStream::Over> over;
  std::optional<wire::FromStream::NotStarted> not_started;
  pid_t pid = -1;
  bool closed = false, refused = false;

 private:
  void put(const std::string& bytes) {
    if (!bytes.empty()) [[maybe_unused]]
      const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  std::optional<io::SecureChannel> channel_;
  io::Descriptor socket_;
  bool connected_ = false;
  std::vector<wire::ToStream> waiting_;
};

std::int64_t resident_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (std::int64_t kb = 0; word == "VmRSS:" && status >> kb) return kb;
  return 0;
}

class ResStream : public ResStage {
 protected:
  wire::ToRes::StartJob interactive(const std::string& command, wire::Submission::Interactive how) {
    auto order = job(command);
    order.mutable_submission()->set_interactive(how);
    order.mutable_submission()->clear_output_file();
    order.set_stream_key(key());
    return order;
  }
  static std::string key() { return std::string(32, 'k'); }
  wire::StreamPlace wait_for_ready() {
    const auto is = [](const auto& told) { return told.has_ready(); };
    wait_until("JobReady", [&] { return find(is) != nullptr; });
    const auto* told = find(is);
    return told == nullptr ? wire::StreamPlace() : told->ready().stream();
  }
  void wait_for_end(Client& client) {
    wait_until("the end of the stream; so far " + client.output, [&] {
      client.turn();
      return client.over.has_value() || client.not_started.has_value();
    });
  }
  void wait_for_output(Client& client, const std::string& part) {
    wait_until(part + " in " + client.output, [&] {
      client.turn();
      return client.output.find(part) != std::string::npos;
    });
  }

  // What the RES of this host says to a client that holds the cluster's key.
  template <class Ask>
  auto ask(Ask question) {
    auto answer = std::async(std::launch::async, [this, question] {
      auto files = conf::read_cluster_files(io::file_sources_of(directory_));
      const auto settings = conf::read_batch_settings(*files.files);
      return question(io::ResClient(*files.files, *settings));
    });
    wait_until("an answer of res",
               [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    return answer.get();
  }
  io::FromRes<wire::StreamPlace> run_task(const wire::RunTask& task) {
    return ask([&](const io::ResClient& res) { return res.run_task(host_, task); });
  }
  wire::RunTask task(const std::string& line, bool in_job = true) {
    wire::RunTask task;
    if (in_job) {
      task.mutable_job()->mutable_key()->set_id(1);
      task.mutable_job()->set_attempt(1);
    }
    task.add_words(line);
    task.set_shell(true);
    task.set_cwd(directory_);
    task.add_environment("PATH=/usr/bin:/bin");
    task.add_environment("MINE=yes");
    return task;
  }
};

TEST_F(ResStream, AnInteractiveJobHasPipes) {
  start_res();
  start(interactive("read line; echo got $line; echo bad >&2; tty; exit 5", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  client.input("hello\n");
  wait_for_end(client);
  ASSERT_TRUE(client.over);
  EXPECT_EQ(client.output, "got hello\nnot a tty\n");
  EXPECT_EQ(client.errors, "bad\n");
  EXPECT_EQ(client.over->wait_status(), 5 << 8);
  EXPECT_EQ(wait_for_over().exit_status(), 5 << 8);
}

TEST_F(ResStream, AKeyIsChosenHereWhereMbatchdSendsNone) {
  start_res();
  auto order = interactive("echo out", wire::Submission::PLAIN);
  order.clear_stream_key();
  start(order);
  const auto place = wait_for_ready();
  Client client(place.port(), place.key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, "out\n");
}

TEST_F(ResStream, AnInteractiveJobHasATerminal) {
  start_res();
  start(interactive("tty; echo $TERM; stty size; cat; echo end", wire::Submission::TERMINAL));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  wait_for_output(client, "33 77");
  EXPECT_THAT(client.output, HasSubstr("/dev/pts/"));
  EXPECT_THAT(client.output, HasSubstr("xterm"));
  client.input("hello\n");
  wait_for_output(client, "hello\r\nhello\r\n");  // the echo, and what cat says
  client.input("\4");
  wait_for_end(client);
  EXPECT_THAT(client.output, HasSubstr("end\r\n"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
}

TEST_F(ResStream, TheWindowAndTheInterruptKeyReachTheJob) {
  start_res();
  start(interactive("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done",
                    wire::Submission::SHELL));
  Client client(wait_for_ready().port(), key());
  client.begin(true);
  wait_for_output(client, "ready");
  wire::ToStream message;
  message.mutable_window()->set_rows(11);
  message.mutable_window()->set_columns(22);
  client.say(message);
  wait_for_output(client, "11 22");
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::TERMINATE);
  order.set_term_reason(14);
  signal(order);
  wait_for_end(client);
  EXPECT_EQ(wait_for_over().term_reason(), 14);
}

TEST_F(ResStream, AnInteractiveJobEndsWithItsClient) {
  start_res();
  start(interactive("echo ready; exec sleep 1000", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(false);
  wait_for_output(client, "ready");
  const pid_t pid = wait_for_running().pid();
  client.hang_up();
  EXPECT_EQ(wait_for_over().how(), Over::ENDED);
  EXPECT_FALSE(lives(pid));
}

TEST_F(ResStream, AKeyOpensOnceAndAWrongOneNothing) {
  start_res();
  start(interactive("read line; echo got $line", wire::Submission::PLAIN));
  const auto place = wait_for_ready();
  Client stranger(place.port(), std::string(32, 'x'));
  stranger.begin(true);
  wait_until("the stranger to be turned away", [&] {
    stranger.turn();
    return stranger.closed || stranger.refused;
  });
  Client client(place.port(), key());
  client.begin(true);
  wait_until("the job to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  EXPECT_FALSE(Client(place.port(), key()).connected());  // nobody listens any more
  client.input("x\n");
  wait_for_end(client);
  EXPECT_EQ(client.output, "got x\n");
}

TEST_F(ResStream, ALongOutputComesWholeToASlowReader) {
  start_res();
  start(interactive("head -c 3000000 /dev/zero; echo end", wire::Submission::PLAIN));
  Client client(wait_for_ready().port(), key());
  client.begin(false, 1000);
  std::size_t granted = 1000;
  wait_until("three million bytes", [&] {
    client.turn();
    EXPECT_LE(client.output.size(), granted);
    if (client.output.size() == granted) {
      wire::ToStream message;
      message.set_credit(100'000);
      granted += 100'000;
      client.say(message);
    }
    return client.over.has_value();
  });
  EXPECT_EQ(client.output.size(), 3'000'004U);
}

TEST_F(ResStream, TasksRunInTheirJobAndEndWithIt) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place = run_task(task("echo $MINE $LSF_PM_TASKID; echo $$ > task; exec sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_output(client, "yes");
  const pid_t pid = std::stoi(wait_for_file("task"));
  EXPECT_EQ(pid, client.pid);
  wait_until("usage of both", [&] {
    return find([](const auto& told) { return told.has_usage() && told.usage().usage().processes() == 2; }) !=
           nullptr;
  });
  kill_job();
  wait_for_over();
  EXPECT_FALSE(lives(pid));
}

TEST_F(ResStream, ATaskTellsHowItEnded) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place = run_task(task("kill -9 $$"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  ASSERT_TRUE(client.over);
  EXPECT_EQ(client.over->wait_status(), SIGKILL);
  EXPECT_EQ(count_over(1), 0U);  // the job goes on
}

TEST_F(ResStream, ATaskThatCannotBeStartedSaysWhy) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  auto asked = task("/no/such/program");
  asked.set_shell(false);
  const auto place = run_task(asked);
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  ASSERT_TRUE(client.not_started);
  EXPECT_EQ(client.not_started->exit_code(), 127);
}

TEST_F(ResStream, ATaskEndsWithItsClient) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place =
      run_task(task("trap '' HUP TERM; setsid sleep 1000 & echo $! > below; wait; sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_until("the task to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  const pid_t below = std::stoi(wait_for_file("below"));
  client.hang_up();
  wait_until_gone(client.pid);
  wait_until_gone(below);
}

TEST_F(ResStream, TheTasksOfAnotherHostsJob) {
  start_res();
  wire::ToRes order;
  auto& expect = *order.mutable_expect();
  *expect.mutable_job() = job("").job();
  expect.set_user(job("").submission().user());
  expect.set_uid(geteuid());
  expect.add_hosts()->set_name("elsewhere");
  expect.mutable_hosts(0)->set_slots(3);
  send(order);
  const auto place = run_task(task("cat $LSB_DJOB_HOSTFILE; sleep 1000 & echo $! > left; exit 3"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, "elsewhere\nelsewhere\nelsewhere\n");
  const pid_t left = std::stoi(wait_for_file("left"));
  EXPECT_TRUE(lives(left));
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = expect.job();
  send(release);
  wait_until_gone(left);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
  EXPECT_EQ(count_over(1), 0U);
}

TEST_F(ResStream, WhatAnotherHostsTaskUsedIsToldAtItsEnd) {
  start_res();
  wire::ToRes seldom;
  seldom.mutable_welcome()->set_usage_interval_ms(600'000);
  send(seldom);
  wire::ToRes order;
  *order.mutable_expect()->mutable_job() = job("").job();
  order.mutable_expect()->set_uid(geteuid());
  order.mutable_expect()->add_hosts()->set_name("elsewhere");
  send(order);
  const auto place = run_task(task("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  const auto told = [&] {
    return std::find_if(heard_.begin(), heard_.end(), [](const wire::FromRes& message) {
             return message.has_usage() && message.usage().usage().user_s() > 0.05;
           }) != heard_.end();
  };
  wait_until("the usage of a task that has ended", told);
  // A mbatchd that comes anew hears it as well.
  heard_.clear();
  restart_mbatchd();
  wait_until("the usage again", told);
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = job("").job();
  send(release);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResStream, ATaskOfNoJob) {
  start_res();
  const auto place = run_task(task("id -u; pwd", false));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, std::to_string(geteuid()) + "\n" + directory_ + "\n");
}

TEST_F(ResStream, AnUnknownJobHasNoTasks) {
  start_res();
  const auto place = run_task(task("true"));
  ASSERT_FALSE(place);
  EXPECT_TRUE(place.error().no_job) << place.error().text;
}

TEST_F(ResStream, OutputIsReadWhileTheJobRuns) {
  start_res();
  write("out.1", "older\n");
  start(job("echo first; echo > said; while [ ! -e go ]; do sleep 0.02; done; echo second"));
  wait_for_file("said");
  wire::Peek peek;
  peek.mutable_job()->mutable_key()->set_id(1);
  std::string seen;
  const auto read = ask([&](const io::ResClient& res) {
    return res.peek(host_, peek, [&](const std::string& part) {
      seen += part;
      return true;
    });
  });
  EXPECT_TRUE(read) << read.error().text;
  EXPECT_EQ(seen, "first\n");
  write("go", "");
  wait_for_over();
}

// The same process goes on: its number is in the names of what the one before has left.
TEST_F(ResStream, TasksOfNoJobAfterResHasStartedAgain) {
  start_res();
  const auto first = run_task(task("exec sleep 1000", false));
  ASSERT_TRUE(first) << first.error().text;
  Client lasting(first->port(), first->key());
  lasting.begin(false);
  wait_until("the task", [&] { return lasting.turn(), lasting.pid > 0; });
  wire::ControlRes control;
  control.set_action(wire::ControlRes::RESTART);
  const auto restarted = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(restarted) << restarted.error().text;
  wait_for_hello(2);
  const auto second = run_task(task("true", false));
  EXPECT_TRUE(second) << second.error().text;
}

// What a client has not read yet waits on the disk, not in the memory of res.
TEST_F(ResStream, ALargeOutputIsNotKeptForASlowReader) {
  start_res();
  start(job("truncate -s 400M out.1; echo > said; sleep 1000"));
  wait_for_file("said");
  wire::Peek peek;
  peek.mutable_job()->mutable_key()->set_id(1);
  std::int64_t seen = 0, most_kb = 0;
  const auto read = ask([&](const io::ResClient& res) {
    return res.peek(host_, peek, [&](const std::string& part) {
      seen += static_cast<std::int64_t>(part.size());
      for (int i = 0; i < 20; ++i) most_kb = std::max(most_kb, resident_kb(res_));
      return true;
    });
  });
  EXPECT_TRUE(read) << read.error().text;
  EXPECT_EQ(seen, 400LL << 20);
  EXPECT_GT(most_kb, 0);
  EXPECT_LT(most_kb, 64 << 10);
}

TEST_F(ResStream, ItTellsItsStatusAndEndsWhenAsked) {
  start_res();
  wire::ControlRes control;
  const auto status = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(status) << status.error().text;
  EXPECT_THAT(*status, HasSubstr("0 jobs"));
  control.set_action(wire::ControlRes::SHUTDOWN);
  const auto ended = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(ended) << ended.error().text;
  int status_word = -1;
  EXPECT_EQ(waitpid(res_, &status_word, 0), res_);
  EXPECT_EQ(status_word, 0);
  res_ = -1;
}

}  // namespace
}  // namespace rollcall::res::test
