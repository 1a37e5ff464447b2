// The grammars (blanks are space, tab, newline):
//
//   LSB_HOSTS       = { NAME }                 one word per slot
//   LSB_MCPU_HOSTS  = { NAME COUNT }           COUNT from 1
//   hostfile        = { LINE }                 one NAME per line and slot; empty lines; '#' to the end of a
//   line NAME            = 1 to 255 of  a-z A-Z 0-9 - . _
#include "common/base/host_list.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

Error odd(std::string where, std::string_view found, const char* expected) {
  return configuration_error(where + ": found " + printable(found) + ", expected " + expected);
}

constexpr const char* kExpectedName = "a host name (letters, digits, '-', '.', '_', not '-' first)";
constexpr const char* kTooMany = "fewer slots in all";

}  // namespace

bool host_name(std::string_view word) {
  // A word that begins with '-' would be an option of the programs that users' scripts call with it.
  return !word.empty() && word.front() != '-' && word.size() <= kLongestName &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                  c == '.' || c == '_';
         });
}

std::string printable(std::string_view bytes, std::size_t most) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\')
      text += c;
    else
      text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
  return text + (bytes.size() > most ? "...\"" : "\"");
}

// A list under construction: add() of HostList searches, which is too slow for 100,000 words.
class HostList::Builder {
 public:
  // False where the slots are too many to be meant.
  bool add(std::string_view name, int slots) {
    const auto [at, fresh] = index_.try_emplace(name, hosts_.size());
    if (fresh) hosts_.push_back({std::string(name), 0});
    if (slots > kMaxTasks - total_) return false;
    total_ += slots;
    hosts_[at->second].slots += slots;
    return true;
  }
  HostList list() const {
    HostList result;
    result.hosts_ = hosts_;
    result.slots_ = total_;
    return result;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<HostSlots> hosts_;
  int total_ = 0;
};

Result<HostList> HostList::from_lsb_hosts(std::string_view text) {
  Builder builder;
  for (const std::string_view word : words_of(text)) {
    if (!host_name(word)) return odd("LSB_HOSTS", word, kExpectedName);
    if (!builder.add(word, 1)) return odd("LSB_HOSTS", word, kTooMany);
  }
  return builder.list();
}

Result<HostList> HostList::from_lsb_mcpu_hosts(std::string_view text) {
  Builder builder;
  const auto words = words_of(text);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (!host_name(words[i])) return odd("LSB_MCPU_HOSTS", words[i], kExpectedName);
    const std::string where = "LSB_MCPU_HOSTS: after " + printable(words[i]);
    if (i + 1 == words.size())
      return configuration_error(where + ": found the end, expected a number of slots");
    const auto slots = parse_whole(words[i + 1], 1, kMaxTasks);
    if (!slots) return odd(where, words[i + 1], "a number of slots from 1");
    if (!builder.add(words[i], *slots)) return odd(where, words[i + 1], kTooMany);
  }
  return builder.list();
}

Result<HostList> HostList::from_hostfile(std::string_view content, std::string_view file_name) {
  Builder builder;
  int number = 0;
  while (!content.empty()) {
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content = end == std::string_view::npos ? std::string_view{} : content.substr(end + 1);
    ++number;
    const auto words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    const std::string where = std::string(file_name) + ":" + std::to_string(number);
    if (words.size() > 1) return odd(where, words[1], "one host name per line");
    if (!host_name(words[0])) return odd(where, words[0], kExpectedName);
    if (!builder.add(words[0], 1)) return odd(where, words[0], kTooMany);
  }
  return builder.list();
}

void HostList::add(const std::string& name, int slots) {
  const auto known = std::find_if(hosts_.begin(), hosts_.end(), [&](auto& h) { return h.name == name; });
  slots_ += slots;
  if (known != hosts_.end())
    known->slots += slots;
  else
    hosts_.push_back({name, slots});
}

std::string HostList::lsb_hosts_text() const {
  std::string text;
  for (const HostSlots& host : hosts_)
    for (int i = 0; i < host.slots; ++i) text += (text.empty() ? "" : " ") + host.name;
  return text;
}

std::string HostList::lsb_mcpu_hosts_text() const {
  std::string text;
  for (const HostSlots& host : hosts_)
    text += (text.empty() ? "" : " ") + host.name + " " + std::to_string(host.slots);
  return text;
}

}  // namespace rollcall
