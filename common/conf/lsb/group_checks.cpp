#include "common/conf/lsb/group_checks.hpp"

#include <algorithm>
#include <map>

#include "common/base/host_list.hpp"

namespace rollcall::conf {
namespace {

// Groups are followed in the order of the file, as PlacementRules does it, so a loop ends at the same member there.
template <class Group>
class GroupCheck {
 public:
  // `taken`: what counts where a loop ends.
  GroupCheck(const std::vector<Group>& groups, const char* taken, Problems& problems)
      : taken_(taken), problems_(problems) {
    for (const Group& group : groups) states_.emplace(group.name, State{&group, Walk::not_yet});
  }

  void check(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
      if (group.members.empty() && !has_error(group.place))
        problems_.warning(group.place, "GROUP_MEMBER of " + group.name +
                                           ": found no member, expected one or more; the group is empty");
      follow(states_.at(group.name));
    }
  }

 private:
  enum class Walk { not_yet, open, done };
  struct State {
    const Group* group = nullptr;
    Walk walk = Walk::not_yet;
  };

  // Members that are invalid have errors of their own.
  bool has_error(const Place& place) const {
    const auto& all = problems_.all();
    return std::any_of(all.begin(), all.end(), [&](const Problem& problem) {
      return problem.kind != Problem::Kind::warning && problem.place.text() == place.text();
    });
  }

  void follow(State& state) {
    if (state.walk != Walk::not_yet) return;
    state.walk = Walk::open;
    for (const std::string& word : state.group->members) {
      const auto inner = states_.find(word.starts_with('~') ? word.substr(1) : word);
      if (inner == states_.end()) continue;
      if (inner->second.walk == Walk::open)
        problems_.warning(state.group->place, "GROUP_MEMBER of " + state.group->name + ": found " +
                                                  printable(word) + ", which leads back to " +
                                                  state.group->name + ", expected groups without a loop; " +
                                                  taken_);
      follow(inner->second);
    }
    state.walk = Walk::done;
  }

  std::map<std::string, State> states_;
  const char* taken_;
  Problems& problems_;
};

}  // namespace

void check_groups(const std::vector<HostGroup>& groups, Problems& problems) {
  GroupCheck<HostGroup>(groups, "this member is passed over", problems).check(groups);
}

void check_groups(const std::vector<UserGroup>& groups, Problems& problems) {
  GroupCheck<UserGroup>(groups, "the groups of the loop have the same members", problems).check(groups);
}

}  // namespace rollcall::conf
