// A fake client for the streams of shepherds, and the questions that RES answers: for the tests of both.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <future>
#include <optional>

#include "common/conf/batch_settings.hpp"
#include "common/io/config_source.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/res_client.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/stream.pb.h"
#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {

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
  bool open() const { return channel_->open(); }

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
    wait_until(
        "an answer of res",
        [&] { return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
        5 * kPatience);  // some are long, and read slowly
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

}  // namespace rollcall::res::test
