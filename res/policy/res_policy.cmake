# What RES and its shepherds decide.
rollcall_library(res_policy
  SOURCES accounts.cpp cgroup_numbers.cpp client_requests.cpp job_commands.cpp job_environment.cpp job_files.cpp job_life.cpp job_life_limits.cpp
          job_life_rules.cpp job_life_signals.cpp job_report.cpp job_usage.cpp mpi_environment.cpp process_plan.cpp relay.cpp relay_name.cpp file_transfers.cpp
          stream_requests.cpp
  LINK rollcall_base rollcall_conf rollcall_wire)
