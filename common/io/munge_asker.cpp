#include "common/io/munge_asker.hpp"

#include <pwd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

namespace rollcall::io {
namespace {

Result<KnownUser> ask_munge(const MungeAsker::Question& question) {
  const auto identity = munge_decode(question.credential, question.payload, question.socket);
  if (!identity) return identity.error();
  return KnownUser{identity->uid, identity->gid, user_name(identity->uid)};
}

Error no_answer(SideThread::End end, const MungeAsker::Limits& limits) {
  if (end == SideThread::End::crowded)
    return internal_error("MUNGE: " + std::to_string(limits.waiting) +
                          " clients wait already for munged to say who they are");
  char text[60];
  std::snprintf(text, sizeof text, "MUNGE: munged did not answer within %g s",
                std::chrono::duration<double>(limits.patience).count());
  return internal_error(text);
}

}  // namespace

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 * 1024> room;
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  return found == nullptr ? "" : found->pw_name;
}

MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits) : MungeAsker(loop, limits, ask_munge) {}
MungeAsker::MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up)
    : limits_(limits), look_up_(std::move(look_up)), thread_(loop, limits) {}

void MungeAsker::ask(Question question, Told told) {
  const auto answer = std::make_shared<std::optional<Result<KnownUser>>>();
  thread_.ask([answer, look_up = look_up_, question = std::move(question)] { *answer = look_up(question); },
              [answer, limits = limits_, told = std::move(told)](SideThread::End end) {
                told(end == SideThread::End::finished ? **answer : no_answer(end, limits));
              });
}

}  // namespace rollcall::io
