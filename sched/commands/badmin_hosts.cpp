// badmin's subcommands about RES on each host: start, end, start anew, and forget what a lost mbatchd has ordered.
#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/io/at_once.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/hosts_down.hpp"
#include "common/io/start_daemon.hpp"
#include "sched/client/job_hosts.hpp"
#include "sched/commands/badmin.hpp"

namespace rollcall::sched {
namespace {

std::string this_host(io::Stage& stage) {
  const std::string name = io::host_name_here();
  return stage.files_to_ask().names.official(name).value_or(name);
}

bool means_all(const BatchAdmin& admin) {
  const auto& words = admin.words.operands();
  return std::find(words.begin(), words.end(), "all") != words.end();
}

// Official names; none: the error was printed. Hosts that are named need no Host section: the RES of each knows its own
// names, and another one refuses.
std::optional<Words> host_names(const BatchAdmin& admin) {
  const auto& files = means_all(admin) ? admin.stage.files() : admin.stage.files_to_ask();
  Words names;
  for (const auto& word : hosts_or_here(admin)) {
    if (word == "all") {
      for (const auto& host : files.cluster.hosts)
        if (host.server) names.push_back(host.name);
      continue;
    }
    auto official = files.names.official(word);
    if (!official && files.cluster.hosts.empty()) official = word;
    if (!official) {
      admin.stage.fail("found the host " + printable(word) + ", expected one of the cluster");
      return std::nullopt;
    }
    names.push_back(*official);
  }
  return names;
}

int each_host(const BatchAdmin& admin, const std::string& title, const std::string& question,
              const std::function<std::string(const std::string&)>& act) {
  const auto names = host_names(admin);
  if (!names) return io::kFailed;
  if (means_all(admin)) {
    const auto yes = agreed(admin, question);
    if (!yes) return io::kFailed;
    if (!*yes) return 0;
  }
  int status = 0;
  std::vector<std::string> troubles(names->size());
  io::at_once(
      names->size(), io::kHostsAtOnce, [&](std::size_t i) { troubles[i] = act((*names)[i]); },
      [&](std::size_t i) {
        admin.stage.print(title + " slave batch daemon on <" + (*names)[i] + "> ...... " +
                          (troubles[i].empty() ? "done" : troubles[i]) + "\n");
        if (!troubles[i].empty()) status = io::kFailed;
      });
  return status;
}

std::string order_host(io::Stage& stage, const std::string& host, client::DaemonOrder order) {
  const auto& files = stage.files_to_ask();
  const auto settings = conf::read_batch_settings(files);
  if (!settings) return settings.error().text;
  const auto trouble = client::order_daemon(files, *settings, host, order);
  return trouble ? trouble->text : "";
}

// each_host(); where all are meant, those known to be down are skipped.
int order_each_host(const BatchAdmin& admin, const std::string& title, const std::string& question,
                    client::DaemonOrder order) {
  std::set<std::string> down;
  std::once_flag asked;  // when the user has agreed
  return each_host(admin, title, question, [&](const std::string& host) {
    std::call_once(asked, [&] {
      if (means_all(admin)) down = io::hosts_down(admin.stage.files());
    });
    if (down.count(host) == 0) return order_host(admin.stage, host, order);
    return io::skipped_text("badmin " + std::string(admin.name) + " " + host);
  });
}

}  // namespace

std::optional<bool> agreed(const BatchAdmin& admin, const std::string& question) {
  if (admin.words.has("-f")) return true;
  admin.stage.print(question + " [y/n] ");
  const auto answer = io::Stage::read_line();
  if (!answer) {
    admin.stage.print("\n");
    admin.stage.fail(std::string(admin.name) +
                     ": the input ended before an answer; nothing was done (-f asks nothing)");
    return std::nullopt;
  }
  return *answer == "y" || *answer == "Y" || *answer == "yes";
}

Words hosts_or_here(const BatchAdmin& admin) {
  return admin.words.operands().empty() ? Words{this_host(admin.stage)} : admin.words.operands();
}
int hstartup(const BatchAdmin& admin) {
  const auto& files = admin.stage.files();
  return each_host(admin, "Starting up", "Do you really want to start up slave batch daemon on all hosts?",
                   [&](const std::string& host) { return io::start_daemon(files, host, "res", true); });
}
int hshutdown(const BatchAdmin& admin) {
  return order_each_host(admin, "Shut down",
                         "Do you really want to shut down slave batch daemon on all hosts?",
                         client::DaemonOrder::stop);
}
int hrestart(const BatchAdmin& admin) {
  return order_each_host(admin, "Restart", "Do you really want to restart slave batch daemon on all hosts?",
                         client::DaemonOrder::restart);
}

// Each host says what is lost before it is asked for; one question for all of them.
int hforget(const BatchAdmin& admin) {
  const Words& words = admin.words.operands();
  if (words.empty()) return admin.stage.fail("hforget: no host is named; name each, or all");
  Words clusters;
  for (const auto& word : words)
    if (word.starts_with('@')) clusters.push_back(word.substr(1));
  if (!clusters.empty() && clusters.size() == words.size()) return forget_clusters(admin, clusters);
  if (!clusters.empty())
    return admin.stage.fail("hforget: found hosts and clusters, expected the ones or the others");
  if (admin.words.has("-jobs"))
    return admin.stage.fail(
        "hforget: found -jobs with a host, expected @CLUSTER; without -jobs a host's are ended too");
  const auto names = host_names(admin);
  if (!names) return io::kFailed;
  const auto& files = admin.stage.files_to_ask();
  const auto settings = conf::read_batch_settings(files);
  if (!settings) return admin.stage.fail(settings.error().text);
  int status = 0;
  Words willing;
  for (const auto& host : *names) {
    const auto asked = client::forget_jobs(files, *settings, host, false);
    admin.stage.print((asked.trouble ? asked.trouble->text : asked.said) + "\n");
    if (asked.trouble)
      status = io::kFailed;
    else
      willing.push_back(host);
  }
  if (willing.empty()) return status;
  const auto yes = agreed(admin, "Do you really want to end and forget these jobs?");
  if (!yes) return io::kFailed;
  if (!*yes) return status;
  for (const auto& host : willing) {
    const auto done = client::forget_jobs(files, *settings, host, true);
    admin.stage.print((done.trouble ? done.trouble->text : done.said) + "\n");
    if (done.trouble) status = io::kFailed;
  }
  return status;
}

}  // namespace rollcall::sched
