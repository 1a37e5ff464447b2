// lim_probe: asks a LIM one thing and prints the answer as JSON, for the tests. It is no command: it follows no master,
// knows no file but the key, and shows what was said as it was said.
//
//   lim_probe --at HOST:PORT (--key FILE | --public FILE) [--munge] [--seconds N] WHAT [OPTION...]
//   WHAT    identity | resources | hosts | load | shared | lock | unlock | shutdown | restart | reconfig | debug
//           claim: be a LIM (with --key) that says it is on the host of name=; "announce" says that it is master as well
//   OPTION  resreq=STRING name=NAME announce host=NAME from=NAME queue=raw|effective|normalised place=N most=N seconds=N text=WORD
//           elims usable local topology dynamic
//
// Exit: 0 an answer, 3 a refusal (printed too), 1 no answer (one line on stderr says why), 2 wrong words.
#include <munge.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/base/load_vector.hpp"
#include "common/io/cluster_channel.hpp"
#include "common/wire/load.pb.h"

namespace {

using namespace rollcall;
using nlohmann::json;
using wire::Reply;
using wire::Request;

struct Words {
  std::string host, port, key, public_key, what;
  bool munge = false;
  int seconds = 10;
  std::vector<std::string> options;
};

std::optional<std::string> option(const Words& words, const std::string& name) {
  for (const auto& word : words.options) {
    if (word == name) return "";
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& why, int code = 1) {
  std::fprintf(stderr, "lim_probe: %s\n", why.c_str());
  std::exit(code);
}

Words parse(int argc, char** argv) {
  Words words;
  int i = 1;
  const auto value = [&] { return ++i < argc ? std::string(argv[i]) : (fail("a value is missing", 2), ""); };
  for (; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--at") {
      const std::string at = value();
      const auto colon = at.rfind(':');
      if (colon == std::string::npos) fail("--at HOST:PORT", 2);
      words.host = at.substr(0, colon);
      words.port = at.substr(colon + 1);
    } else if (word == "--key") {
      words.key = value();
    } else if (word == "--public") {
      words.public_key = value();
    } else if (word == "--seconds") {
      words.seconds = std::stoi(value());
    } else if (word == "--munge") {
      words.munge = true;
    } else if (words.what.empty()) {
      words.what = word;
    } else {
      words.options.push_back(word);
    }
  }
  if (words.host.empty() || words.what.empty() || (words.key.empty() && words.public_key.empty()))
    fail("--at HOST:PORT (--key FILE | --public FILE) WHAT", 2);
  return words;
}

bool fill_control(const Words& words, Request& request) {
  using Control = Request::Control;
  const std::pair<const char*, Control::Action> actions[] = {
      {"lock", Control::LOCK},       {"unlock", Control::UNLOCK},     {"shutdown", Control::SHUTDOWN},
      {"restart", Control::RESTART}, {"reconfig", Control::RECONFIG}, {"debug", Control::DEBUG}};
  for (const auto& [name, action] : actions) {
    if (words.what != name) continue;
    auto& control = *request.mutable_control();
    control.set_action(action);
    control.set_seconds(static_cast<std::uint32_t>(std::stoul(option(words, "seconds").value_or("0"))));
    control.set_text(option(words, "text").value_or(""));
    return true;
  }
  return false;
}

Request request_of(const Words& words) {
  Request request;
  const auto given = [&](const char* name) { return option(words, name).value_or(""); };
  if (words.what == "identity") {
    request.mutable_identity();
  } else if (words.what == "resources") {
    request.mutable_resources();
  } else if (words.what == "shared") {
    request.mutable_shared()->set_dynamic(option(words, "dynamic").has_value());
  } else if (words.what == "hosts") {
    auto& ask = *request.mutable_hosts();
    ask.set_resreq(given("resreq"));
    ask.set_from_host(given("from"));
    ask.set_topology(option(words, "topology").has_value());
    if (const auto host = option(words, "host")) ask.add_hosts(*host);
  } else if (words.what == "load") {
    auto& ask = *request.mutable_load();
    ask.set_resreq(given("resreq"));
    ask.set_from_host(given("from"));
    const std::string queue = given("queue");
    ask.set_queue(queue == "effective"    ? Request::AskLoad::EFFECTIVE
                  : queue == "normalised" ? Request::AskLoad::NORMALISED
                                          : Request::AskLoad::RAW);
    ask.set_elims(option(words, "elims").has_value());
    ask.set_only_usable(option(words, "usable").has_value());
    ask.set_default_local(option(words, "local").has_value());
    if (const auto host = option(words, "host")) ask.add_hosts(*host);
    if (const auto place = option(words, "place"))
      ask.set_place(static_cast<std::uint32_t>(std::stoul(*place)));
    if (const auto most = option(words, "most"))
      ask.set_place_most(static_cast<std::uint32_t>(std::stoul(*most)));
  } else if (!fill_control(words, request)) {
    fail("what is \"" + words.what + "\"?", 2);
  }
  return request;
}

// ---- the connection

int connect_to(const Words& words) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(words.host.c_str(), words.port.c_str(), &hints, &found); error != 0)
    fail(words.host + ": " + gai_strerror(error));
  int fd = -1;
  int error = 0;
  for (auto* at = found; at != nullptr && fd < 0; at = at->ai_next) {
    fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{words.seconds, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0) continue;
    error = errno;
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  if (fd < 0) fail(words.host + ":" + words.port + ": " + std::strerror(error));
  return fd;
}

