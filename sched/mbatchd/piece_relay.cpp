#include "sched/mbatchd/piece_relay.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/piece_rights.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;

wire::BatchReply reply_of(wire::Piece piece) {
  wire::BatchReply reply;
  reply.set_last(true);
  *reply.mutable_piece() = std::move(piece);
  return reply;
}

}  // namespace

void PieceRelay::ask(io::LinkId link, const sched::Identity& who, const wire::AskPiece& asked) {
  auto may = peers::piece_question(jobs_.find(sched::key_of(asked.key())), asked, who);
  if (auto* const answer = std::get_if<wire::Piece>(&may))
    return handler_.reply(link, reply_of(std::move(*answer)));
  auto& question = std::get<peers::PieceQuestion>(may);
  if (asked.asked().operation() == wire::PieceAsked::TERMINAL_OUT)
    return await_output(link, std::move(question));
  links_.promise(link);
  Question one;
  one.place = {question.cluster, true};
  one.link = link;
  one.piece = std::move(question.piece);
  add(std::move(one), who.user);
}

// Not promised: the end of the client's connection is to be noticed.
void PieceRelay::await_output(io::LinkId link, peers::PieceQuestion question) {
  const wire::ForwardPiece& piece = question.piece;
  const peers::ClientOfTerminal client{question.cluster, peers::attempt_of(piece.attempt()),
                                       piece.asked().terminal()};
  const std::uint64_t number = ++last_number_;
  Question& one = questions_[number];
  one.place = {question.cluster, true};
  one.link = link;
  one.terminal = client;
  if (!terminal_clients_.asks(client, link, piece.user()))
    return answer(number, peers::no_piece("too many terminals of cluster " + question.cluster, false));
  wire::PeerMessage message;
  *message.mutable_piece() = std::move(question.piece);
  message.mutable_piece()->set_number(number);
  if (!handler_.say(question.cluster, std::move(message)))
    answer(number, peers::no_piece("cluster " + question.cluster + " is not connected", true));
}

void PieceRelay::left(io::LinkId link) {
  terminal_clients_.link_ends(link, handler_.now());
  if (terminal_clients_.next()) step();
}

void PieceRelay::end_terminals() {
  for (const auto& [client, user] : terminal_clients_.due(handler_.now())) {
    wire::PeerMessage message;
    auto& piece = *message.mutable_piece();
    piece.set_number(++last_number_);
    *piece.mutable_attempt() = peers::attempt_of(client.attempt);
    piece.set_user(user);
    piece.mutable_asked()->set_operation(wire::PieceAsked::TERMINAL_END);
    piece.mutable_asked()->set_terminal(client.terminal);
    handler_.say(client.cluster, std::move(message));
  }
}

void PieceRelay::heard(const std::string& cluster, const wire::PeerMessage& message) {
  if (message.has_piece_read()) {
    const auto found = questions_.find(message.piece_read().number());
    if (found == questions_.end() || found->second.place != Place{cluster, true}) return;
    answer(found->first, peers::believed(message.piece_read().piece()));
    return step();
  }
  if (peers::of_terminal(message.piece().asked())) return terminals_.asked(cluster, message.piece());
  Question one;
  one.place = {cluster, false};
  one.number = message.piece().number();
  auto taken = take(message.piece(), one);
  if (const auto* const asker = std::get_if<std::string>(&taken)) return add(std::move(one), *asker);
  const std::uint64_t number = ++last_number_;
  questions_[number] = std::move(one);
  answer(number, std::move(std::get<wire::Piece>(taken)));
}

// Who asks, for the turns in the queue; or the answer.
std::variant<std::string, wire::Piece> PieceRelay::take(const wire::ForwardPiece& piece,
                                                        Question& question) const {
  const std::string& cluster = question.place.cluster;
  if (!peers::check(piece.attempt())) return peers::no_piece("found an attempt without a number", false);
  if (peers::of_submission(piece.asked())) {
    const auto key = sched::key_of(piece.attempt().key());
    auto may = peers::file_order(jobs_.find(key), cluster, piece);
    if (auto* const answer = std::get_if<wire::Piece>(&may)) return std::move(*answer);
    auto& order = std::get<peers::FileOrder>(may);
    if (!handler_.is_server(order.host))
      return peers::no_piece("its submission host " + order.host + " has no RES", false);
    question.host = order.host;
    question.file = FileOnHost{order.user,   order.uid,      order.path,   order.name,
                               order.append, order.transfer, piece.asked()};
    question.file->asked.set_mode(order.mode);
    return "file of " + sched::text(key);
  }
  question.asked = piece.asked();
  const auto key = forwards_.job_of(cluster, piece.attempt());
  auto may = peers::piece_order(key ? jobs_.find(*key) : nullptr, cluster, piece);
  if (auto* const answer = std::get_if<wire::Piece>(&may)) return std::move(*answer);
  const auto& order = std::get<peers::PieceOrder>(may);
  question.host = order.host;
  question.attempt = order.attempt;
  return sched::text(order.attempt.job);
}

