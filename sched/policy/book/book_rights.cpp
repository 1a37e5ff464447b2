// The Book: who may do what, and what a submission is checked against.
#include <algorithm>

#include "common/base/glob.hpp"
#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {

bool Memory::administers(const std::string& queue, const Identity& who) const {
  if (who.is_admin) return true;
  const conf::QueueRow* row = queue_row(queue);
  return row && !row->administrators.empty() && jobs::names_user(config, row->administrators, who);
}

event::By Memory::by(const Job& job, const Identity& who) const {
  // Uid and name must both agree: uids may be reused, and names identify accounts in the cluster.
  const bool owner = who.uid == job.asked->uid() && who.user == job.asked->user();
  return {who.user, who.uid, owner, administers(job.record.queue(), who)};
}

jobs::SubmissionContext Memory::context(const Identity& who, WallTime now) {
  jobs::SubmissionContext context{
      config, who, now, {}, {}, {}, {}, {}, config.lsb->params.default_application, {}};
  context.queue_open = [this](const std::string& queue) {
    const auto found = queue_controls.find(queue);
    return found == queue_controls.end() || found->second.open;
  };
  context.pending_jobs = [this, &who]() -> std::uint32_t {
    const auto found = users.find(who.user);
    return found == users.end() ? 0 : found->second.counts.pending_jobs;
  };
  context.resreq = [this](const conf::QueueRow& queue, const wire::Submission& asked) {
    return resreq_of(&queue, queue.name, asked);
  };
  context.known = [this](std::int32_t id) { return ids.count(id) != 0; };
  context.ids = [this, &who](std::string_view name) {
    std::vector<std::int32_t> meant;
    const auto take = [&](const std::set<std::int32_t>& same) {
      for (const std::int32_t id : same)
        if (*ids.at(id).user == who.user) meant.push_back(id);
    };
    if (name.find('*') == std::string_view::npos) {
      if (const auto same = by_name.find(std::string(name)); same != by_name.end()) take(same->second);
    } else if (const auto own = users.find(who.user); own != users.end()) {
      std::int32_t last = 0;
      for (const JobKey key : own->second.jobs)
        if (key.id != last) {
          last = key.id;
          if (const IdEntry& id = ids.at(key.id); !id.name->empty() && glob_matches(name, *id.name))
            meant.push_back(last);
        }
    }
    // Newest first, by submission: ids may have started anew at 1.
    std::stable_sort(meant.begin(), meant.end(), [this](std::int32_t a, std::int32_t b) {
      const auto since = [this](std::int32_t id) {
        return jobs.at({id, ids.at(id).indices.front()}).submission;
      };
      return since(a) > since(b);
    });
    return meant;
  };
  return context;
}

}  // namespace rollcall::sched::book
