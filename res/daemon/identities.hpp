// Identities: a cache of this host's user database, which every job would ask otherwise.
//
// A job's user is looked up by name, since numbers may differ between hosts; a client by its number here. The database (files,
// LDAP) is asked in a thread, since it may hang. An entry is asked for again after a minute; if the database does not answer, the
// last answer stays valid. One loop, one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::res {

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string name, home, shell, group;
};

// A number or a name of this host.
using Account = std::variant<uid_t, std::string>;

// Asks the database of this host, and waits for it.
Result<Identity> look_up_identity(const Account& account);

class Identities {
 public:
  using Found = std::function<void(const Result<Identity>&)>;
  using LookUp = std::function<Result<Identity>(const Account&)>;  // runs in the thread

  static constexpr std::size_t kMostWaiting = 4096;  // users, each asked about once
  static constexpr std::chrono::seconds kPatience{10};

  explicit Identities(boost::asio::io_context& loop);
  Identities(boost::asio::io_context& loop, io::SideThread::Limits limits, LookUp look_up);  // for tests

  // Calls back at once if the user is known, else later, in the loop; for one user in the order of the calls.
  void find(const Account& account, Found found);

 private:
  struct Kept {
    Identity identity;
    std::chrono::steady_clock::time_point until;
  };
  void ask(const Account& account);
  void tell(const Account& account, Result<Identity> found);

  LookUp look_up_;
  std::map<Account, Kept> kept_;
  std::map<Account, std::vector<Found>> waiting_;
  io::SideThread thread_;
};

}  // namespace rollcall::res
