#include "taskstarter/policy/options.hpp"

#include <charconv>

#include "common/base/callback_word.hpp"

namespace rollcall::taskstarter {
namespace {

using Words = std::span<const std::string_view>;

// The words of the six options as they were given; nothing is checked yet.
struct Given {
  std::optional<std::string> pam, conf_dir, server_dir, host_type, key_file, relay;
};

std::optional<std::string>* slot_of(Given& given, char letter) {
  switch (letter) {
    case 'p':
      return &given.pam;
    case 'c':
      return &given.conf_dir;
    case 's':
      return &given.server_dir;
    case 'a':
      return &given.host_type;
    case 'k':
      return &given.key_file;
    case 'r':
      return &given.relay;
    default:
      return nullptr;
  }
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

// pam has put its words before one that is still the launcher's.
constexpr const char* kMiscounted = " (is it the launcher's? then pam's -g counts too few of its words)";

Result<Given> read_callback(std::string_view word, std::string_view where) {
  const auto pairs = split_callback(word);
  if (!pairs)
    return usage_error(std::string(where) + "found the callback " + quoted(word) +
                       ", expected one as pam makes it");
  Given given;
  for (const auto& [letter, value] : *pairs)
    if (auto* slot = slot_of(given, letter)) *slot = value;  // a newer pam may say more
  return given;
}

// Reads options from words[at] on; leaves `at` at the first word that is no option.
Result<Given> read_options(Words words, std::size_t& at, std::string_view where) {
  if (at < words.size() && is_callback_word(words[at])) return read_callback(words[at++], where);
  Given given;
  while (at < words.size() && words[at].starts_with('-')) {
    const std::string_view word = words[at++];
    if (word == "--") break;
    auto* slot = word.size() == 2 ? slot_of(given, word[1]) : nullptr;
    if (slot == nullptr)
      return usage_error(std::string(where) + "unknown option " + quoted(word) +
                         ", expected -p, -c, -s, -a, -k, -r, -h or -V" + (given.pam ? kMiscounted : ""));
    if (at == words.size()) return usage_error(std::string(where) + "nothing after " + quoted(word));
    *slot = words[at++];
  }
  return given;
}

std::vector<std::string_view> split_at_blanks(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\n";
  for (std::size_t at = text.find_first_not_of(kBlanks); at != text.npos;) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

Result<Given> read_environment(std::string_view text) {
  const auto words = split_at_blanks(text);
  std::size_t at = 0;
  auto given = read_options(words, at, "LSF_TS_OPTIONS: ");
  if (given && at < words.size())
    return usage_error("LSF_TS_OPTIONS: found the word " + quoted(words[at]) + ", expected options only");
  return given;
}

std::string_view without_brackets(std::string_view address) {
  if (address.size() > 2 && address.front() == '[' && address.back() == ']')
    return address.substr(1, address.size() - 2);
  return address;
}

bool odd_byte(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

Result<void> read_addresses(std::string_view list, Options& options) {
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view address = without_brackets(list.substr(0, comma));
    if (address.empty()) return usage_error("-p: an empty host name in " + quoted(list));
    for (const char c : address)
      if (odd_byte(c)) return usage_error("-p: a blank or control character in the host name");
    options.pam_addresses.emplace_back(address);
    if (comma == list.npos) return {};
    list.remove_prefix(comma + 1);
  }
}

Result<void> read_pam(std::string_view value, Options& options) {
  const std::size_t colon = value.rfind(':');
  if (colon == value.npos) return usage_error("-p: found " + quoted(value) + ", expected host:port");
  const std::string_view port = value.substr(colon + 1);
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (failure != std::errc{} || end != port.data() + port.size() || number == 0 || number > 65535)
    return usage_error("-p: found the port " + quoted(port) + ", expected 1 to 65535");
  options.pam_port = static_cast<std::uint16_t>(number);
  return read_addresses(value.substr(0, colon), options);
}

void fill(std::optional<std::string>& empty, const std::optional<std::string>& other) {
  if (!empty) empty = other;
}

Result<Options> checked(const Given& given, std::size_t command_at, std::size_t words) {
  if (!given.pam)
    return usage_error(
        "neither -p nor the environment variable LSF_TS_OPTIONS says where pam is: "
        "TaskStarter is started by pam's launcher");
  Options options;
  if (auto read = read_pam(*given.pam, options); !read) return read.error();
  options.conf_dir = given.conf_dir.value_or("");
  options.server_dir = given.server_dir.value_or("");
  options.host_type = given.host_type.value_or("");
  options.key_file = given.key_file.value_or("");
  options.relay = given.relay.value_or("");
  options.command_at = command_at;
  if (command_at >= words) return usage_error("no command to start");
  return options;
}

}  // namespace

Result<Options> parse_options(Words words, std::optional<std::string_view> lsf_ts_options) {
  Options asked;
  if (!words.empty() && words[0] == "-h") asked.wanted = Options::Wanted::help;
  if (!words.empty() && words[0] == "-V") asked.wanted = Options::Wanted::version;
  if (asked.wanted != Options::Wanted::run) return asked;

  std::size_t at = 0;
  auto given = read_options(words, at, "");
  if (!given) return given.error();
  if (!given->pam && lsf_ts_options) {
    const auto environment = read_environment(*lsf_ts_options);
    if (!environment) return environment.error();
    fill(given->pam, environment->pam);
    fill(given->conf_dir, environment->conf_dir);
    fill(given->server_dir, environment->server_dir);
    fill(given->host_type, environment->host_type);
    fill(given->key_file, environment->key_file);
    fill(given->relay, environment->relay);
  }
  return checked(*given, at, words.size());
}

std::string_view usage_text() {
  return "usage: TaskStarter [-p host:port] [-c confdir] [-s serverdir] [-a type] [-k keyfile] [-r relay] "
         "command [argument ...]\n"
         "       TaskStarter callback command [argument ...]\n"
         "       TaskStarter -h | -V\n"
         "Starts one task of a parallel job and answers pam for it. Without -p the options are those of the\n"
         "environment variable LSF_TS_OPTIONS. See TaskStarter(8).\n";
}

}  // namespace rollcall::taskstarter
