# MELIM's rules.
rollcall_test(melim_policy_test LABEL unit
  SOURCES melim_load_string_test.cpp melim_elim_life_test.cpp melim_elim_end_test.cpp melim_values_test.cpp
  LINK melim_policy)
rollcall_property_test(melim_property_test LABEL unit SOURCES melim_property_test.cpp LINK melim_policy)
