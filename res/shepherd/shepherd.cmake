# The process that holds a job on a host. One for each job, so its start is what a job costs: wholly static like TaskStarter,
# at a fixed address, without asking the processor what it can do, and what is not used is left out. It looks nothing up: RES tells it all.
rollcall_library(shepherd_shell
  SOURCES become_user.cpp clocks.cpp guard.cpp guard_talk.cpp hooks.cpp job_files_here.cpp job_limits.cpp job_messages.cpp job_meter.cpp listen_anywhere.cpp mail.cpp notices.cpp pam_dial.cpp peek.cpp
          proc_reader.cpp process_plans.cpp remover.cpp res_talk.cpp shepherd.cpp stream.cpp task_relay.cpp tasks.cpp
  LINK res_policy rollcall_channel rollcall_durable_file rollcall_frame_socket rollcall_peer_holder rollcall_process rollcall_wire)

add_executable(shepherd main.cpp)
target_compile_definitions(shepherd PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(shepherd PRIVATE shepherd_shell)
rollcall_static_program(shepherd)
install(TARGETS shepherd DESTINATION etc)
