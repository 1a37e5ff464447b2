#include "mbatchd_stage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/io/host_addresses.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::mbatchd::test {
namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kShared = R"(Begin Cluster
ClusterName
test
End Cluster
Begin HostType
TYPENAME
X86_64
End HostType
Begin HostModel
MODELNAME CPUFACTOR ARCHITECTURE
PC 1.0 ()
End HostModel
)";

constexpr const char* kParams = R"(Begin Parameters
DEFAULT_QUEUE = normal
JOB_ACCEPT_INTERVAL = 0
End Parameters
)";

constexpr const char* kHosts = R"(Begin Host
HOST_NAME MXJ r1m pg ls tmp DISPATCH_WINDOW
default 100 () () () () ()
End Host
)";

// A port that nobody has now. Somebody may take it before we do: then the start fails, and says so.
std::uint16_t free_port() {
  boost::asio::io_context loop;
  tcp::acceptor acceptor(loop, {tcp::v4(), 0});
  return acceptor.local_endpoint().port();
}

wire::Reply lim_answer(const wire::Request& request, const std::vector<std::string>& hosts) {
  wire::Reply reply;
  reply.set_last(true);
  if (request.has_hosts()) {
    for (const auto& host : hosts) {
      auto& facts = *reply.mutable_hosts()->add_hosts();
      facts.set_name(host);
      facts.set_type("X86_64");
      facts.set_model("PC");
      facts.set_cpu_factor(1);
      facts.set_server(true);
      facts.set_ncpus(4);
      facts.set_maxmem(64000);
      reply.mutable_hosts()->add_up(true);
    }
  } else if (request.has_load()) {
    auto& loads = *reply.mutable_loads();
    for (const char* name : {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem"})
      loads.add_names(name);
    for (const auto& host : hosts) {
      auto& load = *loads.add_hosts();
      load.set_host(host);
      for (const float value : {0.F, 0.F, 0.F, 0.F, 0.F, 0.F, 1.F, 100.F, 9000.F, 9000.F, 32000.F})
        load.add_values(value);
    }
  } else {
    reply.mutable_shareds();
  }
  return reply;
}

}  // namespace

// ---------------------------------------------------------------- one connection

Talk::Talk(std::uint16_t port, io::ClusterChannel channel) : channel_(std::move(channel)) {
  boost::system::error_code error;
  socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port}, error);
  if (error) {
    ended_ = true;
    return;
  }
  boost::asio::write(socket_, boost::asio::buffer(channel_.start()), error);
  const auto until = steady_clock::now() + kPatience;
  while (!channel_.open() && read(until)) continue;
  open_ = channel_.open();
}

void Talk::say(const wire::ToMbatchd& message) { say_bytes(channel_.seal(message.SerializeAsString())); }

void Talk::say_bytes(const std::string& bytes) {
  boost::system::error_code error;
  boost::asio::write(socket_, boost::asio::buffer(bytes), error);
}

bool Talk::read(steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
  pollfd waiting{socket_.native_handle(), POLLIN, 0};
  if (ended_ || poll(&waiting, 1, static_cast<int>(std::max<long>(0, left))) <= 0) return false;
  std::array<char, 65536> buffer;
  boost::system::error_code error;
  const std::size_t size = socket_.read_some(boost::asio::buffer(buffer), error);
  if (error) {
    ended_ = true;
    return false;
  }
  std::string out;
  const auto fed = channel_.feed({buffer.data(), size}, out, [this](std::string_view payload) {
    EXPECT_TRUE(heard_.emplace_back().ParseFromArray(payload.data(), static_cast<int>(payload.size())));
    return Result<void>();
  });
  EXPECT_TRUE(fed) << fed.error().text;
  if (!out.empty()) boost::asio::write(socket_, boost::asio::buffer(out), error);
  return static_cast<bool>(fed);
}

std::optional<wire::FromMbatchd> Talk::hear(milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  while (heard_.empty())
    if (!read(until)) return std::nullopt;
  auto message = std::move(heard_.front());
  heard_.pop_front();
  return message;
}

// ---------------------------------------------------------------- RES

