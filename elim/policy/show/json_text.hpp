// json_text: how every command of the load system prints a JSON document.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::elim::show {

// Two blanks for a level, keys in the order they were set, a newline at the end. Invalid UTF-8 in a site's names is replaced,
// never an error.
inline std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace rollcall::elim::show
