// HostList: the hosts of a job with their slots, in the order of the allocation. A value.
//
// It is not a resolver: names are compared byte for byte. Three spellings are read: LSB_HOSTS, LSB_MCPU_HOSTS
// and the file LSB_DJOB_HOSTFILE names (the caller reads it). LSF gives the two variables in different
// orders, so a list keeps the order of the text it came from and nothing may compare two lists by position.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall {

struct HostSlots {
  std::string name;
  int slots = 0;
  friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

class HostList {
 public:
  HostList() = default;

  // "grid01 grid01 grid05": one word per slot. No words: an empty list.
  static Result<HostList> from_lsb_hosts(std::string_view text);
  // "grid03 1 grid05 1": name and count in turn; counts from 1.
  static Result<HostList> from_lsb_mcpu_hosts(std::string_view text);
  // One name per line and slot; blank lines and lines that begin with '#' say nothing.
  // `file_name` is for the error line only.
  static Result<HostList> from_hostfile(std::string_view content, std::string_view file_name);

  // Distinct hosts in the order of their first appearance, the slots of repeated ones summed.
  const std::vector<HostSlots>& hosts() const { return hosts_; }
  std::size_t distinct() const { return hosts_.size(); }
  bool empty() const { return hosts_.empty(); }
  // The sum of all slots.
  int slots() const { return slots_; }

  // As LSB_HOSTS and LSB_MCPU_HOSTS spell it.
  std::string lsb_hosts_text() const;
  std::string lsb_mcpu_hosts_text() const;

  // One more host, or more slots of a known one. The name must be a host_name().
  void add(const std::string& name, int slots);

  friend bool operator==(const HostList&, const HostList&) = default;

 private:
  class Builder;
  std::vector<HostSlots> hosts_;
  int slots_ = 0;
};

// A name LSF and every resolver take: 1 to 255 of letters, digits, '-', '.', '_'.
bool host_name(std::string_view word);

// Bytes of foreign origin made fit for one line of a message or a log: in quotes, what does not print as \xNN, at most
// the first `most` bytes.
std::string printable(std::string_view bytes, std::size_t most = 60);

}  // namespace rollcall
