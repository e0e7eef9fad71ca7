#!/usr/bin/env bash
# npc_grammar: every answer can be read.
source "$(dirname "$0")/with_model.bash"

say="[A-Z][a-z ,']{20,90}[.!?]"
action="null|[{]\"name\": \"(trade|follow|attack|flee)\", \"target\": \"[a-z]{2,12}\"[}]"
answer="[{]\"mood\": \"(calm|wary|merry)\", \"say\": \"$say\", \"action\": ($action)[}]"

# Four answers, each with a line that counts: forced tokens are among all, and cost fewer evaluations than tokens.
expect_answers() {
    run "$@"
    (($(grep -cxE "$answer" "$folder/out") == 4)) || fail "not four answers in the format: $(<"$folder/out")"
    local all forced evaluations
    sed -nE 's/^  ([0-9]+) tokens, ([0-9]+) of them forced, in ([0-9]+) evaluations$/\1 \2 \3/p' "$folder/out" >"$folder/counts"
    (($(wc -l <"$folder/counts") == 4)) || fail "not four lines that count"
    while read -r all forced evaluations; do
        ((0 < forced && forced < all && evaluations < all)) || fail "counts: $all $forced $evaluations"
    done <"$folder/counts"
}

expect_answers
(($(grep '^{' "$folder/out" | sort -u | wc -l) > 1)) || fail "every seed gives the same answer"
with_model expect_answers
ends "every answer can be read"
