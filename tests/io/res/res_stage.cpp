#include "tests/io/res/res_stage.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/io/cgroup_slots.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/spawn.hpp"
#include "tests/support/free_port.hpp"

namespace rollcall::res::test {
namespace {

namespace fs = std::filesystem;

std::string own_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "nobody" : entry->pw_name;
}

// As res tells it when it starts.
std::string folder_of_cgroups(const std::string& log) {
  const std::string word = "jobs have cgroups in ";
  const auto at = log.find(word);
  return at == log.npos ? "" : log.substr(at + word.size(), log.find(',', at) - at - word.size());
}

}  // namespace

std::string ResStage::why_no_cgroups() const {
  const std::string log = text("log"), word = "jobs have no cgroup ";
  const auto at = log.find(word);
  if (at != log.npos) return log.substr(at + word.size(), log.find('\n', at) - at - word.size());
  return folder_of_cgroups(log).empty() ? "res says nothing of them" : "";
}

bool lives(pid_t pid) { return io::is_alive(pid); }

ResStage::ResStage() {
  settings_.set_cluster("c1");
  settings_.set_usage_interval_ms(300);
  settings_.set_terminate_interval_ms(300);
  char name[] = "/tmp/rollcall-res-test.XXXXXX";
  EXPECT_NE(mkdtemp(name), nullptr);
  directory_ = name;
  chmod(name, 0755);
  host_ = io::host_name_here();
  EXPECT_TRUE(io::create_cluster_key(path("cluster.key")));
  const auto key = io::load_cluster_key(path("cluster.key"));
  EXPECT_TRUE(key);
  if (key) key_ = *key;
  listen(rollcall::test::free_port());  // mbatchd comes back to it
  res_port_ = rollcall::test::free_port();
  write("hosts", "127.0.0.1 " + host_ + "\n");
  write("lsf.shared",
        "Begin Cluster\nClusterName\nc1\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"
        "Begin HostModel\nMODELNAME CPUFACTOR ARCHITECTURE\nOne 1.0 (x)\nEnd HostModel\n");
  write("lsf.cluster.c1", "Begin ClusterAdmins\nADMINISTRATORS = " + own_name() +
                              "\nEnd ClusterAdmins\nBegin Host\nHOSTNAME model type server r1m RESOURCES\n" +
                              host_ + " ! ! 1 - ()\nEnd Host\n");
  write("lsf.conf", "LSF_CONFDIR=" + directory_ + "\nLSB_SHAREDIR=" + path("work") +
                        "\nLSF_SERVERDIR=" + fs::path(ROLLCALL_SHEPHERD).parent_path().string() +
                        "\nROLLCALL_JOBDIR=" + path("jobs") + "\nLSB_MBD_PORT=" + std::to_string(mbd_port_) +
                        "\nLSF_RES_PORT=" + std::to_string(res_port_) + "\nLSF_LOG_MASK=LOG_INFO\n");
}

ResStage::~ResStage() = default;

void ResStage::TearDown() {
  kill_res(SIGKILL);
  // What a failed test has left of its jobs.
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1 || pid == getpid()) continue;
    const auto place = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && place.string().starts_with(directory_)) kill(pid, SIGKILL);
  }
  if (const std::string at = folder_of_cgroups(text("log")); !at.empty()) io::remove_slots(at);
  if (HasFailure()) std::fprintf(stderr, "--- log of res\n%s---\n", text("log").c_str());
  fs::remove_all(directory_, error);
}

void ResStage::configure(const std::string& line) {
  std::ofstream(path("lsf.conf"), std::ios::app) << line << "\n";
}

void ResStage::listen(int port) {
  links_ = std::make_unique<io::Links>(
      loop_, key_, io::LinkLimits{},
      io::Links::Handler{[this](io::LinkId link, const io::LinkPeer&) { link_ = link; },
                         [this](io::LinkId link, std::string_view payload) { return hear(link, payload); },
                         [this](io::LinkId link, io::LinkEnd, const std::string&) {
                           if (link == link_) link_ = 0;
                         },
                         [](const std::string&) {}});
  const auto found = links_->listen(static_cast<std::uint16_t>(port));
  ASSERT_TRUE(found) << found.error().text;
  mbd_port_ = *found;
}

Result<void> ResStage::hear(io::LinkId link, std::string_view payload) {
  wire::ToMbatchd message;
  EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
  wire::FromRes said;
  EXPECT_TRUE(said.ParseFromString(message.engine()));
  heard_.push_back(said);
  if (!said.has_hello()) return {};
  hellos_.push_back(said.hello());
  if (refuses_) return internal_error("this host is no server of the cluster");
  link_ = link;
  wire::ToRes order;
  *order.mutable_welcome() = settings_;
  send(order);
  return {};
}

