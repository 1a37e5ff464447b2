// lim_hosts: many LIMs in one process, without hosts: they say hello to a real master, register, and report a load of 40
// indices every interval; and one client that asks for all of it. It measures nothing of the master: bench/lim does.
//
//   lim_hosts --port N --key FILE --hosts N --interval SECONDS [--asks N]
//
// The hosts are called h00001, h00002, ... in the master's files, the external indices x01 to x29. One line of JSON for
// each thing that was reached: {"registered": N, "seconds": S}, and at the end of each round of N asks {"ask_ms": [...]}.
// A line on its standard input begins a round; the end of it ends the program.
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/io/cluster_channel.hpp"
#include "common/wire/load.pb.h"

namespace {

using namespace rollcall;
using boost::asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr int kExternal = 29;  // with the 11 built-in ones: 40
constexpr std::size_t kConnectingAtOnce = 64;
const char* const kBuiltInNames[] = {"r15s", "r1m", "r15m", "ut",  "pg", "io",
                                     "ls",   "it",  "tmp",  "swp", "mem"};

struct Setup {
  std::uint16_t port = 0;
  std::string key_file;
  int hosts = 100;
  double interval = 15;
  int asks = 5;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "lim_hosts: %s\n", why.c_str());
  std::exit(1);
}

std::string numbered(const char* format, int number) {
  char text[16];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

// What they all have in common.
struct World {
  boost::asio::io_context loop{1};
  Setup setup;
  io::ClusterKey key;
  steady_clock::time_point begin = steady_clock::now();
  int next = 1;
  int registered = 0;
  std::vector<char> buffer = std::vector<char>(64 * 1024);

  void start_next();
  void one_registered() {
    if (++registered == setup.hosts) {
      std::printf("{\"registered\": %d, \"seconds\": %.3f}\n", registered, seconds_since(begin));
      std::fflush(stdout);
    }
    start_next();
  }
};

class HostOfMany : public std::enable_shared_from_this<HostOfMany> {
 public:
  HostOfMany(World& world, int number)
      : world_(world),
        number_(number),
        socket_(world.loop),
        timer_(world.loop),
        channel_(io::ClusterChannel::dial_as_daemon(world.key, io::random_seed())) {}

  void start() {
    const tcp::endpoint at(boost::asio::ip::make_address("127.0.0.1"), world_.setup.port);
    socket_.async_connect(at, [self = shared_from_this()](const error_code& error) {
      if (error) fail("cannot connect: " + error.message());
      self->socket_.non_blocking(true);
      self->write(self->channel_.start());
      self->read();
    });
  }

 private:
  void read() {
    socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
      if (error) fail("waiting: " + error.message());
      self->read_all();
    });
  }

  void read_all() {
    error_code error;
    const std::size_t size = socket_.read_some(boost::asio::buffer(world_.buffer), error);
    if (error == boost::asio::error::would_block) return read();
    if (error) fail("host " + std::to_string(number_) + " was cut: " + error.message());
    std::string out;
    const bool was_open = channel_.open();
    const auto fed = channel_.feed({world_.buffer.data(), size}, out, [this](std::string_view payload) {
      wire::FromLim message;
      if (message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) heard(message);
      return Result<void>();
    });
    if (!fed) fail(fed.error().text);
    if (!out.empty()) write(out);
    if (!was_open && channel_.open()) hello();
    read();
  }

  void hello() {
    wire::ToLim message;
    message.mutable_peer()->set_host(numbered("h%05d", number_));
    message.mutable_peer()->set_run(numbered("run-%010d", number_));
    say(message);
  }

  void heard(const wire::FromLim& message) {
    if (message.has_welcome() && !registered_) {
      if (!message.welcome().master()) fail("this LIM is no master");
      registered_ = true;
      register_here();
      report();
      world_.one_registered();
    }
  }

  void register_here() {
    wire::ToLim message;
    auto& facts = *message.mutable_registration()->mutable_facts();
    facts.set_name(numbered("h%05d", number_));
    facts.set_type("X86_64");
    facts.set_model("PC");
    facts.set_cpu_factor(1);
    facts.set_server(true);
    facts.set_ncpus(64);
    facts.set_nprocs(2);
    facts.set_ncores(32);
    facts.set_nthreads(2);
    facts.set_maxmem(262144);
    facts.set_maxtmp(100000);
    say(message);
  }

  // The first has everything; later ones what would change on a busy host: half of the indices.
  void report() {
    wire::ToLim message;
    auto& told = *message.mutable_report();
    const int all = 11 + kExternal;
    for (int i = 0; i < all; ++i) {
      if (rounds_ == 0) told.add_names(i < 11 ? kBuiltInNames[i] : numbered("x%02d", i - 10));
      if (rounds_ > 0 && (i + rounds_) % 2 == 0) continue;
      told.add_index(static_cast<std::uint32_t>(i));
      told.add_value(static_cast<float>((number_ * 7 + i * 13 + rounds_ * 3) % 1000) / 10);
    }
    if (rounds_ == 0) told.mutable_condition();
    ++rounds_;
    say(message);
    // Spread over the interval, as hosts that started at any time are.
    const double share = rounds_ == 1 ? (number_ % 997) / 997.0 : 1.0;
    timer_.expires_after(std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double>(world_.setup.interval * share + 0.01)));
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->report();
    });
  }

  void say(const wire::ToLim& message) { write(channel_.seal(message.SerializeAsString())); }
  void write(const std::string& bytes) {
    error_code error;
    const std::size_t sent = socket_.write_some(boost::asio::buffer(bytes), error);
    if (error || sent != bytes.size()) fail("the master does not read");
  }

  World& world_;
  int number_;
  tcp::socket socket_;
  boost::asio::steady_timer timer_;
  io::ClusterChannel channel_;
  bool registered_ = false;
  int rounds_ = 0;
};

