// Conversation: the roll's words from and to the messages of the wire. Functions; they check what a TaskStarter says.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/wire/task.pb.h"
#include "pam/policy/roll_events.hpp"

namespace rollcall::pam {

// A kernel's host name may be any text, and ends up in tables and lines: what is in no host name is a question mark here.
std::string plain_host(std::string host);

// Errors name the field, what was found and what was expected.
Result<Registration> registration_of(const wire::Register& message);
event::TaskResumed task_resumed_of(const wire::Register& message, ConnectionId connection);
event::TaskEnded task_ended_of(const wire::TaskEnded& message, Tid tid);
event::ParentLost parent_lost_of(const wire::ParentLost& message, Tid tid);

wire::FromPam message_of(const effect::Welcome& effect);
wire::FromPam message_of(const effect::DeliverSignal& effect);
wire::FromPam message_of(const effect::EndTasks& effect);
wire::FromPam message_of(const effect::EndOrphans& effect);

}  // namespace rollcall::pam
