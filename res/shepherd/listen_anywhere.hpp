// A listening socket on a port that the kernel chooses, on every address of the host: where a stream awaits its client.
#pragma once

#include <cstdint>

#include "common/io/descriptor.hpp"

namespace rollcall::res {

// Gives the socket and its port; a socket that is not open: errno says why.
io::Descriptor listen_anywhere(std::uint16_t& port);

}  // namespace rollcall::res