void PieceRelay::add(Question question, const std::string& asker) {
  const std::uint64_t number = ++last_number_;
  auto& queue = queues_[question.place];
  questions_[number] = std::move(question);
  if (!queue.add(number, asker, handler_.now()))
    answer(number, peers::no_piece("too many questions for files of jobs wait already", true));
  step();
}

// Begins what may begin, gives up what is late, and sets the timer for the next time.
void PieceRelay::step() {
  end_terminals();
  std::optional<TimePoint> next = terminal_clients_.next();
  for (auto& [place, queue] : queues_) {
    refuse(queue.late(handler_.now()), "no answer came in time");
    for (auto numbers = queue.begin(handler_.now()); !numbers.empty(); numbers = queue.begin(handler_.now()))
      for (const std::uint64_t number : numbers) begin(number, queue);
    if (const auto at = queue.next()) next = next ? std::min(*next, *at) : *at;
  }
  if (!next) return void(timer_.cancel());
  timer_.expires_after(std::max(Duration{0}, *next - handler_.now()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) step();
  });
}

void PieceRelay::begin(std::uint64_t number, peers::PieceQueue& queue) {
  const auto found = questions_.find(number);
  if (found == questions_.end())
    return void(queue.over(number, 0, handler_.now()));  // its host has gone meanwhile
  Question& question = found->second;
  const std::string& cluster = question.place.cluster;
  if (!question.place.asks) {
    if (!(question.file ? handler_.file(question.host, number, *question.file)
                        : handler_.read(question.host, question.attempt, number, question.asked)))
      answer(number, peers::no_piece("RES of " + question.host + " is not connected", true));
    return;
  }
  wire::PeerMessage message;
  *message.mutable_piece() = std::move(question.piece);
  message.mutable_piece()->set_number(number);
  if (!handler_.say(cluster, std::move(message)))
    answer(number, peers::no_piece("cluster " + cluster + " is not connected", true));
}

void PieceRelay::answer(std::uint64_t number, wire::Piece piece) {
  const auto found = questions_.extract(number);
  if (found.empty()) return;
  const Question& question = found.mapped();
  if (const auto queue = queues_.find(question.place); queue != queues_.end())
    queue->second.over(number, piece.data().size(), handler_.now());
  if (question.terminal &&
      (!piece.why_not().empty() || (piece.told_size() != 0 && peers::ends_stream(*piece.told().rbegin()))))
    terminal_clients_.end_answered(*question.terminal);
  if (question.place.asks) return handler_.reply(question.link, reply_of(std::move(piece)));
  wire::PeerMessage message;
  message.mutable_piece_read()->set_number(question.number);
  *message.mutable_piece_read()->mutable_piece() = std::move(piece);
  handler_.say(question.place.cluster, std::move(message));
}

void PieceRelay::refuse(const std::vector<std::uint64_t>& numbers, const std::string& why) {
  for (const std::uint64_t number : numbers) {
    const auto found = questions_.find(number);
    if (found == questions_.end()) continue;
    const Question& question = found->second;
    const std::string whose = question.place.asks ? "cluster " + question.place.cluster : question.host;
    answer(number, peers::no_piece(whose + ": " + why, true));
  }
}

void PieceRelay::read(const std::string& host, std::uint64_t number, const wire::Piece& piece) {
  const auto found = questions_.find(number);
  if (found == questions_.end() || found->second.place.asks || found->second.host != host) return;
  answer(number, peers::believed(piece));
  step();
}

void PieceRelay::lost(const std::string& cluster) {
  const auto asked = queues_.find(Place{cluster, true});
  if (asked != queues_.end()) refuse(asked->second.clear(), "the connection ended");
  std::vector<std::uint64_t> of_terminals;
  for (const auto& [number, question] : questions_)
    if (question.terminal && question.place.cluster == cluster) of_terminals.push_back(number);
  refuse(of_terminals, "the connection ended");
  terminal_clients_.cluster_lost(cluster);
  terminals_.lost(cluster);
  // Whoever asked from there asks again when it is back.
  const auto answering = queues_.find(Place{cluster, false});
  if (answering != queues_.end())
    for (const std::uint64_t number : answering->second.clear()) questions_.erase(number);
  step();
}

void PieceRelay::gone(const std::string& host) {
  std::vector<std::uint64_t> there;
  for (const auto& [number, question] : questions_)
    if (!question.place.asks && question.host == host) there.push_back(number);
  if (there.empty()) return;
  refuse(there, "its RES is gone");
  step();
}

}  // namespace rollcall::mbatchd
