#include "elim/commands/borrowed.hpp"

#include "common/io/batch_client.hpp"
#include "common/resreq/resreq.hpp"

namespace rollcall::elim {
namespace {

int failed(io::Stage& stage, const io::BatchError& error, const std::string& resreq) {
  using Refusal = wire::BatchReply::Refusal;
  if (error.kind == io::BatchError::Kind::refused && error.refusal.why() == Refusal::BAD_RESREQ)
    return stage.fail(resreq::caret_lines(resreq, {error.refusal.text(), error.refusal.offset()}));
  return stage.fail(error.text);
}

// Every part of the answer that is an `Answer`, joined.
template <class Answer>
std::optional<Answer> ask(io::Stage& stage, wire::BatchRequest request,
                          const std::string& (wire::BatchReply::Borrowed::*bytes)() const) {
  const std::string resreq = request.borrowed().resreq();
  auto client =
      io::BatchClient::of(stage.files_to_ask(), [](const std::string& line) { io::print_error_line(line); });
  if (!client) return stage.fail(client.error().text), std::nullopt;
  Answer answer;
  bool whole = true;
  const auto error = client->ask(std::move(request), [&](wire::BatchReply& part) {
    Answer piece;
    whole = whole && part.has_borrowed() && piece.ParseFromString((part.borrowed().*bytes)());
    answer.MergeFrom(piece);
  });
  if (error) return failed(stage, *error, resreq), std::nullopt;
  if (!whole) return stage.fail("found a malformed answer of mbatchd, expected hosts"), std::nullopt;
  return answer;
}

wire::BatchRequest request_of(const std::vector<std::string>& hosts, const std::string& resreq, bool facts) {
  wire::BatchRequest request;
  auto& borrowed = *request.mutable_borrowed();
  for (const auto& host : hosts) borrowed.add_hosts(host);
  borrowed.set_resreq(resreq);
  borrowed.set_facts(facts);
  return request;
}

}  // namespace

NamedHosts named_hosts(const CommandWords& words) {
  NamedHosts named;
  for (const auto& host : words.operands())
    (host.find('@') == std::string::npos ? named.ours : named.borrowed).push_back(host);
  return named;
}

int not_of_borrowed(io::Stage& stage, const std::string& option) {
  return stage.fail(option + " is for hosts of this cluster, not for host@cluster");
}

std::optional<show::Loads> borrowed_loads(io::Stage& stage, const std::vector<std::string>& hosts,
                                          const std::string& resreq) {
  return ask<show::Loads>(stage, request_of(hosts, resreq, false), &wire::BatchReply::Borrowed::loads);
}

std::optional<show::Hosts> borrowed_facts(io::Stage& stage, const std::vector<std::string>& hosts,
                                          const std::string& resreq) {
  return ask<show::Hosts>(stage, request_of(hosts, resreq, true), &wire::BatchReply::Borrowed::hosts);
}

}  // namespace rollcall::elim
