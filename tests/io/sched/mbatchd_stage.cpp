#include "tests/io/sched/mbatchd_stage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/io/host_addresses.hpp"
#include "common/wire/load.pb.h"
#include "tests/support/free_port.hpp"

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

void add_hosts(wire::Reply::Hosts& reply, const std::vector<std::string>& hosts) {
  for (const auto& host : hosts) {
    auto& facts = *reply.add_hosts();
    facts.set_name(host);
    facts.set_type("X86_64");
    facts.set_model("PC");
    facts.set_cpu_factor(1);
    facts.set_server(true);
    facts.set_ncpus(4);
    facts.set_maxmem(64000);
    reply.add_up(true);
  }
}

void add_loads(wire::Reply::Loads& loads, const std::vector<std::string>& hosts) {
  for (const char* name : {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem"})
    loads.add_names(name);
  for (const auto& host : hosts) {
    auto& load = *loads.add_hosts();
    load.set_host(host);
    for (const float value : {0.F, 0.F, 0.F, 0.F, 0.F, 0.F, 1.F, 100.F, 9000.F, 9000.F, 32000.F})
      load.add_values(value);
  }
}

wire::Reply lim_answer(const wire::Request& request, bool is_old, const std::vector<std::string>& hosts) {
  wire::Reply reply;
  reply.set_last(true);
  if (request.has_cluster() && is_old) {
    reply.mutable_refusal()->set_text("this LIM does not know what is asked");
  } else if (request.has_cluster()) {
    add_hosts(*reply.mutable_cluster()->mutable_hosts(), hosts);
    add_loads(*reply.mutable_cluster()->mutable_loads(), hosts);
    for (auto& load : *reply.mutable_cluster()->mutable_loads()->mutable_hosts())
      for (int queue = 0; queue < 3; ++queue) load.add_normalised(load.values(queue));
  } else if (request.has_hosts()) {
    add_hosts(*reply.mutable_hosts(), hosts);
  } else if (request.has_load()) {
    add_loads(*reply.mutable_loads(), hosts);
  } else {
    reply.mutable_shareds();
  }
  return reply;
}

}  // namespace

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
  port_ = rollcall::test::free_port();
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
      const std::lock_guard lock(lim_mutex_);
      lim_asked_.push_back(message.request().request_case());
      *reply.mutable_reply() = lim_answer(message.request(), lim_is_old_, hosts);
      lim_->send(link, reply.SerializeAsString());
    }
    return {};
  };
  lim_ = std::make_unique<io::Links>(lim_loop_, key_, io::LinkLimits{}, std::move(handler));
  lim_port_ = *lim_->listen(0);
  lim_thread_ = std::thread([this] { lim_loop_.run(); });
}

std::vector<wire::Request::RequestCase> Stage::lim_asked() const {
  const std::lock_guard lock(lim_mutex_);
  return lim_asked_;
}

void Stage::write(const std::string& name, const std::string& text) const {
  std::ofstream(directory_ + "/conf/" + name) << text;
}

void Stage::write_lsf_conf(const std::string& more) const {
  write("lsf.conf", "LSF_CLUSTER_NAME=test\nLSF_LIM_PORT=" + std::to_string(lim_port_) + "\nLSB_MBD_PORT=" +
                        std::to_string(port_) + "\nLSF_LOG_MASK=LOG_DEBUG\nLSB_SHAREDIR=" + store_directory_ +
                        "\nLSF_MASTER_LIST=\"" + host_ + "\"\n" + more + "\nROLLCALL_GUEST_UID_MIN=0\n");
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
    execl(mbatchd_program(), "mbatchd", nullptr);
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
