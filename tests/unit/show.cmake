rollcall_test(show_test LABEL unit SOURCES show_load_test.cpp show_hosts_test.cpp show_information_test.cpp show_admin_test.cpp load_history_test.cpp fit_picture_test.cpp LINK show_policy)
