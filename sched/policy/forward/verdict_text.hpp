// verdict_text: a choice as a table that people read: every remote queue, its numbers, and why it was offered, came after, or was
// left out. Functions.
#pragma once

#include <span>
#include <string>

#include "sched/policy/forward/choice.hpp"

namespace rollcall::sched::forward {

// "free", "preemptable", ...
std::string_view text(Tier tier);

// Why, in words with the numbers: "10 slots free (30 available - 20 pending)". No newline.
std::string words_of(const Verdict& verdict, const ForwardJob& job, const RemoteQueue& queue,
                     const Settings& settings);

// "receive@east: 10 free (30 available - 20 pending), 3 s old; ...": every queue in one line, with the age of its numbers.
std::string line_of(const Choice& choice, const ForwardJob& job, std::span<const RemoteQueue> queues,
                    const Settings& settings);

// A header and a line for each queue, in the order of `queues`; each with its newline.
std::string table_of(const Choice& choice, const ForwardJob& job, std::span<const RemoteQueue> queues,
                     const Settings& settings);

}  // namespace rollcall::sched::forward