void World::start_next() {
  if (next <= setup.hosts) std::make_shared<HostOfMany>(*this, next++)->start();
}

// What lsload does: connect, prove, ask for everything, read to the end. Milliseconds.
double ask(const World& world) {
  const auto begin = steady_clock::now();
  boost::asio::io_context loop;
  tcp::socket socket(loop);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), world.setup.port});
  socket.set_option(tcp::no_delay(true));  // the proof and the question are two small writes
  auto channel = io::ClusterChannel::dial_as_owner(world.key, io::random_seed());
  boost::asio::write(socket, boost::asio::buffer(channel.start()));
  std::vector<char> buffer(256 * 1024);
  int hosts = 0;
  for (bool asked = false, last = false; !last;) {
    const std::size_t size = socket.read_some(boost::asio::buffer(buffer));
    std::string out;
    const auto fed = channel.feed({buffer.data(), size}, out, [&](std::string_view payload) {
      wire::FromLim message;
      if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
        fail("an answer that cannot be read");
      hosts += message.reply().loads().hosts_size();
      last = message.reply().last();
      return Result<void>();
    });
    if (!fed) fail(fed.error().text);
    if (!out.empty()) boost::asio::write(socket, boost::asio::buffer(out));
    if (!asked && channel.open()) {
      wire::ToLim request;
      request.mutable_request()->mutable_load();
      boost::asio::write(socket, boost::asio::buffer(channel.seal(request.SerializeAsString())));
      asked = true;
    }
  }
  if (hosts < world.setup.hosts) fail("an answer of " + std::to_string(hosts) + " hosts");
  return 1000 * seconds_since(begin);
}

class Rounds {
 public:
  explicit Rounds(World& world) : world_(world), input_(world.loop, dup(0)) { next(); }

 private:
  void next() {
    boost::asio::async_read_until(input_, line_, '\n', [this](const error_code& error, std::size_t size) {
      if (error) return world_.loop.stop();
      line_.consume(size);
      std::printf("{\"ask_ms\": [");
      for (int i = 0; i < world_.setup.asks; ++i) std::printf("%s%.2f", i == 0 ? "" : ", ", ask(world_));
      std::printf("]}\n");
      std::fflush(stdout);
      next();
    });
  }
  World& world_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::streambuf line_;
};

}  // namespace

int main(int argc, char** argv) {
  World world;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::string value = argv[i + 1];
    if (option == "--port") world.setup.port = static_cast<std::uint16_t>(std::stoi(value));
    if (option == "--key") world.setup.key_file = value;
    if (option == "--hosts") world.setup.hosts = std::stoi(value);
    if (option == "--interval") world.setup.interval = std::stod(value);
    if (option == "--asks") world.setup.asks = std::stoi(value);
  }
  const auto key = io::load_cluster_key(world.setup.key_file);
  if (!key) fail(key.error().text);
  world.key = *key;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < static_cast<rlim_t>(world.setup.hosts) + 50)
    fail("the hard limit of descriptors is " + std::to_string(limit.rlim_cur));
  Rounds rounds(world);
  for (std::size_t i = 0; i < kConnectingAtOnce; ++i) world.start_next();
  world.loop.run();
  return 0;
}
