// Which mbatchd this test runs: mbatchd.cmake says it.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {

const char* mbatchd_program() { return ROLLCALL_MBATCHD; }

}  // namespace rollcall::mbatchd::test
