#include "sched/mbatchd/controls.hpp"

#include <set>
#include <utility>

#include "sched/mbatchd/clients.hpp"
#include "sched/mbatchd/configuration_views.hpp"

namespace rollcall::mbatchd {

using Control = wire::ControlBatch;
using Refusal = wire::BatchReply::Refusal;

wire::BatchReply text_reply(std::string text) {
  wire::BatchReply reply;
  reply.set_last(true);
  reply.set_text(std::move(text));
  return reply;
}

wire::BatchReply Controls::carry_out(const Control& asked, const Configuration& configuration) {
  switch (asked.action()) {
    case Control::RECONFIG:
      return handler_.reconfigure();
    case Control::RESTART:
      return handler_.restart();
    case Control::SHUTDOWN:
      handler_.shut_down();
      return text_reply("mbatchd ends");
    case Control::DEBUG:
      return set_log_level(asked.text().empty() ? configuration.settings().log_mask : asked.text());
    case Control::HOST_RESTART:
    case Control::HOST_SHUTDOWN:
      return order_hosts(asked, configuration);
    case Control::REBUILD_EVENTS:
      handler_.rebuild_events();
      return text_reply("lsb.events is written anew");
    case Control::SHOW_STATUS:
      return text_reply(handler_.status());
    case Control::SHOW_CONFIGURATION:
      return text_reply(parameter_lines(configuration));
    case Control::FORGET_CLUSTERS:
      return forget_clusters(asked);
    default:
      return refusal(Refusal::BAD_REQUEST, "this mbatchd does not know what is asked");
  }
}

wire::BatchReply Controls::set_log_level(const std::string& word) {
  const auto level = io::parse_level(word);
  if (!level)
    return refusal(Refusal::BAD_REQUEST, "found the level " + word + ", expected LOG_ERR ... LOG_DEBUG");
  log_.set_last(*level);
  return text_reply("the log level is " + word);
}

wire::BatchReply Controls::forget_clusters(const Control& asked) {
  wire::BatchReply reply;
  reply.set_last(true);
  for (const auto& name : asked.names()) {
    auto& outcome = *reply.mutable_outcomes()->add_outcomes();
    const auto [text, done] = handler_.forget_cluster(name, asked.only_say());
    outcome.set_text(text);
    outcome.set_failed(!done);
    if (!done) outcome.set_why(Refusal::BAD_REQUEST);
  }
  return reply;
}

wire::BatchReply Controls::order_hosts(const Control& asked, const Configuration& configuration) {
  wire::BatchReply reply;
  reply.set_last(true);
  auto& outcomes = *reply.mutable_outcomes();
  std::set<std::string> names;
  for (const auto& word : asked.names()) {
    if (word == "all")
      for (const auto& host : configuration.rules->hosts) names.insert(host.text());
    else
      names.insert(configuration.files.cluster->names.official(word).value_or(word));
  }
  const bool stop = asked.action() == Control::HOST_SHUTDOWN;
  for (const auto& name : names) {
    auto& outcome = *outcomes.add_outcomes();
    const bool sent = engine_.restart(name, stop);
    outcome.set_text(std::string(stop ? "Shut down" : "Restart") + " slave batch daemon on <" + name +
                     "> ...... " + (sent ? "done" : "batch daemon is not connected"));
    outcome.set_failed(!sent);
    if (!sent) outcome.set_why(Refusal::NO_HOST);
  }
  return reply;
}

}  // namespace rollcall::mbatchd
