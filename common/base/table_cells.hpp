// How one value looks in a table of the ls* and b* commands. Pure functions; which column it stands in is the tables' matter.
//
// Programs parse these cells (lsload, lshosts): "IBM Spectrum LSF 10.1" output is the model, offset for offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rollcall {

// A load index by its formal name: run queues and site indices "0.3", ut "4%", io ls it "17", tmp swp mem "853M" "7.3G";
// "-" where it is not known.
std::string load_cell(std::string_view index, float value);

// MB as lshosts shows sizes: "875M", from 1024 on "15.4G", "1.5T"; 0 is "-".
std::string size_cell(std::uint64_t megabytes);

// printf's "%*s" and "%-*s"; a text that is longer stays as it is.
std::string right(std::string_view text, std::size_t width);
std::string left(std::string_view text, std::size_t width);

}  // namespace rollcall