bool FakeRes::connect(std::uint16_t port, const io::ClusterKey& key) {
  talk_ = std::make_unique<Talk>(port, io::ClusterChannel::dial_as_daemon(key, io::random_seed()));
  if (!talk_->open()) return false;
  wire::FromRes message;
  auto& hello = *message.mutable_hello();
  hello.set_host(host_);
  hello.set_run(std::string(16, 'r'));
  hello.set_term(term_);
  hello.set_knows_go(knows_go);
  for (const auto& [known, attempt] : attempts_) {
    if (attempt.acknowledged || attempt.released) continue;
    auto& held = *hello.add_jobs();
    held.mutable_job()->mutable_key()->set_id(known.first.first);
    held.mutable_job()->mutable_key()->set_index(known.first.second);
    held.mutable_job()->set_attempt(known.second);
    held.set_state(attempt.over       ? wire::FromRes::Held::OVER
                   : attempt.prepared ? wire::FromRes::Held::PREPARED
                                      : wire::FromRes::Held::RUNNING);
    held.set_first_host(true);
  }
  say(message);
  for (const auto& [known, attempt] : attempts_)
    if (attempt.over && !attempt.acknowledged) say(over_message(known));
  return true;
}

void FakeRes::say(const wire::FromRes& message) {
  wire::ToMbatchd out;
  out.set_engine(message.SerializeAsString());
  if (talk_) talk_->say(out);
}

void FakeRes::serve(milliseconds time, const std::function<bool()>& enough) {
  const auto until = steady_clock::now() + time;
  while (talk_ && !enough()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
    if (left.count() <= 0) return;
    const auto message = talk_->hear(std::min(left, milliseconds(20)));
    wire::ToRes order;
    if (message && message->has_engine() && order.ParseFromString(message->engine())) take(order);
    if (!message && talk_->ended()) return;
  }
}

FakeRes::Key key_of_attempt(const wire::JobAttempt& job) {
  return {{job.key().id(), job.key().index()}, job.attempt()};
}
void set_attempt(wire::JobAttempt& job, const FakeRes::Key& key) {
  job.mutable_key()->set_id(key.first.first);
  job.mutable_key()->set_index(key.first.second);
  job.set_attempt(key.second);
}

// What a RES of today hears beside what an older one does.
bool FakeRes::take_of_start(const wire::ToRes& order) {
  if (order.has_ping()) {
    wire::FromRes message;
    message.mutable_pong()->set_number(order.ping().number());
    say(message);
  } else if (order.has_start() && order.start().wait_for_go()) {
    const Key key = key_of_attempt(order.start().job());
    Attempt& attempt = attempts_[key];
    ++attempt.ordered;
    attempt.prepared = attempt.started == 0;
    attempt.order = order.start();
    if (prepares) say_prepared(key);
  } else if (order.has_expect()) {
    const Key key = key_of_attempt(order.expect().job());
    ++attempts_[key].ordered;
    if (prepares) say_prepared(key);
  } else if (order.has_go()) {
    for (const auto& job : order.go().jobs()) begin(key_of_attempt(job));
  } else if (order.has_release()) {
    attempts_[key_of_attempt(order.release().job())].released = true;
  } else {
    return false;
  }
  return true;
}

void FakeRes::begin(const Key& key) {
  Attempt& attempt = attempts_[key];
  if (!attempt.prepared) return;
  attempt.prepared = false;
  ++attempt.started;
  wire::FromRes message;
  set_attempt(*message.mutable_begun()->add_jobs(), key);
  say(message);
  if (!runs_at_once) return;
  say_running(key);
  end(key);
}

void FakeRes::say_prepared(const Key& key) {
  wire::FromRes message;
  set_attempt(*message.mutable_prepared()->add_jobs(), key);
  say(message);
}

void FakeRes::say_not_prepared(const Key& key, const std::string& why) {
  wire::FromRes message;
  set_attempt(*message.mutable_not_prepared()->mutable_job(), key);
  message.mutable_not_prepared()->set_why(why);
  say(message);
}

void FakeRes::take(const wire::ToRes& order) {
  if (order.term() < term_) {
    ++refused_;
    wire::FromRes message;
    message.mutable_refused()->set_term(term_);
    message.mutable_refused()->set_why("an order of an older term");
    return say(message);
  }
  term_ = order.term();
  if (take_of_start(order)) return;
  const auto key_of = key_of_attempt;
  if (order.has_start()) {
    const Key key = key_of(order.start().job());
    Attempt& attempt = attempts_[key];
    ++attempt.ordered;
    if (attempt.started > 0) return;  // the durable order is there
    ++attempt.started;
    attempt.order = order.start();
    if (!runs_at_once) return;
    say_running(key);
    end(key);
  } else if (order.has_welcome()) {
    welcome_ = order.welcome();
  } else if (order.has_signal()) {
    attempts_[key_of(order.signal().job())].signals.push_back(order.signal());
  } else if (order.has_acknowledge()) {
    attempts_[key_of(order.acknowledge().job())].acknowledged = true;
  }
}

