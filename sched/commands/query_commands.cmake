# The b* commands that ask, and those that give orders: one program (btools.cmake).
target_sources(btools PRIVATE asking.cpp query_commands.cpp bjobs.cpp job_printers.cpp bhosts.cpp bqueues.cpp bpeek.cpp bmod.cpp submit_context.cpp
  bwait.cpp job_orders.cpp bhist.cpp bacct.cpp event_file.cpp patient_printer.cpp information.cpp badmin.cpp badmin_hosts.cpp res_job_hosts.cpp)
target_link_libraries(btools PRIVATE sched_file_checks sched_show sched_answers_history sched_event_reader rollcall_process sched_ask sched_submit rollcall_resreq rollcall_local_time)

foreach(name bjobs bhosts bqueues bpeek bmod bkill bstop bresume brequeue brun bswitch btop bbot bwait bpost bread
             bhist bacct busers bparams bmgroup bugroup bapp blimits bslots badmin)
  add_custom_command(TARGET btools POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink btools ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} VERBATIM)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION bin)
endforeach()
