#!/usr/bin/env bash
# agent_turn: thoughts that end, words, and one call with arguments of its schema.
source "$(dirname "$0")/with_model.bash"

look='look [{]"where": "(tower|bridge|well)"[}]'
buy='buy [{]"what": "[a-z]{3,8}", "coins": ([1-9]|1[0-9]|20)[}]'
expect_turn() {
    local called
    run "$@"
    [[ $(head -c 7 "$folder/out") == "<think>" ]] || fail "it does not begin with thoughts"
    tr '\n' ' ' <"$folder/out" >"$folder/line"
    (($(grep -o '</think>' "$folder/line" | wc -l) == 1)) || fail "the thoughts do not end once: $(<"$folder/out")"
    grep -qE "</think>[[:space:]]*[A-Za-z ,.]{0,60}<call>($look|$buy)</call> [0-9]+ tokens, [1-9][0-9]* of them forced" \
        "$folder/line" || fail "no turn in the form: $(<"$folder/out")"
    called=$(sed -nE 's/^calls ([a-z]+) with (.*)$/\1 \2/p' "$folder/out")
    grep -qF "<call>$called</call>" "$folder/line" || fail "what was captured is not what was written: $called"
}

expect_turn
with_model expect_turn
ends "every turn has its form"
