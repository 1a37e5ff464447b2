# RES's messages as the Book's words. Pure; the fuzz target of hosts' messages has it too.
rollcall_library(mbatchd_res_words SOURCES res_words.cpp LINK sched_book rollcall_wire)

# mbatchd: the shell round the Book and the scheduling cycle. The archive is what its tests link as well.
rollcall_library(mbatchd_shell
  SOURCES clients.cpp configuration.cpp controls.cpp daemon.cpp daemon_status.cpp event_files.cpp files_in_force.cpp forgetting.cpp history.cpp in_force.cpp kept_configuration.cpp
          load_watch.cpp memory_watch.cpp planning.cpp questions.cpp requests.cpp res_engine.cpp res_links.cpp saving.cpp ticket_office.cpp turn.cpp user_groups.cpp waiters.cpp waiting_orders.cpp
  LINK mbatchd_res_words sched_answers sched_file_checks sched_keeper sched_schedule sched_book sched_events sched_tickets rollcall_job_store rollcall_commands rollcall_config
       rollcall_daemon_start rollcall_durable_file rollcall_host_claims rollcall_links rollcall_memory_reserve rollcall_local_time rollcall_munge_asker rollcall_process rollcall_root_trust rollcall_wire
       Threads::Threads)
target_compile_definitions(mbatchd_shell PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")

add_executable(mbatchd main.cpp)
target_compile_definitions(mbatchd PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(mbatchd PRIVATE mbatchd_shell)
install(TARGETS mbatchd DESTINATION etc)
