#include "sched/client/await_job.hpp"

#include <sys/wait.h>

#include <utility>

namespace rollcall::client {
namespace {

constexpr int kNeverRan = 126;

}  // namespace

Waited await_job(Session& session, const wire::AwaitJob& job, Until until, const TakeNews& news, int wake) {
  wire::BatchRequest request;
  *request.mutable_await_job() = job;
  Waited waited = Failure{};
  const auto take = [&](wire::BatchReply& part) {
    auto& told = *part.mutable_awaited();
    news(told);
    if (told.over()) {
      waited = JobEnd{told.killed_pending(), told.job().record().exit_status()};
      return false;
    }
    if (until == Until::over || !told.has_stream()) return true;
    waited = std::move(*told.mutable_stream());
    return false;
  };
  const auto how = session.await(std::move(request), take, wake);
  if (!how) return how.error();
  if (*how == Session::Awaited::woken) return Woken{};
  return waited;
}

int exit_code_of(const JobEnd& ended) {
  if (ended.killed_pending) return kNeverRan;
  if (WIFSIGNALED(ended.wait_status)) return 128 + WTERMSIG(ended.wait_status);
  return WEXITSTATUS(ended.wait_status);
}

std::optional<Failure> await_condition(Session& session, const wire::AwaitCondition& condition) {
  wire::BatchRequest request;
  *request.mutable_await() = condition;
  const auto how = session.await(std::move(request), [](wire::BatchReply&) { return true; });
  if (!how) return how.error();
  return std::nullopt;
}

}  // namespace rollcall::client
