# The configuration files of this host, for conf::read_cluster_files().
rollcall_library(rollcall_config SOURCES config_source.cpp LINK rollcall_conf rollcall_process)
