#include "res/shepherd/job_messages.hpp"

namespace rollcall::res {

using wire::FromRes;

const wire::JobAttempt& attempt_of(const wire::JobOrder& order) {
  return order.has_start() ? order.start().job() : order.expect().job();
}

FromRes::JobRunning running_message(const wire::JobOrder& order, const JobFiles& files, pid_t job,
                                    std::int64_t start_us) {
  FromRes::JobRunning running;
  running.set_pid(job);
  running.set_pgid(job);
  running.set_user(order.user());
  running.set_uid(order.uid());
  running.set_home(order.home());
  running.set_cwd(files.places.directory);
  running.set_start_us(start_us);
  return running;
}

FromRes::JobOver over_message(const wire::JobOrder& order, const effect::TellOver& how,
                              const wire::JobUsage& usage, const JobTimes& times) {
  FromRes::JobOver over;
  *over.mutable_job() = attempt_of(order);
  over.set_how(how.how);
  over.set_exit_status(how.exit_status);
  over.set_term_reason(how.term_reason);
  *over.mutable_usage() = usage;
  over.set_start_us(times.start_us);
  over.set_end_us(times.end_us);
  over.set_why(how.why);
  over.set_post_follows(how.post_follows);
  over.set_cwd_missing(how.cwd_missing);
  return over;
}

wire::FromShepherd place_message(std::uint64_t number, const Result<std::uint16_t>& port) {
  wire::FromShepherd message;
  auto& place = *message.mutable_place();
  place.set_number(number);
  if (port)
    place.set_port(*port);
  else
    place.set_why_not(port.error().text);
  return message;
}

FromRes::PostOver post_over_message(const wire::JobOrder& order, bool failed) {
  FromRes::PostOver over;
  *over.mutable_job() = attempt_of(order);
  over.set_failed(failed);
  return over;
}

}  // namespace rollcall::res
