# shellcheck shell=bash
# Shared by the checks that compile headers. Sourced, not run.

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
include_dir=$source_dir/include
compiler=${CXX:-c++}
export LC_ALL=C

# compile_text FLAGS...: compiles standard input, for its messages only. Where there is a compiler cache it wants an object
# and a file, whose name must be that of the last time: it is made from the text.
compile_text() {
    if [[ -z ${RIFFLE_LAUNCHER:-} ]]; then
        "$compiler" -std=c++20 -I "$include_dir" -x c++ -fsyntax-only "$@" - 2>&1
        return
    fi
    local text name folder=${RIFFLE_SCRATCH:-$source_dir/.build/scratch}/texts
    text=$(cat)
    name=$(md5sum <<<"$* $text")
    name=$folder/${name%% *}
    mkdir -p "$folder"
    echo "$text" >"$name.$$.new" # two processes may write one text
    mv "$name.$$.new" "$name.cpp"
    "$RIFFLE_LAUNCHER" "$compiler" -std=c++20 -I "$include_dir" "$@" -c "$name.cpp" -o "$name.$$.o" 2>&1 && rm -f "$name.$$.o"
}

# compile_object SOURCE OBJECT FLAGS...: by the compiler cache, where there is one. A source of the same path is found there
# again.
compile_object() {
    local source=$1 object=$2
    shift 2
    ${RIFFLE_LAUNCHER:+"$RIFFLE_LAUNCHER"} "$compiler" -std=c++20 -I "$include_dir" "$@" -c "$source" -o "$object"
}

# All headers, as they are included: riffle/core/status.hpp ...
all_headers() {
    (cd "$include_dir" && find riffle -name '*.hpp' | sort)
}

# What a front door and its room need from others, in the order of the rooms: names of headers. A header whose need is
# not installed cannot be compiled, and is named as skipped.
needed_headers() {
    case $1 in
        riffle/explain.hpp | riffle/explain/*) echo fmt/format.h ;;
        riffle/json_schema.hpp | riffle/constraint/json/json_text.hpp | riffle/constraint/json/compile_json_schema.hpp | \
            riffle/token_trie.hpp | riffle/constraint/token_trie/p*.hpp | riffle/constraint/token_trie/token_trie_cache.hpp | \
            riffle/c_api.hpp | riffle/c/constraint.hpp | riffle/c/chain.hpp) # which do without, but then have less
            echo nlohmann/json.hpp ;;
        riffle/gpu.hpp | riffle/gpu/vulkan/*) echo vulkan/vulkan_core.h ;;
        riffle/llama_token_trie.hpp | riffle/llama/token_trie.hpp | riffle/llama_c_api.hpp | riffle/c/llama.hpp)
            echo llama.h nlohmann/json.hpp ;;
        riffle/llama.hpp | riffle/llama_speculative.hpp | riffle/llama/*) echo llama.h ;;
    esac
}

# include_lines NAME...: a line each
include_lines() {
    (($# == 0)) || printf '#include <%s>\n' "$@"
}

can_include() {
    (($# == 0)) || include_lines "$@" | compile_text >/dev/null
}

# report SENTENCE OUTPUT: the first errors are enough. A mistake deep down shows in every header above it.
report() {
    printf '%s\n%s\n' "$1" "$(grep -E 'error:|warning:' <<<"$2" | head -n 5 | sed 's/^/    /')"
}

# The standard headers that riffle's own files name, among the files given.
standard_includes_of() {
    sed -n 's|^ *# *include <\([a-z_0-9]*\)>.*|\1|p' "$@" | sort -u
}