io::ClusterChannel channel_of(const Words& words) {
  if (!words.key.empty()) {
    const auto key = io::load_cluster_key(words.key);
    if (!key) fail(key.error().text);
    return words.what == "claim" ? io::ClusterChannel::dial_as_daemon(*key, io::random_seed())
                                 : io::ClusterChannel::dial_as_owner(*key, io::random_seed());
  }
  const auto key = io::load_cluster_public_key(words.public_key);
  if (!key) fail(key.error().text);
  return io::ClusterChannel::dial_as_anyone(*key, io::random_seed());
}

class Conversation {
 public:
  explicit Conversation(const Words& words) : fd_(connect_to(words)), channel_(channel_of(words)) {
    write_all(channel_.start());
    while (!channel_.open()) read_some();
  }

  void say(const wire::ToLim& message) { write_all(channel_.seal(message.SerializeAsString())); }
  const std::string& hash() const { return channel_.hash(); }

  std::vector<Reply> answer() {
    while (replies_.empty() || !replies_.back().last()) read_some();
    return std::move(replies_);
  }

  wire::FromLim::PeerWelcome welcome() {
    while (!welcome_) read_some();
    return *std::exchange(welcome_, std::nullopt);
  }

 private:
  void write_all(const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t size = ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (size < 0) fail(std::string("cannot send: ") + std::strerror(errno));
      done += static_cast<std::size_t>(size);
    }
  }

  void read_some() {
    const ssize_t size = ::recv(fd_, buffer_, sizeof buffer_, 0);
    if (size == 0) fail("the LIM closed the connection");
    if (size < 0) fail(std::string("no answer: ") + std::strerror(errno));
    std::string out;
    const auto fed =
        channel_.feed({buffer_, static_cast<std::size_t>(size)}, out, [this](std::string_view payload) {
          wire::FromLim message;
          if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
            fail("a message that cannot be read");
          if (message.has_reply()) replies_.push_back(message.reply());
          if (message.has_welcome()) welcome_ = message.welcome();
          return Result<void>();
        });
    if (!fed) fail(fed.error().text);
    if (!out.empty()) write_all(out);
  }

  int fd_;
  io::ClusterChannel channel_;
  std::vector<Reply> replies_;
  std::optional<wire::FromLim::PeerWelcome> welcome_;
  char buffer_[64 * 1024];
};

// ---- JSON

json number(double value) { return known_load(static_cast<float>(value)) ? json(value) : json(nullptr); }

template <class Texts>
json texts(const Texts& from) {
  json all = json::array();
  for (const auto& text : from) all.push_back(text);
  return all;
}

std::string status_word(const Reply::Status& status) {
  std::string word = status.res_down() ? "-" : "";
  if (status.unavailable()) return "unavail";
  std::string locks = std::string(status.locked_by_administrator() ? "U" : "") +
                      (status.locked_by_window() ? "W" : "") + (status.locked_by_master() ? "M" : "");
  return word + (!locks.empty() ? "lock" + locks : status.busy() ? "busy" : "ok");
}

json elims_of(const Reply::Load& load) {
  json all = json::object();
  const char* const states[] = {"running", "waiting", "given up", "aborted"};
  for (const auto& elim : load.elims())
    all[elim.name()] = {{"state", states[elim.state() & 3]},
                        {"restarts", elim.restarts()},
                        {"errors", elim.errors()},
                        {"last_error", elim.last_error()}};
  return all;
}

json facts_of(const wire::Facts& facts) {
  json values = json::object();
  for (const auto& [name, value] : facts.values()) values[name] = value;
  return {{"type", facts.type()},         {"model", facts.model()},   {"cpuf", facts.cpu_factor()},
          {"server", facts.server()},     {"ncpus", facts.ncpus()},   {"nprocs", facts.nprocs()},
          {"ncores", facts.ncores()},     {"maxmem", facts.maxmem()}, {"maxswp", facts.maxswp()},
          {"maxtmp", facts.maxtmp()},     {"ndisks", facts.ndisks()}, {"booleans", texts(facts.booleans())},
          {"topology", facts.topology()}, {"values", values}};
}

struct Shower {
  json result = json::object();
  std::vector<std::string> names;  // of the load's indices: in its first part only

