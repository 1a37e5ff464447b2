#!/bin/sh
# docs_install_tree.sh CMAKE BUILD COMMANDS: `cmake --install` makes LSF's tree under any prefix, pam runs from there, and a
# second install keeps the site's lsf.conf.
set -eu
cmake=$1
build=$2
commands=$3
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
prefix="$top/a b/lsf"

bad=0
complain() { echo "$*" >&2; bad=1; }
install_it() { "$cmake" --install "$build" --prefix "$prefix" >"$top/log" || { cat "$top/log" >&2; exit 1; }; }

install_it
for folder in bin etc lib conf misc share/man; do
  [ -d "$prefix/$folder" ] || complain "$folder: expected as a folder of the installed tree"
done
for program in TaskStarter mpirun.lsf openmpi_wrapper mpich2_wrapper $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$commands"); do
  [ -x "$prefix/bin/$program" ] || complain "bin/$program: expected as a program of the installed tree"
done
for program in lim melim elim.hwloc elim.jsdl qdel; do
  [ -x "$prefix/etc/$program" ] || complain "etc/$program: expected as a program in LSF_SERVERDIR"
done
[ -s "$prefix/etc/hwloc.conf.sample" ] || complain "etc/hwloc.conf.sample: expected beside elim.hwloc"
for set in one-host several-hosts; do
  templates=$prefix/conf/templates/$set
  lsb=lsbatch/mycluster/configdir
  for file in lsf.conf lsf.shared lsf.cluster.mycluster hosts $lsb/lsb.params $lsb/lsb.queues $lsb/lsb.hosts $lsb/lsb.users; do
    [ -s "$templates/$file" ] || complain "conf/templates/$set/$file: expected as a template"
  done
  grep -qxF "LSF_SERVERDIR=$prefix/etc" "$templates/lsf.conf" || complain "$templates/lsf.conf: does not name $prefix/etc"
done
[ -r "$prefix/bin/pjllib.sh" ] || complain "bin/pjllib.sh: expected beside the wrappers that read it"
for example in elim.sh elim.c; do
  [ -s "$prefix/misc/examples/$example" ] || complain "misc/examples/$example: expected as an example"
done
if command -v scdoc >/dev/null; then
  [ -s "$prefix/share/man/man1/pam.1" ] || complain "share/man/man1/pam.1: expected"
fi
for program in pam lsload lsadmin lsf_daemons; do
  "$prefix/bin/$program" -V 2>&1 | grep -q '[0-9]' || complain "bin/$program -V: printed no version"
done
grep -qxF "LSF_SERVERDIR=$prefix/etc" "$prefix/conf/lsf.conf" || complain "conf/lsf.conf: does not name $prefix/etc"

for unit in lim res mbatchd; do
  grep -qF "ExecStart=\"$prefix/etc/$unit\"" "$prefix/lib/systemd/system/$unit.service" ||
    complain "lib/systemd/system/$unit.service: does not start etc/$unit"
done

# What systemd says of the units: nothing. DelegateSubgroup is there only where systemd knows it.
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --man=no "$prefix"/lib/systemd/system/*.service >"$top/verify" 2>&1 ||
    complain "systemd-analyze verify ended with $?"
  [ ! -s "$top/verify" ] || complain "systemd-analyze verify: $(cat "$top/verify")"
else
  echo "units: only their lines are looked at here (systemd-analyze is not installed)"
fi
mkdir "$top/fake"
for version in 252 254 257; do
  printf '#!/bin/sh\necho "systemd %s (%s-1)"\n' "$version" "$version" >"$top/fake/systemctl"
  chmod 755 "$top/fake/systemctl"
  PATH=$top/fake:$PATH "$cmake" --install "$build" --prefix "$top/units" >"$top/log" || { cat "$top/log" >&2; exit 1; }
  if [ "$version" -ge 254 ]; then expected='DelegateSubgroup=res'; else expected='#DelegateSubgroup=res'; fi
  grep -qxF "$expected" "$top/units/lib/systemd/system/res.service" || complain "res.service for systemd $version: no line $expected"
done
for unit in lim res mbatchd; do
  grep -qxF 'Restart=on-failure' "$prefix/lib/systemd/system/$unit.service" || complain "$unit.service: is not started again"
done

# What a login shell gets, twice in the same shell, from sh and from csh where there is one.
cat >"$top/expected" <<END
$prefix/conf
$prefix/bin
$prefix/etc
$prefix/lib
$prefix/bin:/usr/bin:/bin
$prefix/share/man:
END
# shellcheck disable=SC2016 # for the shells below to expand
shown='printf "%s\n" "$LSF_ENVDIR" "$LSF_BINDIR" "$LSF_SERVERDIR" "$LSF_LIBDIR" "$PATH" "$MANPATH"'
env -i PATH=/usr/bin:/bin sh -euc ". \"$prefix/conf/profile.lsf\"; . \"$prefix/conf/profile.lsf\"; $shown" >"$top/sh"
cmp -s "$top/expected" "$top/sh" || complain "conf/profile.lsf: gives $(cat "$top/sh")"
if command -v tcsh >/dev/null; then
  env -i PATH=/usr/bin:/bin tcsh -fc "source \"$prefix/conf/cshrc.lsf\"; source \"$prefix/conf/cshrc.lsf\"; $shown" \
    >"$top/csh"
  cmp -s "$top/expected" "$top/csh" || complain "conf/cshrc.lsf: gives $(cat "$top/csh")"
else
  echo "conf/cshrc.lsf: only its words are compared here (tcsh is not installed); docs_cshrc runs it"
  for name in LSF_ENVDIR LSF_BINDIR LSF_SERVERDIR LSF_LIBDIR; do
    there=$(sed -n "s/^$name=//p" "$prefix/conf/profile.lsf")
    grep -qxF "setenv $name $there" "$prefix/conf/cshrc.lsf" || complain "conf/cshrc.lsf: $name is not $there"
  done
fi

# Another user than the one who built: all is installed, and the exit status says so.
if [ "$(id -u)" -ne 0 ]; then
  echo "installing as another user: not tried here, only root can become one"
elif ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$build/cmake_install.cmake"; then
  echo "installing as another user: not tried here, $build is closed to others"
else
  mkdir "$top/theirs"
  chmod 755 "$top"
  chown 65534:65534 "$top/theirs"
  setpriv --reuid=65534 --regid=65534 --clear-groups "$cmake" --install "$build" --prefix "$top/theirs/lsf" >"$top/log" 2>&1 ||
    complain "installing as another user ended with $?: $(tail -n 3 "$top/log")"
  grep -q 'which another user owns' "$top/log" || complain "installing as another user: does not say that there is no list"
  [ -x "$top/theirs/lsf/bin/lsload" ] || complain "installing as another user: no bin/lsload"
fi

echo '# the site was here' >>"$prefix/conf/lsf.conf"
install_it
grep -q 'the site was here' "$prefix/conf/lsf.conf" || complain "conf/lsf.conf: a second install has replaced it"
exit "$bad"
