// Takes the place of the C++ library's own, which makes std::cout and its seven companions before main wherever a header has
// included <iostream>, as protobuf's do. The static programs use none of them (a test looks), and are started again and
// again: 12 page faults less.
#include <ios>

std::ios_base::Init::Init() {}
std::ios_base::Init::~Init() {}
