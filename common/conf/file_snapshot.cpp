// The packed form of a set:
//
//   set = "rollcall files 1" newline ENV_DIR { NAME TEXT } { PATH TEXT } "end" newline    each NAME and PATH once
//   ENV_DIR, NAME, PATH, TEXT = length ":" bytes newline                                  length: of the bytes, in decimal
#include "common/conf/file_snapshot.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"

namespace rollcall::conf {
namespace {

constexpr std::string_view kPackedHead = "rollcall files 1\n";
constexpr std::string_view kPackedEnd = "end\n";
constexpr int kMostPackedText = 64 << 20;  // bytes: what is read of a file at most

void pack(std::string_view text, std::string& bytes) {
  bytes += std::to_string(text.size()) + ":";
  bytes.append(text).append("\n");
}

// Takes one length-prefixed text from the front of `bytes`.
std::optional<std::string> unpack(std::string_view& bytes) {
  const std::size_t colon = bytes.substr(0, 12).find(':');
  const auto size = colon == std::string_view::npos ? std::nullopt
                                                    : parse_whole(bytes.substr(0, colon), 0, kMostPackedText);
  if (!size) return std::nullopt;
  bytes.remove_prefix(colon + 1);
  const auto length = static_cast<std::size_t>(*size);
  if (bytes.size() <= length || bytes[length] != '\n') return std::nullopt;
  std::string text(bytes.substr(0, length));
  bytes.remove_prefix(length + 1);
  return text;
}

}  // namespace

FileSources FileSnapshot::sources() {
  FileSources through = sources_;
  through.read = [this](const std::string& path) -> Result<std::string> {
    const auto kept = texts_.find(path);
    if (kept != texts_.end()) return kept->second;
    return texts_.emplace(path, sources_.read(path)).first->second;
  };
  through.decided = [this](const TimeCondition& condition, bool holds) {
    decided_.emplace_back(condition, holds);
  };
  return through;
}

std::string FileSnapshot::packed(const std::map<std::string, std::string>& beside) const {
  std::string bytes(kPackedHead);
  pack(sources_.env_dir, bytes);
  for (const auto& [name, text] : beside) {
    pack(name, bytes);
    pack(text, bytes);
  }
  for (const auto& [path, text] : texts_) {
    if (!text) continue;
    pack(path, bytes);
    pack(*text, bytes);
  }
  return bytes.append(kPackedEnd);
}

void FileSnapshot::complete() {
  if (decided_.empty()) texts_.clear();
}

bool FileSnapshot::outdated() const {
  return std::any_of(decided_.begin(), decided_.end(), [this](const auto& decision) {
    return decision.first.holds(sources_.time) != decision.second;
  });
}

std::shared_ptr<FileSnapshot> FileSnapshot::again() const {
  auto next = std::make_shared<FileSnapshot>(sources_);
  next->texts_ = texts_;
  return next;
}

std::optional<FileSources> unpacked(std::string_view bytes, TimeIn time) {
  if (!bytes.starts_with(kPackedHead)) return std::nullopt;
  bytes.remove_prefix(kPackedHead.size());
  const auto env_dir = unpack(bytes);
  if (!env_dir) return std::nullopt;
  auto texts = std::make_shared<std::map<std::string, std::string>>();
  while (bytes != kPackedEnd) {
    auto path = unpack(bytes);
    auto text = path ? unpack(bytes) : std::nullopt;
    if (!text || !texts->emplace(std::move(*path), std::move(*text)).second) return std::nullopt;
  }
  FileSources sources;
  sources.read = [texts](const std::string& path) -> Result<std::string> {
    const auto kept = texts->find(path);
    if (kept == texts->end()) return configuration_error(path + ": was not there when the files were kept");
    return kept->second;
  };
  sources.time = std::move(time);
  sources.env_dir = *env_dir;
  return sources;
}

}  // namespace rollcall::conf