  void add(const Reply& reply) {
    if (reply.has_refusal()) {
      const char* const why[] = {"FAILED",       "NOT_MASTER",        "NOT_ALLOWED", "BAD_RESREQ",
                                 "UNKNOWN_HOST", "BAD_CONFIGURATION", "NOT_ENOUGH"};
      const auto& refusal = reply.refusal();
      result = {{"refusal", why[refusal.why() % 7]},
                {"text", refusal.text()},
                {"master", refusal.master()},
                {"offset", refusal.offset()}};
    }
    if (reply.has_identity()) add(reply.identity());
    if (reply.has_resources()) add(reply.resources());
    if (reply.has_hosts()) add(reply.hosts());
    if (reply.has_loads()) add(reply.loads());
    if (reply.has_done()) result = {{"done", reply.done().text()}};
    if (reply.has_shareds())
      for (const auto& one : reply.shareds().shareds())
        result["shared"].push_back({{"resource", one.resource()},
                                    {"value", one.value()},
                                    {"hosts", texts(one.hosts())},
                                    {"all", one.all()}});
    result["parts"] = result.value("parts", 0) + 1;
  }
  void add(const Reply::Identity& identity) {
    result = {{"cluster", identity.cluster()},
              {"master", identity.master()},
              {"first_candidate", identity.first_candidate()},
              {"administrator", identity.administrator()},
              {"hosts", identity.hosts()},
              {"servers", identity.servers()},
              {"host", identity.host()},
              {"version", identity.version()},
              {"caller", identity.caller()},
              {"hosts_up", identity.hosts_up()}};
  }
  void add(const Reply::Resources& resources) {
    for (const auto& resource : resources.resources()) result["resources"].push_back(resource.name());
    result["types"] = texts(resources.types());
    for (const auto& model : resources.models()) result["models"].push_back(model.name());
  }
  void add(const Reply::Hosts& hosts) {
    for (int i = 0; i < hosts.hosts_size(); ++i) {
      json one = facts_of(hosts.hosts(i));
      one["up"] = i < hosts.up_size() && hosts.up(i);
      result["hosts"][hosts.hosts(i).name()] = one;
      result["order"].push_back(hosts.hosts(i).name());
    }
  }
  void add(const Reply::Loads& loads) {
    for (const auto& name : loads.names()) names.push_back(name);
    for (const auto& load : loads.hosts()) {
      json values = json::object();
      json ages = json::object();
      for (int i = 0; i < load.values_size() && i < static_cast<int>(names.size()); ++i)
        values[names[static_cast<std::size_t>(i)]] = number(load.values(i));
      for (const auto& word : load.words())
        if (word.index() < names.size()) values[names[word.index()]] = word.value();
      for (int i = 0; i < load.age_ms_size() && i < static_cast<int>(names.size()); ++i)
        if (load.age_ms(i) != 4294967295U) ages[names[static_cast<std::size_t>(i)]] = load.age_ms(i);
      json beyond = json::array();
      for (const auto place : load.beyond())
        if (place < names.size()) beyond.push_back(names[place]);
      result["hosts"][load.host()] = {{"status", status_word(load.status())},
                                      {"values", values},
                                      {"ages", ages},
                                      {"beyond", beyond},
                                      {"elims", elims_of(load)},
                                      {"slots", load.slots()}};
      result["order"].push_back(load.host());
    }
  }
};

void prove_by_munge(Conversation& conversation) {
  char* credential = nullptr;
  const std::string& hash = conversation.hash();
  if (const auto error = munge_encode(&credential, nullptr, hash.data(), static_cast<int>(hash.size()));
      error != EMUNGE_SUCCESS)
    fail(std::string("munge: ") + munge_strerror(error));
  wire::ToLim message;
  message.mutable_credential()->set_munge(credential);
  conversation.say(message);
}

// A false LIM. The answer to its Renew shows that the LIM has taken what was said before.
json claim(Conversation& conversation, const Words& words) {
  wire::ToLim hello;
  hello.mutable_peer()->set_host(option(words, "name").value_or(""));
  hello.mutable_peer()->set_run(std::string(16, 'x'));
  conversation.say(hello);
  auto welcome = conversation.welcome();
  if (option(words, "announce")) {
    wire::ToLim announce, renew;
    announce.mutable_announce();
    renew.mutable_renew();
    conversation.say(announce);
    conversation.say(renew);
    welcome = conversation.welcome();
  }
  return {{"welcome", welcome.host()}, {"is_master", welcome.master()}, {"master", welcome.master_name()}};
}

}  // namespace

int main(int argc, char** argv) {
  const Words words = parse(argc, argv);
  Conversation conversation(words);
  if (words.what == "claim") return std::puts(claim(conversation, words).dump(2).c_str()), 0;
  if (words.munge) prove_by_munge(conversation);
  wire::ToLim message;
  *message.mutable_request() = request_of(words);
  conversation.say(message);
  Shower shower;
  for (const auto& reply : conversation.answer()) shower.add(reply);
  std::puts(shower.result.dump(2, ' ', false, json::error_handler_t::replace).c_str());
  return shower.result.contains("refusal") ? 3 : 0;
}
