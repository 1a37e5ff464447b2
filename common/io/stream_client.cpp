#include "common/io/stream_client.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "common/io/descriptor.hpp"
#include "common/io/liveness.hpp"
#include "common/io/own_output.hpp"
#include "common/io/own_terminal.hpp"
#include "common/io/repeated_dial.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kCredit = 64 * 1024;  // bytes of output under way: they fit into a socket's buffer
constexpr std::uint64_t kCreditBack = 16 * 1024;  // granted in pieces of this size
constexpr std::size_t kPiece = 32 * 1024;         // of input
constexpr std::chrono::seconds kPatience{15};
constexpr int kMostInVain = 3;
constexpr std::chrono::seconds kKillAfter{10};  // after TERM
constexpr char kStopKey = 'Z' & 0x1f;           // Ctrl-Z

std::uint64_t milliseconds(Duration time) {
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

std::optional<wire::ToStream::Window> window_size() {
  winsize size{};
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return std::nullopt;
  wire::ToStream::Window window;
  window.set_rows(size.ws_row);
  window.set_columns(size.ws_col);
  window.set_width(size.ws_xpixel);
  window.set_height(size.ws_ypixel);
  return window;
}

// ---- one stream

class Stream {
 public:
  Stream(const StreamOrder& order, const StreamSettings& settings, const OwnOutput& output)
      : order_(order), settings_(settings), output_(output) {
    if (order_.carrier >= 0) {
      socket_ = Descriptor(order_.carrier);
      begin();
      return;
    }
    dial_.emplace(order.place.host(), static_cast<int>(order.place.port()), patience_of(settings));
    if (order_.place.key().size() == Key{}.size())
      after_dial();
    else
      lose("found a key of " + std::to_string(order_.place.key().size()) +
           " bytes for the stream, expected " + std::to_string(Key{}.size()));
  }

  bool ended() const { return ended_; }
  const StreamEnd& end() const { return end_; }
  // Before Begin is sent: when to call dial_further().
  Clock::time_point due() const {
    if (ended_ || begun_) return Clock::time_point::max();
    return socket_ ? prove_until_ : dial_->due();
  }
  void dial_further() {
    if (ended_ || begun_) return;
    const auto now = Clock::now();
    if (socket_ && now >= prove_until_)
      return redial("no answer within " + std::to_string(kPatience.count()) + " seconds");
    if (socket_) return;
    dial_->turn(now);
    after_dial();
  }
  bool takes_input() const {
    return !ended_ && begun_ && order_.input && !input_over_ && credit_ > 0 && unsent_.empty();
  }
  std::size_t input_room() const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(credit_, kPiece));
  }
  bool stopped() { return std::exchange(stopped_, false); }
  bool unread() { return std::exchange(unread_, false); }

  pollfd waits_for() const {
    if (!ended_ && !socket_) return dial_->waits_for();
    return {ended_ ? -1 : socket_.get(), static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT)), 0};
  }
  void ready(short events) {
    if (!ended_ && !socket_) return dial_further();
    if ((events & POLLOUT) != 0) write_out();
    if (!ended_ && (events & (POLLIN | POLLHUP | POLLERR)) != 0) read_in();
  }
  void lose(std::string why) {
    if (ended_) return;
    ended_ = true;
    end_.how = StreamEnd::How::lost;
    end_.why = order_.place.host() + ": " + std::move(why);
    socket_.reset();
  }
  // True once for a stream that was lost because its host does not answer.
  bool take_cut() { return std::exchange(cut_, false); }

  void input(std::string bytes) {
    credit_ -= bytes.size();
    wire::ToStream message;
    message.set_input(std::move(bytes));
    send(message);
  }
  void input_over() {
    if (ended_ || !begun_ || !order_.input || std::exchange(input_over_, true)) return;
    send_input_over();
  }
  // False: the process does not get it.
  bool signal(int number) {
    if (ended_) return false;
    if (!begun_ && (number == SIGINT || number == SIGTERM || number == SIGKILL) && dial_->attempts() > 1) {
      lose("given up before it answered: " + dial_->why());
      return false;
    }
    wire::ToStream message;
    message.set_signal(number);
    send_or_keep(message);
    return true;
  }
  void window(const wire::ToStream::Window& size) {
    wire::ToStream message;
    *message.mutable_window() = size;
    if (begun_) send(message);
  }

 private:
  // A new connection is safe: the shepherd starts the process for one client alone. It closes one that takes long to prove itself, and its
  // last answer may arrive after that, so that Begin is sent in vain.
  static Duration patience_of(const StreamSettings& settings) {
    return settings.silence == Duration{0} ? settings.silence
                                           : std::max<Duration>(settings.silence, kPatience);
  }
  void after_dial() {
    if (dial_->state() == RepeatedDial::State::standing) return prove();
    if (dial_->state() != RepeatedDial::State::over) return;
    cut_ = end_.cut = dial_->silent();
    lose(dial_->why());
  }
  void redial(const std::string& why) {
    socket_.reset();
    begun_ = false;
    dial_->failed(why, Clock::now());
  }
  void prove() {
    Key key{};
    std::copy(order_.place.key().begin(), order_.place.key().end(), key.begin());
    socket_ = dial_->take();
    prove_until_ = Clock::now() + kPatience;
    watch_liveness(socket_.get());
    channel_.emplace(SecureChannel::starter(key, random_nonce()));
    write_error_ = 0;
    unsent_ = channel_->start();
    write_out();
  }

  // A signal is kept until the shepherd has spoken: another connection may be needed.
  void send_or_keep(const wire::ToStream& message) {
    if (begun_) send(message);
    if (!heard_) early_.push_back(message);
  }
  void send_input_over() {
    wire::ToStream message;
    message.mutable_input_over();
    send(message);
  }
  void send(const wire::ToStream& message) {
    if (ended_) return;
    if (channel_)
      unsent_ += channel_->seal(message.SerializeAsString());
    else
      wire::append_frame(unsent_, message.SerializeAsString());
    write_out();
  }

  void begin() {
    begun_ = true;
    wire::ToStream message;
    auto& begin = *message.mutable_begin();
    begin.set_credit(kCredit);
    begin.set_input(order_.input);
    begin.mutable_patience()->set_silence_ms(milliseconds(settings_.silence));
    begin.mutable_patience()->set_heartbeat_ms(milliseconds(settings_.heartbeat));
    watch_liveness(socket_.get(), liveness_of(settings_.silence, settings_.heartbeat));
    if (settings_.terminal) {
      if (const auto size = window_size()) *begin.mutable_window() = *size;
      if (const char* const name = std::getenv("TERM")) begin.set_terminal(name);
    }
    send(message);
    if (input_over_) send_input_over();
    for (const auto& kept : early_) send(kept);
  }

  void write_out() {
    while (!unsent_.empty()) {
      const ssize_t sent = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        unsent_.erase(0, static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR) {
        // The peer's last bytes may still be read. The kernel reports an error once.
        write_error_ = errno;
        unsent_.clear();
        return;
      }
    }
  }

  void read_in() {
    std::array<char, 1 << 16> bytes;
    const ssize_t count = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      const int error = count == 0 ? write_error_ : errno;
      const std::string why =
          error == 0 ? "the connection was closed" : std::generic_category().message(error);
      const bool cut = error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH;
      const bool in_vain = begun_ && !heard_ && !cut;
      if (dial_ && (!begun_ || (in_vain && ++begun_in_vain_ <= kMostInVain))) return redial(why);
      cut_ = end_.cut = cut;
      return lose(why);
    }
    std::string answer;
    const auto taker = [this](std::string_view payload) { return take(payload); };
    const std::string_view came(bytes.data(), static_cast<std::size_t>(count));
    const auto fed = channel_ ? channel_->feed(came, answer, taker)
                              : frames_.feed(
                                    came, [] { return wire::kFrameLimit; }, taker);
    if (!fed) return lose(fed.error().text);
    if (ended_) return;
    unsent_ += answer;
    if (channel_ && channel_->open() && !begun_) return begin();
    write_out();
  }

  Result<void> take(std::string_view payload) {
    if (ended_) return {};
    wire::FromStream message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected FromStream");
    heard_ = true;
    early_.clear();
    switch (message.message_case()) {
      case wire::FromStream::kOutput:
        return put(STDOUT_FILENO, message.output()), Result<void>();
      case wire::FromStream::kErrors:
        return put(STDERR_FILENO, message.errors()), Result<void>();
      case wire::FromStream::kCredit:
        credit_ += message.credit();
        break;
      case wire::FromStream::kStopped:
        stopped_ = true;
        break;
      case wire::FromStream::kLost:
        return lose(message.lost().why()), Result<void>();
      default:
        if (auto end = end_of(message)) finish(std::move(*end));
    }
    return {};
  }

  void put(int descriptor, const std::string& bytes) {
    if (!output_.write(descriptor, bytes)) unread_ = true;
    owed_ += bytes.size();
    if (owed_ < kCreditBack) return;
    wire::ToStream message;
    message.set_credit(std::exchange(owed_, 0));
    send(message);
  }

  void finish(StreamEnd end) {
    ended_ = true;
    end_ = std::move(end);
  }

  StreamOrder order_;
  StreamSettings settings_;
  const OwnOutput& output_;
  std::optional<RepeatedDial> dial_;  // none: it has a carrier
  Descriptor socket_;
  Clock::time_point prove_until_;
  std::optional<SecureChannel> channel_;  // none: it has a carrier
  wire::FrameDecoder frames_;
  std::string unsent_;
  std::vector<wire::ToStream> early_;
  std::uint64_t credit_ = 0;  // of input
  std::uint64_t owed_ = 0;    // of output
  bool begun_ = false;        // Begin is sent
  int begun_in_vain_ = 0;     // connections that ended before the shepherd had spoken
  bool heard_ = false;        // the shepherd has spoken: it has started the process, or will not
  bool ended_ = false;
  bool input_over_ = false;
  bool stopped_ = false;
  bool unread_ = false;
  bool cut_ = false;
  int write_error_ = 0;
  StreamEnd end_;
};

