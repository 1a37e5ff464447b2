rollcall_test(lim_test LABEL unit
  SOURCES lim_search_test.cpp lim_master_test.cpp lim_own_test.cpp lim_values_test.cpp LINK lim_policy)
rollcall_property_test(lim_property_test LABEL unit SOURCES lim_property_test.cpp LINK lim_policy)
