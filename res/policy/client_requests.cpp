#include "res/policy/client_requests.hpp"

#include "common/wire/frame.hpp"

namespace rollcall::res {

using Asked = wire::ToResFromClient;

Result<std::optional<Asked>> ClientRequests::take(std::string_view payload, bool known) {
  Asked asked;
  if (!asked.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message that cannot be read, expected ToResFromClient");
  const bool last = asked.message_case() == Asked::kLastPart;
  if (asked.message_case() != Asked::kPart && !last) return std::optional(std::move(asked));
  if (!known)
    return internal_error("oversized request from an unauthenticated client, expected a credential first");
  if (!last) {
    if (const auto added = parts_.add(asked.part()); !added) return added.error();
    return std::optional<Asked>();
  }
  const auto task = parts_.finish(asked.last_part());
  if (!task) return task.error();
  if (!asked.mutable_task()->ParseFromString(*task))
    return internal_error("found parts that cannot be read, expected those of a RunTask");
  return std::optional(std::move(asked));
}

// The limit: RES sends the task to the shepherd in one frame.
std::optional<std::string> objection_to(const wire::RunTask& task) {
  const std::size_t size = task.ByteSizeLong();
  if (size <= wire::kMostTask) return std::nullopt;
  return "found a task of " + std::to_string(size) + " bytes with its environment, expected at most " +
         std::to_string(wire::kMostTask);
}

static_assert(wire::kMostTask < wire::kFrameLimit);

}  // namespace rollcall::res
