# What clients, hosts and users say to the batch system's daemons and commands.
set(here ${CMAKE_CURRENT_LIST_DIR})
rollcall_fuzz(fuzz_bjobs_fields SOURCE ${here}/fuzz_bjobs_fields.cpp CORPUS ${here}/corpus/fuzz_bjobs_fields LINK sched_show)
rollcall_fuzz(fuzz_book_messages SOURCE ${here}/fuzz_book_messages.cpp CORPUS ${here}/corpus/fuzz_book_messages LINK mbatchd_res_words)
rollcall_fuzz(fuzz_res_messages SOURCE ${here}/fuzz_res_messages.cpp CORPUS ${here}/corpus/fuzz_res_messages LINK res_policy)
rollcall_fuzz(fuzz_launch_options SOURCE ${here}/fuzz_launch_options.cpp CORPUS ${here}/corpus/fuzz_launch_options LINK launch_policy)
