// Options: what TaskStarter's command line and LSF_TS_OPTIONS say. A value and its parser; it starts nothing.
//
//   TaskStarter [-p host:port] [-c confdir] [-s serverdir] [-a type] [-k keyfile] [-r relay] [--] command [argument ...]
//   TaskStarter callback command [argument ...]
//   TaskStarter -h | -V
//
//   LSF_TS_OPTIONS = word *(blank word)            the same options, no command
//   callback       = the same options as one word, in both places: common/base/callback_word.hpp
//   host:port      = address *("," address) ":" port
//   address        = a host name, an IPv4 address, or an IPv6 address with or without [ ]
//
// The parsing stops at the first word that is no option: the job's words are never looked at. Without -p the
// options of LSF_TS_OPTIONS are taken; where both give one, the command line's counts. (The words of a job
// that ran under LSF 7: -p host:port -c LSF_ENVDIR -s LSF_SERVERDIR -a HOSTTYPE.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::taskstarter {

struct Options {
  enum class Wanted { run, help, version };
  Wanted wanted = Wanted::run;
  std::vector<std::string> pam_addresses;  // in the order given; at least one where wanted == run
  std::uint16_t pam_port = 0;
  std::string conf_dir;        // LSF_ENVDIR
  std::string server_dir;      // LSF_SERVERDIR
  std::string host_type;       // HOSTTYPE
  std::string key_file;        // where pam found its key, "": not said
  std::string relay;           // the name that pam drew for its relay on each host, "": there is none
  std::size_t command_at = 0;  // which of the given words is the command's first
};

// `words` are those after the program's name. Every error is of kind usage.
Result<Options> parse_options(std::span<const std::string_view> words,
                              std::optional<std::string_view> lsf_ts_options);

// The lines of -h.
std::string_view usage_text();

}  // namespace rollcall::taskstarter
