#!/usr/bin/env bash
# npc_grammar on its own little model, and where it was built with llama.cpp on a GGUF file: every answer can be read.
#
#     npc_grammar_test.sh PATH_OF_NPC_GRAMMAR [PATH_OF_WRITE_RANDOM_MODEL]
#
# RIFFLE_EXAMPLE_MODEL names a GGUF file; without one a small model with random weights is written.
set -u
npc=${1:?usage: npc_grammar_test.sh PATH_OF_NPC_GRAMMAR [PATH_OF_WRITE_RANDOM_MODEL]}
write_model=${2:-}
export LC_ALL=C.UTF-8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

say="[A-Z][a-z ,']{20,90}[.!?]"
action="null|[{]\"name\": \"(trade|follow|attack|flee)\", \"target\": \"[a-z]{2,12}\"[}]"
answer="[{]\"mood\": \"(calm|wary|merry)\", \"say\": \"$say\", \"action\": ($action)[}]"

# Four answers, each with a line that counts: forced tokens are among all, and cost fewer evaluations than tokens.
expect_answers() {
    "$npc" "$@" >"$folder/out" 2>"$folder/err" || fail "npc_grammar $*: $(<"$folder/err")"
    (($(grep -cxE "$answer" "$folder/out") == 4)) || fail "not four answers in the format: $(<"$folder/out")"
    local all forced evaluations
    sed -nE 's/^  ([0-9]+) tokens, ([0-9]+) of them forced, in ([0-9]+) evaluations$/\1 \2 \3/p' "$folder/out" >"$folder/counts"
    (($(wc -l <"$folder/counts") == 4)) || fail "not four lines that count"
    while read -r all forced evaluations; do
        ((0 < forced && forced < all && evaluations < all)) || fail "counts: $all $forced $evaluations"
    done <"$folder/counts"
    [[ ! -s $folder/err ]] || fail "complaints: $(<"$folder/err")"
}

expect_answers
(($(grep '^{' "$folder/out" | sort -u | wc -l) > 1)) || fail "every seed gives the same answer"

if [[ -n $write_model ]]; then
    model=${RIFFLE_EXAMPLE_MODEL:-}
    if [[ -z $model ]]; then
        model=$folder/random.gguf
        "$write_model" "$model" || exit 1
    fi
    expect_answers "$model"
    reason="cannot be loaded"
else
    reason="built without llama.cpp"
fi
! "$npc" "$folder/none.gguf" >"$folder/out" 2>"$folder/err" || fail "a file that is not there is taken"
grep -qF "$reason" "$folder/err" || fail "no '$reason' in: $(<"$folder/err")"
[[ ! -s $folder/out ]] || fail "output beside a complaint"

((failures == 0)) || { echo "$failures checks failed"; exit 1; }
echo "every answer can be read"
