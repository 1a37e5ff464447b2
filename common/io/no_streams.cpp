// Replaces the C++ library's initialisation of std::cout and its seven companions, which any header with <iostream> causes before
// main; protobuf's have it. The static programs use none of them (a test checks it) and start very often: it saves 12 page
// faults.
#include <ios>

std::ios_base::Init::Init() {}
std::ios_base::Init::~Init() {}
