# Sourced by the tests of examples that run on a little model of their own, and where they were built with llama.cpp on
# a GGUF file:
#
#     NAME_test.sh PATH_OF_EXAMPLE [PATH_OF_WRITE_RANDOM_MODEL]
#
# RIFFLE_EXAMPLE_MODEL names the GGUF file; without one a small model with random weights is written.
set -u
example=${1:?usage: $0 PATH_OF_EXAMPLE [PATH_OF_WRITE_RANDOM_MODEL]}
write_model=${2:-}
export LC_ALL=C.UTF-8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# What it says is in $folder/out; it has nothing to complain of.
run() {
    "$example" "$@" >"$folder/out" 2>"$folder/err" || fail "${example##*/} $*: $(<"$folder/err")"
    [[ ! -s $folder/err ]] || fail "complaints: $(<"$folder/err")"
}
# with_model CHECK: the check, with the path of a GGUF file (behind $model_option, where there is one); and a file that is
# not there is refused.
with_model() {
    local reason="built without llama.cpp" model=${RIFFLE_EXAMPLE_MODEL:-}
    if [[ -n $write_model ]]; then
        reason="cannot be loaded"
        if [[ -z $model ]]; then
            model=$folder/random.gguf
            "$write_model" "$model" || exit 1
        fi
        "$1" ${model_option:-} "$model"
    fi
    ! "$example" ${model_option:-} "$folder/none.gguf" >"$folder/out" 2>"$folder/err" || fail "a file that is not there is taken"
    grep -qF "$reason" "$folder/err" || fail "no '$reason' in: $(<"$folder/err")"
    [[ ! -s $folder/out ]] || fail "output beside a complaint"
}
# ends SENTENCE: it was so.
ends() {
    ((failures == 0)) || { echo "$failures checks failed"; exit 1; }
    echo "$1"
}
