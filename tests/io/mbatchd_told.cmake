# What mbatchd tells RES beside starts and ends.
rollcall_mbatchd_test(mbatchd_told_test TIMEOUT 120)
# How jobs start: orders, go-aheads, hosts that freeze.
rollcall_mbatchd_test(mbatchd_start_test TIMEOUT 120)