// ---- all of them

class Loop {
 public:
  Loop(const std::vector<StreamOrder>& orders, const StreamSettings& settings)
      : settings_(settings), terminal_(settings.terminal) {
    for (const auto& order : orders) streams_.push_back(std::make_unique<Stream>(order, settings, output_));
  }

  std::vector<StreamEnd> run() {
    while (!all_ended()) {
      auto until = kill_at_;
      for (const auto& stream : streams_) until = std::min(until, stream->due());
      turn(until);
      if (Clock::now() >= kill_at_) end_all(SIGKILL);
      for (auto& stream : streams_) {
        if (Clock::now() < stream->due()) continue;
        stream->dial_further();
        after_event(*stream);
      }
    }
    std::vector<StreamEnd> ends;
    for (const auto& stream : streams_) ends.push_back(stream->end());
    return ends;
  }

 private:
  bool all_ended() const {
    return std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) { return stream->ended(); });
  }

  void turn(Clock::time_point until) {
    const auto taker =
        std::find_if(streams_.begin(), streams_.end(), [](const auto& s) { return s->takes_input(); });
    std::vector<pollfd> waiting{{signals_.descriptor(), POLLIN, 0},
                                {taker == streams_.end() || input_ended_ ? -1 : STDIN_FILENO, POLLIN, 0}};
    for (const auto& stream : streams_) waiting.push_back(stream->waits_for());
    int timeout = -1;
    if (until != Clock::time_point::max())
      timeout = static_cast<int>(std::max<std::int64_t>(
          0, std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count()));
    if (poll(waiting.data(), waiting.size(), timeout) <= 0) return;
    if (waiting[0].revents != 0)
      while (const auto signal = signals_.next()) on_signal(*signal);
    for (std::size_t i = 0; i < streams_.size(); ++i)
      if (waiting[i + 2].revents != 0) on_stream(*streams_[i], waiting[i + 2].revents);
    if (waiting[1].revents != 0) on_input(**taker);
    if (input_ended_)
      for (auto& stream : streams_) stream->input_over();
  }

  void on_stream(Stream& stream, short events) {
    stream.ready(events);
    after_event(stream);
  }

  void after_event(Stream& stream) {
    if (stream.unread()) stream.signal(SIGPIPE);
    if (stream.take_cut() && settings_.after_cut == StreamSettings::AfterCut::end_others) end_all(SIGTERM);
    if (!stream.stopped()) return;
    terminal_.stop();
    stream.signal(SIGCONT);
    if (const auto size = window_size()) stream.window(*size);
  }

  void end_all(int signal) {
    kill_at_ = signal == SIGKILL ? Clock::time_point::max() : std::min(kill_at_, Clock::now() + kKillAfter);
    for (auto& stream : streams_) stream->signal(signal);
  }

  void on_input(Stream& stream) {
    if (!stream.takes_input()) return;
    std::string bytes(stream.input_room(), '\0');
    const ssize_t count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.resize(static_cast<std::size_t>(count));
      return take_keys(stream, std::move(bytes));
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    input_ended_ = true;
  }

  // The remote process has no shell to continue it, so the stop key stops it together with us.
  void take_keys(Stream& stream, std::string keys) {
    const std::size_t stop = settings_.stop_key && terminal_.raw() ? keys.find(kStopKey) : keys.npos;
    if (stop != 0) stream.input(keys.substr(0, stop));
    if (stop == keys.npos) return;
    stream.signal(SIGSTOP);
    terminal_.stop();
    stream.signal(SIGCONT);
    if (const auto size = window_size()) stream.window(*size);
    if (stop + 1 < keys.size()) take_keys(stream, keys.substr(stop + 1));
  }

  void on_signal(int number) {
    switch (number) {
      case SIGWINCH:
        if (const auto size = window_size(); settings_.terminal && size)
          for (auto& stream : streams_) stream->window(*size);
        return;
      case SIGTSTP:
        for (auto& stream : streams_) stream->signal(SIGTSTP);
        return terminal_.stop();
      case SIGCONT:
        terminal_.enter();
        [[fallthrough]];
      default:
        pass_on(number);
    }
  }

  void pass_on(int number) {
    bool passed = false;
    for (auto& stream : streams_) passed = stream->signal(number) || passed;
    if (passed && settings_.passed_on) settings_.passed_on(number);
  }

  StreamSettings settings_;
  OwnSignals signals_;
  OwnTerminal terminal_;
  OwnOutput output_{signals_, [this](int number) { on_signal(number); }};
  std::vector<std::unique_ptr<Stream>> streams_;
  bool input_ended_ = false;
  Clock::time_point kill_at_ = Clock::time_point::max();
};

}  // namespace

std::vector<StreamEnd> run_streams(std::vector<StreamOrder> orders, const StreamSettings& settings) {
  return Loop(orders, settings).run();
}

std::optional<StreamEnd> end_of(const wire::FromStream& message) {
  if (message.has_over()) return StreamEnd{StreamEnd::How::over, message.over().wait_status(), 0, ""};
  if (!message.has_not_started()) return std::nullopt;
  const auto& told = message.not_started();
  return StreamEnd{StreamEnd::How::not_started, 0, told.exit_code(), told.why()};
}

int exit_code_of(const StreamEnd& end) {
  // The kernel keeps eight bits: 256 would become success.
  if (end.how == StreamEnd::How::not_started)
    return end.exit_code < 1 || end.exit_code > 255 ? 1 : end.exit_code;
  if (end.how == StreamEnd::How::lost) return 255;
  return WIFSIGNALED(end.wait_status) ? 128 + WTERMSIG(end.wait_status) : WEXITSTATUS(end.wait_status);
}

}  // namespace rollcall::io