void FakeRes::say_running(const Key& key) {
  wire::FromRes message;
  auto& running = *message.mutable_running();
  running.mutable_job()->mutable_key()->set_id(key.first.first);
  running.mutable_job()->mutable_key()->set_index(key.first.second);
  running.mutable_job()->set_attempt(key.second);
  running.set_pid(4711);
  running.set_pgid(4711);
  running.set_start_us(1);
  say(message);
}

wire::FromRes FakeRes::over_message(const Key& key) const {
  wire::FromRes message;
  auto& over = *message.mutable_over();
  over.mutable_job()->mutable_key()->set_id(key.first.first);
  over.mutable_job()->mutable_key()->set_index(key.first.second);
  over.mutable_job()->set_attempt(key.second);
  over.set_how(wire::FromRes::JobOver::ENDED);
  const auto exit = exits_.find(key);
  over.set_exit_status(exit == exits_.end() ? 0 : exit->second);
  over.set_end_us(2);
  return message;
}

void FakeRes::end(const Key& key, int exit_status) {
  attempts_[key].over = true;
  exits_[key] = exit_status;
  say(over_message(key));
}

// ---------------------------------------------------------------- the stage

Stage::Stage() : host_(io::host_name_here()) {
  char name[] = "/tmp/rollcall-mbatchd.XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no directory in /tmp");
  directory_ = name;
  for (const char* inner :
       {"/conf", "/conf/lsbatch", "/conf/lsbatch/test", "/conf/lsbatch/test/configdir", "/work"})
    std::filesystem::create_directory(directory_ + inner);
  const std::string key_path = directory_ + "/conf/cluster.key";
  if (!io::create_cluster_key(key_path)) throw std::runtime_error("no key");
  key_ = *io::load_cluster_key(key_path);
  store_directory_ = directory_ + "/work";
  port_ = free_port();
  run_lim();
  write_lsf_conf();
  write("lsf.shared", kShared);
  write("lsf.cluster.test",
        "Begin Parameters\nEXINTERVAL = 1\nEnd Parameters\nBegin Host\nHOSTNAME model type server "
        "RESOURCES\n" +
            host_ + " ! ! 1 ()\nother ! ! 1 ()\nEnd Host\n");
  write("lsbatch/test/configdir/lsb.params", kParams);
  write("lsbatch/test/configdir/lsb.hosts", kHosts);
  write_queues();
}

Stage::~Stage() {
  if (daemon_ > 0) {
    kill(daemon_, SIGKILL);
    waitpid(daemon_, nullptr, 0);
  }
  lim_loop_.stop();
  if (lim_thread_.joinable()) lim_thread_.join();
  lim_.reset();
  std::filesystem::remove_all(directory_);
}

void Stage::run_lim() {
  const std::vector<std::string> hosts{host_, "other"};
  io::Links::Handler handler;
  handler.opened = [](io::LinkId, const io::LinkPeer&) {};
  handler.ended = [](io::LinkId, io::LinkEnd, const std::string&) {};
  handler.say = [](const std::string&) {};
  handler.message = [this, hosts](io::LinkId link, std::string_view payload) -> Result<void> {
    wire::ToLim message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("no ToLim");
    wire::FromLim reply;
    if (message.has_request()) {
      *reply.mutable_reply() = lim_answer(message.request(), hosts);
      lim_->send(link, reply.SerializeAsString());
    }
    return {};
  };
  lim_ = std::make_unique<io::Links>(lim_loop_, key_, io::LinkLimits{}, std::move(handler));
  lim_port_ = *lim_->listen(0);
  lim_thread_ = std::thread([this] { lim_loop_.run(); });
}

void Stage::write(const std::string& name, const std::string& text) const {
  std::ofstream(directory_ + "/conf/" + name) << text;
}

void Stage::write_lsf_conf(const std::string& more) const {
  write("lsf.conf", "LSF_CLUSTER_NAME=test\nLSF_LIM_PORT=" + std::to_string(lim_port_) + "\nLSB_MBD_PORT=" +
                        std::to_string(port_) + "\nLSF_LOG_MASK=LOG_DEBUG\nLSB_SHAREDIR=" + store_directory_ +
                        "\nLSF_MASTER_LIST=\"" + host_ + "\"\n" + more + "\n");
  write("hosts", "127.0.0.1 " + host_ + "\n127.0.0.1 other\n");
}

