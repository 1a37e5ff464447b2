# The agent of a host: the shell round its jobs' directories. The archive is what its tests link as well.
rollcall_library(res_shell
  SOURCES clients.cpp configuration.cpp daemon.cpp identities.cpp job_directories.cpp job_forget.cpp job_guards.cpp job_starts.cpp job_tasks.cpp jobs.cpp orphans.cpp removal_steps.cpp removals.cpp job_kills.cpp
  LINK res_policy rollcall_config rollcall_conf rollcall_durable_file rollcall_frame_socket rollcall_links
       rollcall_munge_asker rollcall_process rollcall_root_trust rollcall_running_mark rollcall_side_thread rollcall_wire Threads::Threads)
target_compile_definitions(res_shell PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}" ROLLCALL_LSF_VERSION="10.1")

add_executable(res main.cpp)
target_compile_definitions(res PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(res PRIVATE res_shell rollcall_daemon_start rollcall_memory_reserve)
add_dependencies(res shepherd)
install(TARGETS res DESTINATION etc)
