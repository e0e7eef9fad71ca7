#!/usr/bin/env bash
# speculate: under match the text with drafts is, on the same rows, the one without, for every drafter; a model drafts for
# itself.
#
#     speculate_test.sh PATH_OF_SPECULATE PATH_OF_WRITE_RANDOM_MODEL
#
# RIFFLE_EXAMPLE_MODEL names a GGUF file; without one a small model with random weights is written.
set -u
speculate=${1:?usage: speculate_test.sh PATH_OF_SPECULATE PATH_OF_WRITE_RANDOM_MODEL}
write_model=${2:?usage: speculate_test.sh PATH_OF_SPECULATE PATH_OF_WRITE_RANDOM_MODEL}
export LC_ALL=C.UTF-8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

model=${RIFFLE_EXAMPLE_MODEL:-}
if [[ -z $model ]]; then
    model=$folder/random.gguf
    "$write_model" "$model" || exit 1
fi

settings=("temp=0" "seed=7;top_k=40;temp=0.8" "samplers=penalties,temp;penalty_repeat=1.3;temp=1.2" "mirostat=2"
    "samplers=default;dry_multiplier=0.8;dry_allowed_length=1")
for setting in "${settings[@]}"; do
    # Exit code 0: for each way, the recorded rows gave the text without drafts.
    "$speculate" "$model" "And the king said" -n 40 -t 1 -d 4 -w 12 -s "$setting" -md "$model" >"$folder/out" 2>"$folder/err" ||
        fail "$setting: $(grep -v "^ " "$folder/out" | tail -n 14) $(<"$folder/err")"
    [[ $(grep -cE '(as without|is another; its row is up to [0-9.e-]+ off)$' "$folder/out") == 10 ]] ||
        fail "$setting: not ten ways with the text: $(<"$folder/out")"
    grep -qE '^without drafts +1\.00 ' "$folder/out" || fail "$setting: no line without drafts"
    # A model that drafts for itself is nearly always right: 5 tokens an evaluation would be all.
    sed -nE 's/^draft model, (match|rejection|blocks) +([0-9.]+) .*/\1 \2/p' "$folder/out" >"$folder/own"
    [[ $(wc -l <"$folder/own") == 3 ]] || fail "$setting: not three ways with a draft model"
    while read -r way tokens; do
        awk "BEGIN { exit !($tokens >= 4) }" || fail "$setting: $way: $tokens tokens an evaluation of 5"
    done <"$folder/own"
done

"$speculate" -m "$model" -p "And the king said" -n 12 -t 1 --only prompt >"$folder/out" 2>&1 || fail "$(<"$folder/out")"
grep -q '^prompt_lookup ' "$folder/out" || fail "--only prompt has no prompt_lookup"
! grep -q '^ngram_map ' "$folder/out" || fail "--only prompt has more than that"
for help in -h --help; do
    "$speculate" $help | grep -qE '^  -m, --model FILE ' || fail "$help has no list of options"
done

# expect_failure WORDS_EXPECTED ARGUMENT...
expect_failure() {
    local words=$1
    shift
    "$speculate" "$@" >"$folder/out" 2>"$folder/err" && fail "exit code 0: speculate $*"
    grep -q -- "$words" "$folder/err" || fail "\"$words\" is not said by speculate $*: $(<"$folder/err")"
}
expect_failure "none.gguf cannot be read: No such file or directory" "$folder/none.gguf"
expect_failure "which model? -m MODEL.gguf" -p hello
expect_failure "there is no --tokns; --help lists what there is" "$model" --tokns 5
expect_failure "tokens can make nothing of 0: it is at most so many" "$model" --tokens 0
expect_failure "a draft has 127 tokens at most" "$model" -d 128
expect_failure "needs a value" "$model" --tokens
expect_failure "one word too many" "$model" a b
expect_failure "there is no \"tpo_k\"" "$model" -s "tpo_k=4"
expect_failure "text too long for this model" "$model" -n 90000
expect_failure "none.gguf cannot be read" "$model" hello -n 4 -md "$folder/none.gguf"

((failures == 0)) || { echo "$failures checks failed"; exit 1; }
echo "${#settings[@]} settings, each with thirteen ways of drafting, $(basename "$model")"