void Stage::write_queues(const std::string& more) const {
  write(
      "lsbatch/test/configdir/lsb.queues",
      "Begin Queue\nQUEUE_NAME = normal\nPRIORITY = 30\nDESCRIPTION = of the test\n" + more + "End Queue\n");
}

std::string Stage::start() {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  daemon_ = fork();
  if (daemon_ == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = open((directory_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    setenv("ROLLCALL_READY_FD", std::to_string(ends[1]).c_str(), 1);
    setenv("LSF_ENVDIR", (directory_ + "/conf").c_str(), 1);
    execl(ROLLCALL_MBATCHD, "mbatchd", nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string line;
  char byte = 0;
  pollfd waiting{ends[0], POLLIN, 0};
  while (poll(&waiting, 1, 20'000) > 0 && read(ends[0], &byte, 1) == 1 && byte != '\n') line += byte;
  close(ends[0]);
  return line;
}

void Stage::kill_hard() {
  if (daemon_ <= 0) return;
  kill(daemon_, SIGKILL);
  waitpid(daemon_, nullptr, 0);
  daemon_ = -1;
}

int Stage::stop() {
  kill(daemon_, SIGTERM);
  int status = 0;
  const auto until = steady_clock::now() + kPatience;
  while (steady_clock::now() < until) {
    if (waitpid(daemon_, &status, WNOHANG) == daemon_) {
      daemon_ = -1;
      return status;
    }
    poll(nullptr, 0, 10);
  }
  ADD_FAILURE() << "mbatchd did not end on TERM\n" << log();
  return -1;
}

std::unique_ptr<Talk> Stage::client() const {
  return std::make_unique<Talk>(port_, io::ClusterChannel::dial_as_owner(key_, io::random_seed()));
}
std::unique_ptr<Talk> Stage::stranger() const {
  return std::make_unique<Talk>(port_,
                                io::ClusterChannel::dial_as_anyone(key_.public_half, io::random_seed()));
}
std::unique_ptr<FakeRes> Stage::res(const std::string& host) const {
  auto res = std::make_unique<FakeRes>(host);
  EXPECT_TRUE(res->connect(port_, key_)) << log();
  return res;
}

wire::BatchReply Stage::ask(Talk& talk, const wire::BatchRequest& request) {
  wire::ToMbatchd message;
  *message.mutable_request() = request;
  talk.say(message);
  wire::BatchReply all;
  while (!all.last()) {
    const auto part = talk.hear();
    if (!part) {
      ADD_FAILURE() << "waited in vain for an answer";
      break;
    }
    all.MergeFrom(part->reply());
  }
  return all;
}

wire::BatchReply Stage::ask(const wire::BatchRequest& request) const {
  const auto talk = client();
  EXPECT_TRUE(talk->open()) << log();
  return ask(*talk, request);
}

wire::BatchRequest Stage::submit_request(const std::string& command) {
  wire::BatchRequest request;
  auto& job = *request.mutable_submit()->add_jobs();
  job.set_command(command);
  job.set_cwd("/tmp");
  job.set_umask(022);
  job.set_from_host("here");
  job.set_from_type("X86_64");
  job.add_environment("HOME=/");
  return request;
}

int Stage::submit(const std::string& command) const {
  const auto reply = ask(submit_request(command));
  return reply.submitted().jobs_size() == 1 ? reply.submitted().jobs(0).id() : 0;
}

wire::JobStatus Stage::status(int id) const {
  wire::BatchRequest request;
  auto& filter = *request.mutable_jobs()->mutable_filter();
  filter.add_keys()->set_id(id);
  filter.set_user("all");
  filter.set_finished_too(true);
  const auto reply = ask(request);
  return reply.jobs().jobs_size() == 1 ? reply.jobs().jobs(0).record().status() : wire::STATUS_NULL;
}

std::string Stage::file(const std::string& path) const {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
std::string Stage::why_pending(int id) const {
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(id);
  request.mutable_jobs()->mutable_filter()->set_user("all");
  request.mutable_jobs()->set_reasons(true);
  std::string text;
  const auto reply = ask(request);
  for (const auto& job : reply.jobs().jobs())
    for (const auto& reason : job.reasons()) text += reason.text() + " (" + reason.why() + ")\n";
  return text;
}
std::string Stage::log() const { return file(directory_ + "/log"); }

}  // namespace rollcall::mbatchd::test
