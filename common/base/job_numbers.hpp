// with_job_numbers: a name in which a job's numbers stand: %J its id, %I its index in an array (bsub -o, -i, -e, -cwd, -outdir).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rollcall {

// A job's id on the cluster that runs it, where LSB_JOBID is that of the cluster where it was submitted.
inline constexpr const char* kLocalJobId = "ROLLCALL_LOCAL_JOBID";

// name = ( "%J" | "%I" | any byte )*
std::string with_job_numbers(std::string_view name, std::int32_t id, std::int32_t index);

}  // namespace rollcall
