# shellcheck shell=bash
# What examples/run and tests/run have in common: find the tools or install them, configure and build. Sourced, not run.
#
# These scripts run in fresh chroots too, which may have neither /proc nor /dev/fd: hence no <(process substitution).

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=$(realpath -m -- "${RIFFLE_BUILD_DIR:-$source_dir/.build}")
jobs=${RIFFLE_JOBS:-$(nproc)}

# --- what the programs need ---------------------------------------------------------------------------------------

# One requirement a line: what has to be there (a command or a file; any one of a|b) and the Debian package that has it.
tools_to_build='
g++|clang++|c++            g++
cmake                      cmake
ninja|make                 ninja-build
/usr/include/fmt/format.h  libfmt-dev
'
tools_to_test='
/usr/src/googletest/googletest/src/gtest-all.cc|/usr/include/gtest/gtest.h  googletest
/usr/include/nlohmann/json.hpp                                              nlohmann-json3-dev
'

tools_for_webassembly='
clang++                           clang
wasm-ld                           lld
/usr/include/wasm32-wasi/stdio.h  wasi-libc
'

# Without it everything works, and takes longer.
tool_that_remembers='
ccache                     ccache
'

# --- words ------------------------------------------------------------------------------------------------------------

if [[ -t 2 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' yellow=$'\e[33m' plain=$'\e[0m' clear_line=$'\r\e[K'
else
    bold='' red='' green='' yellow='' plain='' clear_line=''
fi

# All of it goes to standard error: standard output belongs to the program that is run in the end.
say() {
    printf '%s%s\n' "$clear_line" "$*" >&2
}

complain() {
    printf '%s%s%s%s\n' "$clear_line" "$red" "$*" "$plain" >&2
}

# --- installing -------------------------------------------------------------------------------------------------------

present() {
    local candidate
    for candidate in ${1//|/ }; do
        case $candidate in
            /*) [[ -e $candidate ]] && return 0 ;;
            *) command -v "$candidate" >/dev/null && return 0 ;;
        esac
    done
    return 1
}

# missing_packages REQUIREMENTS: the packages of those requirements that are not met
missing_packages() {
    local alternatives package
    while read -r alternatives package; do
        [[ -z $alternatives ]] || present "$alternatives" || echo "$package"
    done <<<"$1"
}

is_root() {
    [[ $(id -u) == 0 ]]
}

# Root, or sudo that asks for no password: nobody may be there to type one.
can_become_root() {
    is_root || sudo -n true 2>/dev/null
}

as_root() {
    if is_root; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# install_missing REQUIREMENTS: installs what is not there, or names it and answers 1
install_missing() {
    local missing packages
    missing=$(missing_packages "$1")
    [[ -n $missing ]] || return 0
    mapfile -t packages <<<"$missing"

    if ! command -v apt-get >/dev/null; then
        complain "Missing. Please install what these Debian packages hold: ${packages[*]}"
        return 1
    fi
    if ! can_become_root; then
        complain "Missing, and only root can install it: ${packages[*]}"
        say "Please run:  apt-get install ${packages[*]}"
        return 1
    fi

    say "Installing ${packages[*]} ..."
    mkdir -p "$build_dir/logs"
    local log=$build_dir/logs/install.log
    if ! apt_install "${packages[@]}" >"$log" 2>&1; then
        complain "apt-get could not install ${packages[*]}:"
        tail -n 20 "$log" >&2
        return 1
    fi
}

# install_where_allowed REQUIREMENTS: what is welcome and not needed
install_where_allowed() {
    if command -v apt-get >/dev/null && can_become_root; then
        install_missing "$1" || say "Going on without."
    fi
}

# What compiles for WebAssembly. Where the files of the last two packages lie depends on the release: a probe says
# whether they are there.
install_webassembly() {
    local package
    install_missing "$tools_for_webassembly" || return
    for package in libclang-rt-dev-wasm32 libc++-dev-wasm32; do
        has_webassembly || install_missing "/no/such/file $package" || return
    done
    has_webassembly
}

has_webassembly() {
    mkdir -p "$build_dir/webassembly"
    echo '#include <vector>
        int main() { return int(std::vector<int>{}.size()); }' |
        clang++ --target=wasm32-wasi -fno-exceptions -x c++ - -o "$build_dir/webassembly/probe.wasm" 2>/dev/null
}

# A fresh root has no package lists, an old one has stale ones; one update a run is enough.
apt_install() {
    if [[ -z ${apt_is_up_to_date:-} ]]; then
        as_root apt-get -o DPkg::Lock::Timeout=300 update </dev/null || true
        apt_is_up_to_date=1
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install \
        --yes --no-install-recommends "$@" </dev/null
}

# --- what is affected by a change -------------------------------------------------------------------------------------

# The rooms that tests/CMakeLists.txt knows, one a line.
all_rooms() {
    sed -n '/^set(RIFFLE_TEST_ROOMS/,/CACHE/p' "$source_dir/tests/CMakeLists.txt" | sed 's/CACHE.*//' |
        grep -oE '\b[a-z_]+\b' | grep -vx set
}

# Whether "room wide", "checks all", ... is among what tests/run --changed asks for, which may be nothing. Without it,
# everything is.
is_affected() {
    [[ -z ${RIFFLE_AFFECTED+set} ]] || grep -qxF -- "$1" <<<"$RIFFLE_AFFECTED" || grep -qx 'leg all' <<<"$RIFFLE_AFFECTED"
}

# --- building ---------------------------------------------------------------------------------------------------------

# Says what stands in the way of building at all, and answers 1.
can_build() {
    if ! mkdir -p "$build_dir/logs" 2>/dev/null || [[ ! -w $build_dir/logs ]]; then
        complain "$build_dir cannot be written to. Name another folder: RIFFLE_BUILD_DIR=..."
        return 1
    fi
    local compiler=${CXX:-c++}
    if ! "$compiler" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1 <<'END'; then
#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12
#error too old
#endif
END
        complain "riffle needs g++ 12 or clang++ 14, or newer; this machine's $compiler is"
        "$compiler" --version 2>&1 | sed -n 1p >&2
        return 1
    fi
}

# What the cache of a tree remembers as NAME.
remembered() {
    sed -n "s|^$2:[A-Z]*=||p" "$1/CMakeCache.txt"
}

# Whether a tree that an older run left can be used again: the sources are where they were, and so are its tools.
still_good() {
    [[ $(remembered "$1" CMAKE_HOME_DIRECTORY) == "$source_dir" ]] &&
        command -v "$(remembered "$1" CMAKE_CXX_COMPILER)" >/dev/null &&
        command -v "$(remembered "$1" CMAKE_MAKE_PROGRAM)" >/dev/null
}

# Whether what was compiled before is kept (ccache), for every clone and for the next run. Nothing that is compiled holds
# the path of the clone; paths in the command are made relative by ccache, and debug information names none.
# With RIFFLE_COMPILER_CACHE=off it is not: for a single run, which would find nothing there.
use_compiler_cache() {
    [[ ${RIFFLE_COMPILER_CACHE:-} != off ]] && command -v ccache >/dev/null || return
    export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-$build_dir}/.cache}/riffle/compiled}
    # Where ccache may not write, it does not compile either.
    mkdir -p "$CCACHE_DIR" 2>/dev/null && [[ -w $CCACHE_DIR ]] || CCACHE_DIR=$build_dir/compiled
    export CCACHE_BASEDIR=$source_dir CCACHE_NOHASHDIR=1
    # Headers of a fresh clone are new, and precompiled ones are compared by what they were made from.
    export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}

# configure TREE [CMAKE OPTIONS...]
configure() {
    local tree=$1 generator=() launcher=(-UCMAKE_CXX_COMPILER_LAUNCHER)
    shift
    ! use_compiler_cache || launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$source_dir/tests/matrix/cached_compiler")
    if [[ -f $tree/CMakeCache.txt ]] && ! still_good "$tree"; then
        rm -rf "$tree"
    fi
    if [[ ! -f $tree/CMakeCache.txt ]] && command -v ninja >/dev/null; then
        generator=(-G Ninja)
    fi
    cmake -S "$source_dir" -B "$tree" "${generator[@]}" "${launcher[@]}" -DRIFFLE_BUILD_TESTS=ON -DRIFFLE_BUILD_EXAMPLES=ON \
        -DRIFFLE_BUILD_BENCHMARKS=ON "$@"
}

# build TREE [CMAKE OPTIONS...]: goes on after an error, so that one run shows them all. In large pages of memory, where
# the system has them for the asking, clang++ takes 6 % less time.
build() {
    local tree=$1 keep_going=-k
    shift
    [[ ! -f $tree/build.ninja ]] || keep_going=-k0
    GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build "$tree" --parallel "$jobs" "$@" -- $keep_going
}

# --- progress ---------------------------------------------------------------------------------------------------------

# with_progress TITLE LOG COMMAND...: runs COMMAND with its output in LOG, and shows how far it is: on a terminal the
# last step it printed, elsewhere a line every half a minute. Answers what COMMAND answers.
with_progress() {
    local title=$1 log=$2 started=$SECONDS status=0 said=0 line
    shift 2
    mkdir -p "${log%/*}"

    # A process group of its own, so that stopping us stops the compilers too.
    set -m
    ("$@") >"$log" 2>&1 </dev/null &
    running=$!
    set +m
    while kill -0 "$running" 2>/dev/null; do
        if [[ -n $clear_line ]]; then
            line=$(printf '%s  %4d s  %s' "$title" $((SECONDS - started)) "$(last_step "$log")")
            printf '%s%s' "$clear_line" "${line:0:${COLUMNS:-80}-1}" >&2 # a line that wraps could not be cleared
            sleep 0.3
        else
            if ((SECONDS - started >= said + 30)); then
                said=$((SECONDS - started))
                say "    $title  $said s  $(last_step "$log")"
            fi
            sleep 0.1
        fi
    done
    wait "$running" || status=$?
    running=
    printf '%s' "$clear_line" >&2
    return $status
}

# The last line of a log that ninja, make or ctest numbered.
last_step() {
    tail -n 60 "$1" 2>/dev/null | grep -aE '^ *(\[ *[0-9]+(/[0-9]+|%)\]|[0-9]+/[0-9]+ )' | tail -n 1
}

running=
stop_running() {
    [[ -z $running ]] || kill -TERM -- "-$running" 2>/dev/null || true
}
trap 'stop_running; exit 130' INT TERM HUP
