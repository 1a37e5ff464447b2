#include "res/commands/submitted_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "common/base/job_numbers.hpp"
#include "common/io/random_bytes.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr std::chrono::seconds kFirstPause{1}, kLastPause{15};

wire::PieceAsked about(const SubmittedFile& file, wire::PieceAsked::Operation operation) {
  wire::PieceAsked asked;
  asked.set_operation(operation);
  asked.set_file(file.file);
  asked.set_transfer(file.transfer);
  return asked;
}

}  // namespace

Result<SubmittedFiles> SubmittedFiles::open(const conf::ClusterFiles& files) {
  const char* const text = std::getenv(kLocalJobId);
  const std::string_view word = text ? text : "";
  wire::JobKey key;
  std::int32_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || id < 1)
    return usage_error("\"@:\" is for jobs that another cluster has sent here");
  key.set_id(id);
  auto mbatchd = io::BatchClient::of(files, {}, io::BatchClient::kNoLimit);
  if (!mbatchd) return mbatchd.error();
  return SubmittedFiles(std::move(*mbatchd), key);
}

wire::Piece SubmittedFiles::ask(const wire::PieceAsked& asked) {
  for (auto pause = kFirstPause;; pause = std::min(pause * 2, kLastPause)) {
    wire::BatchRequest question;
    *question.mutable_piece()->mutable_key() = key_;
    *question.mutable_piece()->mutable_asked() = asked;
    auto answer = mbatchd_.ask(std::move(question));
    if (!answer.error) {
      if (!answer.reply.piece().later()) return std::move(*answer.reply.mutable_piece());
    } else if (answer.error->kind == io::BatchError::Kind::refused ||
               answer.error->kind == io::BatchError::Kind::ours) {
      wire::Piece piece;
      piece.set_why_not(answer.error->text);
      return piece;
    }
    std::this_thread::sleep_for(pause);
  }
}

SubmittedFiles::Marked SubmittedFiles::mark(const SubmittedFile& file) {
  const auto piece = ask(about(file, wire::PieceAsked::MARK));
  if (!piece.why_not().empty()) return {std::nullopt, piece.why_not()};
  if (piece.over()) return {std::nullopt, ""};
  auto mark = read_mark(piece.data());
  if (!mark) return {std::nullopt, "its host does not say what it is"};
  return {std::move(mark), ""};
}

std::string SubmittedFiles::read(const SubmittedFile& file,
                                 const std::function<bool(std::string_view)>& take) {
  auto asked = about(file, wire::PieceAsked::READ);
  for (;;) {
    const auto piece = ask(asked);
    if (!piece.why_not().empty()) return piece.why_not();
    if (piece.over()) return "there is no such file";
    if (piece.data().empty() || !take(piece.data())) return "";
    asked.set_from(asked.from() + static_cast<std::int64_t>(piece.data().size()));
  }
}

std::string SubmittedFiles::write(const SubmittedFile& file, int from, unsigned mode) {
  auto asked = about(file, wire::PieceAsked::WRITE);
  asked.set_mode(mode);
  std::uint64_t copy = 0;
  const std::string drawn = io::random_bytes(sizeof copy);
  std::memcpy(&copy, drawn.data(), std::min(drawn.size(), sizeof copy));
  asked.set_copy(copy);
  std::string bytes(kPiece, '\0');
  for (;;) {
    const ssize_t size = ::read(from, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return "cannot read it here: " + std::generic_category().message(errno);
    asked.set_data(bytes.substr(0, static_cast<std::size_t>(size)));
    asked.set_last(size == 0);
    const auto piece = ask(asked);
    if (!piece.why_not().empty()) return piece.why_not();
    if (size == 0) return "";
    asked.set_from(asked.from() + size);
  }
}

}  // namespace rollcall::res