void ResStage::start_res() {
  io::SpawnPlan plan;
  sigemptyset(&plan.mask);
  plan.argv = {ROLLCALL_RES, "-d", directory_};
  plan.environment = {"PATH=/usr/bin:/bin"};
  const int log = open(path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  plan.descriptors = {{log, 2}};
  if (as_user_ != 0) plan.identity = io::SpawnIdentity{as_user_, as_user_, {}};
  const auto started = io::spawn(plan);
  close(log);
  ASSERT_TRUE(std::holds_alternative<pid_t>(started));
  res_ = std::get<pid_t>(started);
  const std::size_t before = hellos_.size();
  wait_until("a hello of res", [&] { return hellos_.size() > before; });
}

void ResStage::kill_res(int signo) {
  if (res_ <= 0) return;
  kill(res_, signo);
  waitpid(res_, nullptr, 0);
  res_ = -1;
}

void ResStage::restart_mbatchd() {
  const int port = mbd_port_;
  links_->shut_down();
  links_.reset();
  ++term_;
  const std::size_t before = hellos_.size();
  listen(port);
  wait_until("a hello after mbatchd's restart", [&] { return hellos_.size() > before; });
}

wire::ToRes::StartJob ResStage::job(const std::string& command, int id, std::uint64_t attempt) {
  wire::ToRes::StartJob start;
  start.mutable_job()->mutable_key()->set_id(id);
  start.mutable_job()->set_attempt(attempt);
  auto& asked = *start.mutable_submission();
  asked.set_command(command);
  asked.set_cwd(directory_);
  asked.set_output_file(path("out.%J"));
  asked.set_user(own_name());
  asked.set_uid(geteuid());
  asked.set_gid(getegid());
  asked.set_from_host(host_);
  asked.set_umask(022);
  asked.add_environment("PATH=/usr/bin:/bin");
  auto& host = *start.add_hosts();
  host.set_name(host_);
  host.set_slots(1);
  start.set_queue("normal");
  start.set_cluster("c1");
  start.set_submit_us(1'700'000'000'000'000);
  return start;
}

void ResStage::send(wire::ToRes order) {
  if (order.term() == 0) order.set_term(term_);
  wire::FromMbatchd message;
  message.set_engine(order.SerializeAsString());
  links_->send(link_, message.SerializeAsString());
}

void ResStage::start(const wire::ToRes::StartJob& start) {
  wire::ToRes order;
  *order.mutable_start() = start;
  send(order);
}

void ResStage::signal(wire::ToRes::SignalJob signal, int id, std::uint64_t attempt) {
  signal.mutable_job()->mutable_key()->set_id(id);
  signal.mutable_job()->set_attempt(attempt);
  wire::ToRes order;
  *order.mutable_signal() = signal;
  send(order);
}

void ResStage::kill_job(int id) {
  wire::ToRes::SignalJob order;
  order.set_action(wire::ToRes::SignalJob::TERMINATE);
  order.set_term_reason(14);
  signal(order, id);
}

void ResStage::acknowledge(int id, std::uint64_t attempt) {
  wire::ToRes order;
  order.mutable_acknowledge()->mutable_job()->mutable_key()->set_id(id);
  order.mutable_acknowledge()->mutable_job()->set_attempt(attempt);
  send(order);
}

void ResStage::wait_until(const std::string& what, const std::function<bool()>& condition,
                          std::chrono::seconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "waited for " << what;
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(5));
  }
}

const wire::FromRes::ResHello& ResStage::wait_for_hello(std::size_t number) {
  wait_until("hello " + std::to_string(number), [&] { return hellos_.size() >= number; });
  return hellos_.back();
}

wire::FromRes::JobRunning ResStage::wait_for_running(int id) {
  const auto is = [&](const wire::FromRes& told) {
    return told.has_running() && told.running().job().key().id() == id;
  };
  wait_until("job " + std::to_string(id) + " to run", [&] { return find(is) != nullptr; });
  const auto* told = find(is);
  return told == nullptr ? wire::FromRes::JobRunning() : told->running();
}

wire::FromRes::JobOver ResStage::wait_for_over(int id) {
  const auto is = [&](const wire::FromRes& told) {
    return told.has_over() && told.over().job().key().id() == id;
  };
  wait_until("job " + std::to_string(id) + " to be over", [&] { return find(is) != nullptr; });
  const auto* told = find(is);
  return told == nullptr ? wire::FromRes::JobOver() : told->over();
}

std::size_t ResStage::count_over(int id) const {
  std::size_t count = 0;
  for (const auto& told : heard_) count += told.has_over() && told.over().job().key().id() == id;
  return count;
}

std::string ResStage::text(const std::string& name) const {
  std::ifstream in(name.front() == '/' ? name : path(name));
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

void ResStage::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
}

std::string ResStage::wait_for_file(const std::string& name) {
  wait_until(name, [&] {
    const std::string all = text(name);
    return !all.empty() && all.back() == '\n';
  });
  return text(name);
}

std::string ResStage::job_directory(int id, std::uint64_t attempt) const {
  return path("jobs/" + host_ + "/" + std::to_string(id) + ".0." + std::to_string(attempt));
}

pid_t ResStage::guard_of(int id) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 1) continue;
    const auto place = fs::read_symlink(entry.path() / "cwd", error);
    std::ifstream in(entry.path() / "comm");
    std::string name;
    std::getline(in, name);
    if (error || name != "shepherd" || place.string() != job_directory(id)) continue;
    const auto children = io::descendants_of(pid);
    for (const pid_t child : children) {  // the shepherd has the same name, and is the guard's child
      std::ifstream of_child("/proc/" + std::to_string(child) + "/comm");
      std::getline(of_child, name);
      if (name == "shepherd") return pid;
    }
  }
  return -1;
}

pid_t ResStage::shepherd_of(int id) {
  const pid_t guard = guard_of(id);
  const auto below = guard < 0 ? std::vector<pid_t>{} : io::descendants_of(guard);
  return below.empty() ? -1 : below.front();
}

void ResStage::wait_until_gone(pid_t pid) {
  wait_until("process " + std::to_string(pid) + " to be gone", [&] { return !lives(pid); });
}

}  // namespace rollcall::res::test
