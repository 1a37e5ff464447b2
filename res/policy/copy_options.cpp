// lsrcp = { "-a" } [ "--" ] end end
// end   = [ [ USER "@" ] HOST ":" ] PATH       a PATH with a "/" before its first ":" has no host
//       | "@:" ( "input" | "output" | "errors" | "f" NUMBER )      a file of the submission, in the cluster where it was made
// mark  = INODE SIZE MTIME CTIME MODE KIND     MODE octal; KIND: words of stat(1), "regular file"
#include "res/policy/copy_options.hpp"

#include <algorithm>
#include <charconv>

namespace rollcall::res {
namespace {

// lsrcp copies as the user who runs it, so USER before the host is an error.
Result<CopyEnd> parse_end(const std::string& word) {
  const std::size_t colon = word.find(':');
  CopyEnd end;
  if (colon == word.npos || word.find('/') < colon) {
    end.path = word;
  } else {
    end.host = word.substr(0, colon);
    end.path = word.substr(colon + 1);
    if (end.host != kSubmissionCluster && end.host.find('@') != word.npos)
      return usage_error("found \"" + word + "\", expected HOST:PATH: a file is copied as the user who asks");
    if (end.host.empty()) return usage_error("found \"" + word + "\", expected a host before the colon");
  }
  if (end.path.empty()) return usage_error("found \"" + word + "\", expected a file");
  return end;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

Result<LsrcpOptions> parse_lsrcp(const std::vector<std::string>& words) {
  LsrcpOptions options;
  std::size_t i = 0;
  for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
    if (words[i] == "--") {
      ++i;
      break;
    }
    if (words[i] == "-a")
      options.append = true;
    else if (words[i] == "-h")
      options.help = true;
    else if (words[i] == "-V")
      options.version = true;
    else
      return usage_error(words[i] + ": unknown option; -h lists the options");
  }
  if (options.help || options.version) return options;
  if (words.size() - i != 2)
    return usage_error("found " + std::to_string(words.size() - i) + " files, expected SOURCE and TARGET");
  auto from = parse_end(words[i]);
  if (!from) return from.error();
  auto to = parse_end(words[i + 1]);
  if (!to) return to.error();
  if (!from->host.empty() && !to->host.empty() && from->host != to->host)
    return usage_error("found two other hosts, expected one of the files here: run lsrcp on " + from->host);
  options.from = std::move(*from);
  options.to = std::move(*to);
  return options;
}

std::vector<std::string> mark_words(const std::string& path) {
  return {"/usr/bin/stat", "-L", "-c", "%i %s %.9Y %.9Z %a %F", "--", path};
}

std::optional<FileMark> read_mark(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  FileMark mark;
  for (int i = 0; i < 4; ++i) {
    const std::string_view word = take_word(text);
    if (word.empty() || word.find_first_not_of("0123456789.") != word.npos) return std::nullopt;
    mark.identity.append(i == 0 ? "" : " ").append(word);
  }
  const std::string_view mode = take_word(text);
  const auto [end, error] = std::from_chars(mode.data(), mode.data() + mode.size(), mark.mode, 8);
  if (error != std::errc() || end != mode.data() + mode.size()) return std::nullopt;
  mark.mode &= 0777;
  mark.regular = text == " regular file" || text == " regular empty file";
  return mark;
}

std::optional<SubmittedFile> submitted_file(std::string_view name) {
  if (name == "input") return SubmittedFile{wire::PieceAsked::INPUT, 0};
  if (name == "output") return SubmittedFile{wire::PieceAsked::STDOUT, 0};
  if (name == "errors") return SubmittedFile{wire::PieceAsked::STDERR, 0};
  if (name.size() < 2 || name.front() != 'f') return std::nullopt;
  SubmittedFile file{wire::PieceAsked::TRANSFER, 0};
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), file.transfer);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return file;
}

std::vector<std::string> read_words(const std::string& path) { return {"/bin/cat", "--", path}; }

std::vector<std::string> write_words(const std::string& path, bool append, unsigned mode) {
  const std::string into = append ? ">>" : ">";
  char octal[8] = {};
  std::to_chars(octal, octal + sizeof octal - 1, mode & 0777, 8);
  return {"/bin/sh",
          "-c",
          "if [ -e \"$1\" ]; then cat " + into + "\"$1\"; else cat >\"$1\" && chmod \"$2\" \"$1\"; fi",
          "sh",
          path,
          octal};
}

}  // namespace rollcall::res
