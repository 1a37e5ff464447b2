#include "elim/lim/melim_child.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>

#include "common/io/child.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/root_trust.hpp"
#include "common/wire/message_reader.hpp"

namespace rollcall::lim {
namespace {

using boost::system::error_code;

constexpr int kMelimSocket = 3;                // the number that MELIM knows
constexpr std::size_t kUnsentLimit = 4 << 20;  // bytes of orders that MELIM has not read
constexpr std::size_t kReadsInATurn = 16;      // then others have their turn

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return std::string("signal ") + std::to_string(WTERMSIG(status));
}

}  // namespace

class MelimChild::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, MelimProgram program, const MelimPauses& pauses, const io::Log& log,
       Handler handler)
      : loop_(loop),
        socket_(loop),
        timer_(loop),
        program_(std::move(program)),
        pauses_(pauses),
        log_(log),
        handler_(std::move(handler)),
        pause_(pauses.least) {}

  void order(const wire::MelimOrders& orders) {
    orders_ = orders;
    if (shutting_down_ || ending_) return;
    const bool wanted = orders.resources_size() > 0;
    if (pid_ > 0 && wanted) return send_orders();
    if (pid_ > 0) return begin_end();
    if (wanted && !pausing_) return start();
    if (!wanted && pausing_) {
      timer_.cancel();
      pausing_ = false;
    }
  }

  void ended(int status) {
    read_some();  // its last messages
    pid_ = -1;
    close_socket();
    timer_.cancel();
    const bool asked = ending_;
    ending_ = false;
    if (shutting_down_) {
      handler_.gone();
    } else if (asked) {
      if (orders_.resources_size() > 0) start();
    } else {
      handler_.lost(how_it_ended(status));
      pause();
    }
  }

  void shut_down() {
    shutting_down_ = true;
    if (pid_ > 0) {
      if (!ending_) begin_end();
    } else {
      timer_.cancel();
      handler_.gone();
    }
  }

  // The handler is not told: the daemon itself is ending.
  void abandon() {
    timer_.cancel();
    close_socket();
    child_.signal(SIGTERM);
    child_.reset();
  }

 private:
  void start() {
    const auto trust = io::read_root_trust();
    const auto believed =
        trust ? io::check_trust(*trust, program_.path, "root would start it") : Result<void>(trust.error());
    if (!believed) return cannot_start(believed.error().text);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
      return cannot_start(std::string("no socketpair: ") + std::strerror(errno));
    io::Descriptor ours(ends[0]);
    const io::Descriptor theirs(ends[1]);
    io::SpawnPlan plan;
    plan.argv = {program_.path};
    plan.mask = program_.mask;
    plan.own_group = true;  // a Ctrl-C at LIM's terminal must not reach it directly
    plan.parent_death_signal = SIGTERM;
    plan.open_files = program_.open_files;
    plan.identity = program_.identity;
    plan.descriptors = {{theirs.get(), kMelimSocket}};
    auto started = io::Child::start(loop_, plan, [this](int status) { ended(status); });
    if (const auto* error = std::get_if<io::SpawnError>(&started))
      return cannot_start(std::string("cannot ") + io::stage_text(error->stage) + " " + error->path + ": " +
                          std::strerror(error->error));
    child_ = std::get<io::Child>(std::move(started));
    pid_ = child_.pid();
    started_ = std::chrono::steady_clock::now();
    log_.info("melim started, process " + std::to_string(pid_));
    socket_.assign(dup_of(ours));
    socket_.non_blocking(true);  // else Asio's read_some waits even if the descriptor is non-blocking
    reader_ = {};
    unsent_.clear();
    send_orders();
    read_next();
  }

  // Asio takes ownership and closes it.
  static int dup_of(io::Descriptor& descriptor) {
    return fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  }

  void cannot_start(const std::string& why) {
    log_.error("melim is not running: " + why);
    started_ = std::chrono::steady_clock::now();  // it has not run well, so the pauses grow
    pause();
  }

  void pause() {
    if (std::chrono::steady_clock::now() - started_ > pauses_.good) pause_ = pauses_.least;
    pausing_ = true;
    timer_.expires_after(pause_);
    pause_ = std::min(2 * pause_, pauses_.most);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error || !self->pausing_) return;
      self->pausing_ = false;
      if (self->orders_.resources_size() > 0 && !self->shutting_down_) self->start();
    });
  }

  void begin_end() {
    ending_ = true;
    child_.signal(SIGTERM);
    timer_.expires_after(pauses_.grace);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (error || !self->ending_ || self->pid_ <= 0) return;
      self->log_.warning("melim does not end on TERM: killed");
      self->child_.signal(SIGKILL);
    });
  }

  // ---- the conversation

  void send_orders() {
    wire::ToMelim message;
    *message.mutable_orders() = orders_;
    wire::append_frame(unsent_, message.SerializeAsString());
    if (unsent_.size() > kUnsentLimit) return offended("it does not read its orders");
    if (!waits_to_write_) write_some();
  }

  void write_some() {
    error_code error;
    while (!unsent_.empty() && !error)
      unsent_.erase(0, socket_.write_some(boost::asio::buffer(unsent_), error));
    if (error && error != boost::asio::error::would_block) unsent_.clear();  // child_ reports its end
    if (unsent_.empty()) return unsent_.shrink_to_fit();
    waits_to_write_ = true;
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                       [self = shared_from_this(), pid = pid_](const error_code& failed) {
                         if (failed || pid != self->pid_) return;
                         self->waits_to_write_ = false;
                         self->write_some();
                       });
  }

  void read_next() {
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this(), pid = pid_](const error_code& failed) {
                         if (!failed && pid == self->pid_ && self->read_some()) self->read_next();
                       });
  }

  // False where reading must stop.
  bool read_some() {
    std::array<char, 8192> bytes;
    for (std::size_t turn = 0; turn < kReadsInATurn && socket_.is_open(); ++turn) {
      error_code error;
      const std::size_t size = socket_.read_some(boost::asio::buffer(bytes), error);
      if (error == boost::asio::error::would_block) return true;
      if (error) return false;
      const auto fed = reader_.feed({bytes.data(), size}, [this](const wire::FromMelim& message) {
        if (message.has_report()) handler_.report(message.report());
      });
      if (!fed) {
        offended(fed.error().text);
        return false;
      }
    }
    return socket_.is_open();
  }

  // Its messages are invalid: it is killed, and restarted like one that died.
  void offended(const std::string& why) {
    log_.error("melim is ended: " + why);
    close_socket();
    child_.signal(SIGKILL);
  }

  void close_socket() {
    error_code ignored;
    socket_.close(ignored);
    waits_to_write_ = false;
    unsent_.clear();
  }

  boost::asio::io_context& loop_;
  io::Child child_;
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;  // of the pause, or of the grace
  MelimProgram program_;
  MelimPauses pauses_;
  const io::Log& log_;
  Handler handler_;
  wire::MelimOrders orders_;
  wire::MessageReader<wire::FromMelim> reader_;
  std::string unsent_;
  pid_t pid_ = -1;  // of child_, until its last messages are read
  std::chrono::steady_clock::time_point started_{};
  Duration pause_;
  bool waits_to_write_ = false;
  bool pausing_ = false;
  bool ending_ = false;
  bool shutting_down_ = false;
};

MelimChild::MelimChild(boost::asio::io_context& loop, MelimProgram program, const MelimPauses& pauses,
                       const io::Log& log, Handler handler)
    : impl_(std::make_shared<Impl>(loop, std::move(program), pauses, log, std::move(handler))) {}
MelimChild::~MelimChild() { impl_->abandon(); }
void MelimChild::order(const wire::MelimOrders& orders) { impl_->order(orders); }
void MelimChild::shut_down() { impl_->shut_down(); }

}  // namespace rollcall::lim
