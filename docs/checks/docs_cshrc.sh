#!/bin/sh
# docs_cshrc.sh SAMPLE: cshrc.lsf in a tcsh: whatever was set before, and twice in the same shell, a user finds the programs and
# the manual, and has each directory once.
set -eu
sample=$1
command -v tcsh >/dev/null || {
  echo "skipped: tcsh is not installed (Debian package tcsh)"
  exit 77
}
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
bad=0
complain() { echo "$*" >&2; bad=1; }

for name in plain "a b" "q?*" "v[1]" "a{b,c}"; do
  prefix=$top/$name
  mkdir -p "$prefix/conf" "$prefix/bin"
  awk -v prefix="$prefix" '{ gsub(/@ROLLCALL_TOP@/, prefix); print }' "$sample" >"$prefix/conf/cshrc.lsf"
  printf '#!/bin/sh\necho found\n' >"$prefix/bin/some-program"
  chmod 755 "$prefix/bin/some-program"
  # run NAME=VALUE...: reads it twice, then shows what is set. The prefix comes by the environment: csh quotes otherwise.
  run() {
    # shellcheck disable=SC2016 # for csh to expand
    env -i PREFIX="$prefix" "$@" tcsh -fc 'source "$PREFIX/conf/cshrc.lsf"; source "$PREFIX/conf/cshrc.lsf"
      printenv LSF_ENVDIR; printenv LSF_BINDIR; printenv LSF_SERVERDIR; printenv LSF_LIBDIR; printenv PATH; printenv MANPATH
      some-program' 2>&1
  }
  dirs=$(printf '%s\n' "$prefix/conf" "$prefix/bin" "$prefix/etc" "$prefix/lib")
  expected=$(printf '%s\n' "$dirs" "$prefix/bin:/usr/bin:/bin" "$prefix/share/man:" found)
  got=$(run PATH=/usr/bin:/bin) || complain "$name: ended with $?"
  [ "$got" = "$expected" ] || complain "$name: found '$got', expected '$expected'"
  expected=$(printf '%s\n' "$dirs" "$prefix/bin:/usr/bin:/bin" "$prefix/share/man:/usr/share/man" found)
  got=$(run PATH=/usr/bin:/bin MANPATH=/usr/share/man) || complain "$name, with a MANPATH: ended with $?"
  [ "$got" = "$expected" ] || complain "$name, with a MANPATH: found '$got', expected '$expected'"
  expected=$(printf '%s\n' "$dirs" "/usr/bin:$prefix/bin:/bin" "$prefix/share/man:" found)
  got=$(run "PATH=/usr/bin:$prefix/bin:/bin" MANPATH=) || complain "$name, there already: ended with $?"
  [ "$got" = "$expected" ] || complain "$name, there already: found '$got', expected '$expected'"
done
exit "$bad"
