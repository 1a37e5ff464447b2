# Requests to the batch system's daemons.
rollcall_library(rollcall_batch_clients SOURCES batch_client.cpp res_client.cpp LINK rollcall_commands)
