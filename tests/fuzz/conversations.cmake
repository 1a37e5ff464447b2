# Conversations of lim and melim, answers as b* commands read them, keys, and parts of large requests.
set(here ${CMAKE_CURRENT_LIST_DIR})
rollcall_fuzz(fuzz_request_parts SOURCE ${here}/fuzz_request_parts.cpp CORPUS ${here}/corpus/fuzz_request_parts LINK rollcall_base)
rollcall_fuzz(fuzz_melim_link SOURCE ${here}/fuzz_melim_link.cpp CORPUS ${here}/corpus/fuzz_melim_link LINK melim_shell lim_policy)
rollcall_fuzz(fuzz_key_files SOURCE ${here}/fuzz_key_files.cpp CORPUS ${here}/corpus/fuzz_key_files LINK rollcall_base)
rollcall_fuzz(fuzz_batch_answers SOURCE ${here}/fuzz_batch_answers.cpp CORPUS ${here}/corpus/fuzz_batch_answers LINK sched_show)
rollcall_fuzz(fuzz_http_request SOURCE ${here}/fuzz_http_request.cpp CORPUS ${here}/corpus/fuzz_http_request LINK lim_shell)
