#!/bin/sh
# Runs the tests that GNU coreutils has for sort with filesort in its place, and lists those that fail.
#
#   cmd/filesort/coreutils.sh [CHECKOUT]
#
# CHECKOUT is a clone of coreutils with the tag below; without it one is fetched. Its tests are copied to a folder of their
# own, where src/sort is filesort. It takes perl, git, bash and Go. The README has the failures that are known. LOGS is a
# folder for what the tests print.
set -eu
tag=v9.1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
checkout=${1-}
if [ -z "$checkout" ]; then
	checkout=$work/clone
	git clone -q --depth 1 --branch $tag https://github.com/coreutils/coreutils "$checkout"
fi
mkdir -p "$work/t/src"
git -C "$checkout" archive $tag tests init.cfg 2>/dev/null | tar -x -C "$work/t"
(cd "$here" && go build -o "$work/t/src/sort" .)
cat >"$work/t/src/getlimits" <<'END'
#!/bin/sh
echo CHAR_MAX=127 INT_MAX=2147483647 INT_OFLOW=2147483648 UINT_MAX=4294967295 UINT_OFLOW=4294967296 \
	LONG_MAX=9223372036854775807 LONG_OFLOW=9223372036854775808 ULONG_MAX=18446744073709551615 ULONG_OFLOW=18446744073709551616 \
	SIZE_MAX=18446744073709551615 SIZE_OFLOW=18446744073709551616 UINTMAX_MAX=18446744073709551615 UINTMAX_OFLOW=18446744073709551616 \
	INT_MIN=-2147483648 INT_UFLOW=-2147483649 LONG_MIN=-9223372036854775808 LONG_UFLOW=-9223372036854775809 \
	FLT_MIN=1.175494351e-38 FLT_MAX=3.402823466e+38 DBL_MIN=2.2250738585072014e-308 DBL_MAX=1.7976931348623157e+308 \
	LDBL_MIN=3.3621031431120935063e-4932 LDBL_MAX=1.189731495357231765e+4932 | tr ' ' '\n'
END
chmod +x "$work/t/src/getlimits"

cd "$work/t"
export srcdir=. top_srcdir="$PWD" abs_top_srcdir="$PWD" abs_top_builddir="$PWD" abs_srcdir="$PWD" PATH="$PWD/src:$PATH" PACKAGE_VERSION=9.1
export built_programs=" sort printf cat env head tail seq tr uniq test timeout shuf od " LOCALE_FR=none LOCALE_FR_UTF8=none LC_ALL=C TMPDIR="$work" CONFIG_HEADER=/dev/null PERL=perl AWK=awk
status=0
for test in tests/misc/sort*.pl; do
	name=$(basename "$test" .pl)
	timeout 120 perl -w -I./tests -MCuSkip -MCoreutils -M"CuTmpdir qw($name)" "./$test" >"$work/$name.log" 2>&1 </dev/null || status=1
	# Words of messages differ: tests that fail by nothing else are counted.
	sed -n "s/^$name\(\.pl\)*: test \([^:]*\): std\(out\|err\) mismatch.*/\3 \2/p; s/^$name\(\.pl\)*: test \(.*\) failed: exit status.*/status \2/p" "$work/$name.log" |
		sort -u >"$work/failed"
	echo "$name: $(grep -cE "^ *\[['\"]" "$test") tests;" \
		"messages differ in $(grep -c '^err' "$work/failed" || :); other failures:" $(sed -n 's/^out \(.*\)/\1,/p; s/^status \(.*\)/\1 (status),/p' "$work/failed")
done
for test in tests/misc/sort*.sh; do
	name=$(basename "$test" .sh)
	code=0
	timeout 120 bash "./$test" >"$work/$name.log" 2>&1 </dev/null || code=$?
	case $code in
	0) echo "$name: passed" ;;
	77) echo "$name: skipped, $(grep -ai skip "$work/$name.log" | head -n 1)" ;;
	*) echo "$name: FAILED with $code" && status=1 ;;
	esac
done
[ -z "${LOGS-}" ] || cp "$work"/*.log "$LOGS"
exit $status
