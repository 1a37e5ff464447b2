// task_text: a task's rank, and its words as a message may carry them, from its command line and environment. Functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rollcall::taskstarter {

// The launcher's own rank of this task: the first of OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK and
// SLURM_PROCID that `variable` gives and that is a plain number below 2^32.
std::optional<std::uint32_t> launcher_rank(const std::function<const char*(const char* name)>& variable);

// `text` as protobuf's strings want it: what is not valid UTF-8 becomes '?', and what is over `limit` bytes
// is cut off at the border of a character.
std::string message_text(std::string_view text, std::size_t limit);

// The words joined with blanks, as message_text.
std::string command_text(std::span<const char* const> words, std::size_t limit);

}  // namespace rollcall::taskstarter
