#include "common/resreq/merge.hpp"

#include <algorithm>
#include <utility>

#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {
namespace {

struct Found {
  std::size_t string = 0;
  std::size_t usage = 0;
};

std::optional<Found> find(const UsageAlternative& alternative, const std::string& name) {
  for (std::size_t s = 0; s < alternative.strings.size(); ++s)
    for (std::size_t u = 0; u < alternative.strings[s].usages.size(); ++u)
      if (alternative.strings[s].usages[u].name == name) return Found{s, u};
  return std::nullopt;
}

void remove(UsageAlternative& alternative, const std::string& name) {
  for (auto& string : alternative.strings)
    std::erase_if(string.usages, [&](const Usage& usage) { return usage.name == name; });
  std::erase_if(alternative.strings, [](const UsageString& string) { return string.usages.empty(); });
}

// Adds `usage` to the string with the duration and decay of `like`, else to a new string.
void add(UsageAlternative& alternative, const Usage& usage, const UsageString& like) {
  for (auto& string : alternative.strings)
    if (string.duration == like.duration && string.decay == like.decay) return string.usages.push_back(usage);
  alternative.strings.push_back({{usage}, like.duration, like.decay});
}

// Replaces the alternative's usage of the same index by `usage`. `like` is the string that `usage` comes from.
void put(UsageAlternative& alternative, const Usage& usage, const UsageString& like) {
  const auto found = find(alternative, usage.name);
  if (found) {
    UsageString& string = alternative.strings[found->string];
    const bool silent = !like.duration && !like.decay;
    if (silent || (like.duration == string.duration && like.decay == string.decay)) {
      string.usages[found->usage] = usage;
      return;
    }
    remove(alternative, usage.name);
  }
  add(alternative, usage, like);
}

UsageAlternative over(const UsageAlternative& top, UsageAlternative base) {
  for (const UsageString& string : top.strings)
    for (const Usage& usage : string.usages) put(base, usage, string);
  return base;
}

std::size_t usages(const Rusage& rusage) {
  std::size_t count = 0;
  for (const auto& alternative : rusage.alternatives)
    for (const auto& string : alternative.strings) count += string.usages.size();
  return count;
}

Result<std::optional<Rusage>> over(const std::optional<Rusage>& top, const std::optional<Rusage>& base) {
  if (!top || !base) return top ? top : base;
  if (top->alternatives.size() * usages(*base) + base->alternatives.size() * usages(*top) > kMostWords)
    return usage_error("found too much in rusage, expected at most " + std::to_string(kMostWords) +
                       " usages in all alternatives together");
  Rusage result;
  for (const auto& mine : top->alternatives)
    for (const auto& theirs : base->alternatives) result.alternatives.push_back(over(mine, theirs));
  return std::optional<Rusage>(std::move(result));
}

// What a job may not ask for: more of a built-in index, or for longer, than the queue gives. "" where it may.
std::string above_queue(const Usage& mine, const UsageString& my_string, const Usage& theirs,
                        const UsageString& their_string, const IndexTable& indices) {
  const auto id = indices.find(mine.name);
  if (!id || !indices.at(*id).built_in) return {};
  if (mine.value && theirs.value && mine.value->value > theirs.value->value)
    return "found " + mine.name + "=" + mine.value->written + " in rusage, expected at most the queue's " +
           theirs.value->written;
  if (my_string.duration && their_string.duration && *my_string.duration > *their_string.duration)
    return "found a duration of " + std::to_string(*my_string.duration) + " s for " + mine.name +
           " in rusage, expected at most the queue's " + std::to_string(*their_string.duration) + " s";
  return {};
}

std::string above_queue(const UsageAlternative& job, const UsageAlternative& queue,
                        const IndexTable& indices) {
  for (const UsageString& string : job.strings)
    for (const Usage& usage : string.usages) {
      const auto found = find(queue, usage.name);
      if (!found) continue;
      const UsageString& theirs = queue.strings[found->string];
      std::string why = above_queue(usage, string, theirs.usages[found->usage], theirs, indices);
      if (!why.empty()) return why;
    }
  return {};
}

std::string above_queue(const ResReq& job, const ResReq& queue, const IndexTable& indices) {
  if (!job.rusage || !queue.rusage) return {};
  for (const auto& mine : job.rusage->alternatives)
    for (const auto& theirs : queue.rusage->alternatives)
      if (std::string why = above_queue(mine, theirs, indices); !why.empty()) return why;
  return {};
}

template <class Key>
void append_new(std::vector<Key>& keys, const std::vector<Key>& more) {
  for (const Key& key : more) {
    const bool known =
        std::any_of(keys.begin(), keys.end(), [&](const Key& k) { return k.name == key.name; });
    if (!known) keys.push_back(key);
  }
}

template <class Section>
bool join(std::optional<Section>& first, const std::optional<Section>& second) {
  if (first && second) return false;
  if (second) first = second;
  return true;
}

// `base` is of a queue or a profile. The order is the job's alone, and a span of -1 stays.
Result<ResReq> over(const ResReq& job, const ResReq& base) {
  ResReq result = job;
  result.select = both(base.select, job.select);
  auto rusage = over(job.rusage, base.rusage);
  if (!rusage) return rusage.error();
  result.rusage = std::move(rusage.value());
  if (!job.span) result.span = base.span;
  result.same = base.same;
  append_new(result.same, job.same);
  if (!job.cu) result.cu = base.cu;
  if (!job.affinity) result.affinity = base.affinity;
  return result;
}

Error twice(const char* section) {
  return usage_error(std::string("found ") + section + " a second time, expected it once");
}

}  // namespace

Result<ResReq> merge(const ResReq& first, const ResReq& second) {
  ResReq result = first;
  result.select = both(first.select, second.select);
  append_new(result.order, second.order);
  append_new(result.same, second.same);
  auto rusage = over(second.rusage, first.rusage);
  if (!rusage) return rusage.error();
  result.rusage = std::move(rusage.value());
  if (!join(result.span, second.span)) return twice("span");
  if (!join(result.cu, second.cu)) return twice("cu");
  if (!join(result.affinity, second.affinity)) return twice("affinity");
  return result;
}

Result<ResReq> job_over_queue(const ResReq& job, const ResReq& queue, const IndexTable& indices) {
  if (job.empty()) return queue;
  if (std::string why = above_queue(job, queue, indices); !why.empty()) return usage_error(std::move(why));
  auto result = over(job, queue);
  if (result && result->span && result->span->hosts == -1) result->span.reset();
  return result;
}

Result<ResReq> job_over_files(const ResReq& job, const std::optional<ResReq>& profile,
                              const std::optional<ResReq>& queue, const IndexTable& indices) {
  if (!profile) return queue ? job_over_queue(job, *queue, indices) : Result<ResReq>(job);
  auto merged = over(job, *profile);
  if (!merged) return merged;
  if (merged->order.empty()) merged->order = profile->order;
  if (!queue) return merged;
  merged = job_over_queue(*merged, *queue, indices);
  if (merged && merged->order.empty()) merged->order = queue->order;
  return merged;
}

ResReq with_defaults(ResReq resreq, const IndexTable& indices) {
  resreq.select = with_default_type(resreq.select, indices);
  if (resreq.order.empty()) resreq.order = parse("order[" + std::string(kDefaultOrder) + "]").value.order;
  return resreq;
}

}  // namespace rollcall::resreq
