// The Book: queues and hosts opened and closed (badmin).
#include <algorithm>

#include "common/base/terminal_text.hpp"
#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

using Control = wire::ControlBatch;

bool of_queues(Control::Action action) {
  return action == Control::QUEUE_OPEN || action == Control::QUEUE_CLOSE ||
         action == Control::QUEUE_ACTIVATE || action == Control::QUEUE_INACTIVATE;
}
bool of_hosts(Control::Action action) {
  return action == Control::HOST_OPEN || action == Control::HOST_CLOSE;
}

class Controlling {
 public:
  Controlling(Memory& memory, const Control& request, const Identity& who, WallTime now)
      : m_(memory), request_(request), who_(who), now_(now) {}

  Effects effects;

  wire::BatchReply::Outcome queue(const std::string& name) {
    const conf::QueueRow* row = m_.queue_row(name);
    if (!row) return failure(name + ": No such queue", jobs::Refusal::NO_QUEUE);
    if (!m_.administers(name, who_))
      return failure(name + ": User permission denied", jobs::Refusal::NOT_ALLOWED);
    ControlledQueue& control = m_.queue_controls[name];
    std::string_view what;
    switch (request_.action()) {
      case Control::QUEUE_OPEN:
        control.open = true, what = "opened";
        break;
      case Control::QUEUE_CLOSE:
        control.open = false, what = "closed";
        break;
      case Control::QUEUE_ACTIVATE:
        control.active = true, what = "activated";
        break;
      default:
        control.active = false, what = "inactivated";
        break;
    }
    describe(control.state, name);
    control.state.set_closed(!control.open);
    control.state.set_inactive(!control.active);
    effects.push_back(effect::SaveControl{control.state});
    wire::JobEvent event;
    auto& told = *event.mutable_queue_control();
    told.set_queue(name);
    record(event, told);
    return outcome("Queue <" + name + "> is " + std::string(what));
  }

  wire::BatchReply::Outcome host(const std::string& name) {
    ControlledHost& control = m_.host_controls[HostId(name)];
    control.open = request_.action() == Control::HOST_OPEN;
    describe(control.state, name);
    control.state.set_host(true);
    control.state.set_closed(!control.open);
    effects.push_back(effect::SaveControl{control.state});
    wire::JobEvent event;
    auto& told = *event.mutable_host_control();
    told.set_host(name);
    record(event, told);
    return outcome((control.open ? "Open <" : "Close <") + name + "> ...... done");
  }

 private:
  void describe(wire::ControlState& state, const std::string& name) const {
    state.set_name(name);
    state.set_comment(request_.comment());
    state.set_user(who_.user);
    state.set_at_us(now_.us);
  }
  template <class Told>
  void record(wire::JobEvent& event, Told& told) {
    told.set_operation(request_.action());
    told.set_user(who_.user);
    told.set_uid(who_.uid);
    told.set_comment(request_.comment());
    event.set_at_us(now_.us);
    effects.push_back(effect::RecordEvent{std::move(event)});
  }

  Memory& m_;
  const Control& request_;
  const Identity& who_;
  WallTime now_;
};

}  // namespace

Applied ClientCommands::control(const wire::ControlBatch& request, const Identity& who, WallTime now) {
  Applied applied;
  applied.reply.set_last(true);
  const auto no = [&applied](jobs::Refusal::Why why, const std::string& text) {
    *applied.reply.mutable_refusal() = jobs::refusal(why, text);
    return std::move(applied);
  };
  if (request.comment().size() > 512)
    return no(jobs::Refusal::BAD_REQUEST, "a comment has at most 512 characters");
  if (find_control(request.comment(), Controls::none) != std::string::npos)
    return no(jobs::Refusal::BAD_REQUEST, "-C: found a control character, expected none");
  Controlling controlling(*memory_, request, who, now);
  auto& outcomes = *applied.reply.mutable_outcomes();
  const bool all = std::find(request.names().begin(), request.names().end(), "all") != request.names().end();
  if (of_queues(request.action())) {
    std::vector<std::string> names(request.names().begin(), request.names().end());
    if (all) {
      names.clear();
      for (const auto& queue : memory_->config.lsb->queues) names.push_back(queue.name);
    }
    for (const std::string& name : names) *outcomes.add_outcomes() = controlling.queue(name);
  } else if (of_hosts(request.action())) {
    if (!who.is_admin) return no(jobs::Refusal::NOT_ALLOWED, "User permission denied");
    for (const auto& name : request.names()) {
      auto hosts = jobs::hosts_named(memory_->config, name);
      if (!hosts && name != memory_->config.cluster->cluster.name)  // a cluster that lends hosts
        hosts = jobs::hosts_named(memory_->config, "all@" + name);
      // A borrowed host that was closed can be opened while no lease has it.
      if (const HostId id(name); !hosts && !id.ours() && memory_->host_controls.count(id) != 0)
        hosts = {name};
      if (!hosts)
        *outcomes.add_outcomes() = failure(name + ": No such host or host group", jobs::Refusal::NO_HOST);
      for (const std::string& host : hosts.value_or(std::vector<std::string>{}))
        *outcomes.add_outcomes() = controlling.host(host);
    }
  } else {
    return no(jobs::Refusal::BAD_REQUEST, "unknown action for queues and hosts");
  }
  if (outcomes.outcomes().empty()) return no(jobs::Refusal::BAD_REQUEST, "no queue or host is named");
  applied.effects = std::move(controlling.effects);
  applied.effects.push_back(effect::ScheduleSoon{});
  return applied;
}

}  // namespace rollcall::sched::book
