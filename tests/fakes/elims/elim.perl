#!/usr/bin/perl
# As real ones do it: no autoflush, so several strings come at once, and late.
use strict;
use warnings;
for my $count (1 .. 2000) { print "2 perl $count perl_word w$count\n"; }
close STDOUT;
sleep 1000;
