# shellcheck shell=sh disable=SC2034
# pjlgeometry.sh: LSB_PJL_TASK_GEOMETRY, which task goes with which on a host. Part of pjllib.sh.
#
#   geometry = "{" group { group } "}"   one group for each host, in the order of the host list
#   group    = "(" id { "," id } ")"     ids 0 to n-1, each once, in any order
# Blanks beside the marks and backslashes before them are ignored: scripts write \{\(0,1\)\}.

# pjl_geometry: LSB_PJL_TASK_GEOMETRY, laid on PJL_HOSTS. PJL_SLOTS and PJL_HOSTS become those of its groups,
# PJL_RANKS the host of each task by its id. Without the variable nothing changes and PJL_RANKS is empty.
pjl_geometry() {
  PJL_RANKS=
  [ -n "${LSB_PJL_TASK_GEOMETRY:-}" ] || return 0
  PJL_PLACE=$(awk -v hosts="$PJL_HOSTS" '
    function fail(text) { print "?" text; exit }
    BEGIN {
      g = ENVIRON["LSB_PJL_TASK_GEOMETRY"]; gsub(/\\/, "", g); b = "[ \t\n]*"
      gsub(b "[(]" b, "(", g); gsub(b "[)]" b, ")", g); gsub(b "," b, ",", g)
      gsub(b "[{]" b, "{", g); gsub(b "[}]" b, "}", g)
      if (g !~ /^[{]([(][0-9]+(,[0-9]+)*[)])+[}]$/) fail("expected {(id,id,...)(id,...)...}")
      n = split(substr(g, 3, length(g) - 4), group, "[)][(]")
      have = split(hosts, host, " ")
      if (n > have && n > 1) fail("expected at most " (have ? have : 1) " groups, one for each host")
      for (i = 1; i <= n; i++) {
        sub(/:.*/, "", host[i]); k = split(group[i], id, ","); total += k
        if (have) list = list " " host[i] ":" k
        for (j = 1; j <= k; j++) {
          if ((id[j] + 0) in place) fail("expected each task once, " id[j] " is there twice")
          place[id[j] + 0] = host[i]
        }
      }
      for (t = 0; t < total; t++) {
        if (!(t in place)) fail("expected the tasks 0 to " total - 1 ", " t " is not there")
        ranks = ranks " " place[t]
      }
      print total list "|" (have ? substr(ranks, 2) : "")
    }')
  case $PJL_PLACE in \?*) pjl_fail 1 "LSB_PJL_TASK_GEOMETRY: found $LSB_PJL_TASK_GEOMETRY, ${PJL_PLACE#\?}" ;; esac
  PJL_RANKS=${PJL_PLACE#*|} PJL_PLACE=${PJL_PLACE%|*}
  PJL_SLOTS=${PJL_PLACE%% *} PJL_HOSTS=${PJL_PLACE#"$PJL_SLOTS"} PJL_HOSTS=${PJL_HOSTS# }
}
