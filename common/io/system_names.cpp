#include "common/io/system_names.hpp"

#include "common/io/name_lookup.hpp"

namespace rollcall::io {

conf::SystemNames system_names() {
  return {no_such_user, no_such_group, [](const std::string& name) {
            const auto addresses = look_up_host(name);
            return addresses && addresses->empty();
          }};
}

}  // namespace rollcall::io
