#!/usr/bin/env bash
# npc_actions: scores of all actions that are open, most likely first, and an action token by token.
source "$(dirname "$0")/with_model.bash"

action="(trade|travel north|travel south|attack|flee|flee north)"
# of SITUATION: the lines that it has
of() {
    sed -n "/^$1:/,/token by token/p" "$folder/out"
}
expect_actions() {
    local situation count
    run "$@"
    for situation in unseen cornered; do
        count=$([[ $situation == unseen ]] && echo 6 || echo 4)
        of "$situation" | sed -nE "s/^ +([0-9.]+) %  $action\$/\1/p" >"$folder/shares"
        (($(wc -l <"$folder/shares") == count)) || fail "$situation: not $count actions: $(of "$situation")"
        sort -rn "$folder/shares" | cmp -s - "$folder/shares" || fail "$situation: not the most likely first"
        awk '{ sum += $1 } END { exit !(sum > 99.5 && sum < 100.5) }' "$folder/shares" || fail "$situation: no whole"
        of "$situation" | grep -qE "token by token: $action, [1-9][0-9]* evaluations" || fail "$situation: nothing picked"
    done
    ! of cornered | grep -q flee || fail "a cornered one cannot flee"
}

expect_actions
both=$(of unseen | sed -nE '2s/.*%  //p; s/.*token by token: ([a-z ]+),.*/\1/p' | sort -u | wc -l)
((both == 2)) || fail "whole and token by token agree, where README says that they do not: $(of unseen)"

with_model expect_actions
ends "every action is one that is open"
