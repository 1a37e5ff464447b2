rollcall_test(zone_table_test LABEL unit SOURCES zone_table_test.cpp LINK rollcall_base)
