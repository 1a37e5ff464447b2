# Conversations of lim, melim, RES and the b* commands, as far as no file beside this one has them.
set(here ${CMAKE_CURRENT_LIST_DIR})
rollcall_fuzz(fuzz_stream_messages SOURCE ${here}/fuzz_stream_messages.cpp CORPUS ${here}/corpus/fuzz_stream_messages
  LINK res_policy rollcall_stream_client)
rollcall_fuzz(fuzz_res_requests SOURCE ${here}/fuzz_res_requests.cpp CORPUS ${here}/corpus/fuzz_res_requests LINK shepherd_shell)
rollcall_fuzz(fuzz_res_answers SOURCE ${here}/fuzz_res_answers.cpp CORPUS ${here}/corpus/fuzz_res_answers LINK rollcall_batch_clients)
rollcall_fuzz(fuzz_request_parts SOURCE ${here}/fuzz_request_parts.cpp CORPUS ${here}/corpus/fuzz_request_parts LINK rollcall_base)
rollcall_fuzz(fuzz_melim_link SOURCE ${here}/fuzz_melim_link.cpp CORPUS ${here}/corpus/fuzz_melim_link LINK melim_shell lim_policy)
rollcall_fuzz(fuzz_key_files SOURCE ${here}/fuzz_key_files.cpp CORPUS ${here}/corpus/fuzz_key_files LINK rollcall_base)
rollcall_fuzz(fuzz_http_request SOURCE ${here}/fuzz_http_request.cpp CORPUS ${here}/corpus/fuzz_http_request LINK lim_shell)
rollcall_fuzz(fuzz_batch_answers SOURCE ${here}/fuzz_batch_answers.cpp CORPUS ${here}/corpus/fuzz_batch_answers LINK sched_show)
