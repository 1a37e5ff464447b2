// Identities: what this host knows of a user, kept for a while: for each job the user database would be asked otherwise.
//
// A job's user is asked for by name: numbers may differ between hosts. A client is asked for by its number here.
// The database (files, LDAP) is asked outside of the loop, since it may hang. What it said a minute ago is asked for again;
// where it does not answer, what it said last is still believed. One loop, one thread.
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

  // At once where the user is known, else later, in the loop; in the order of the calls for one user.
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
