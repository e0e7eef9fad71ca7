#!/usr/bin/env bash
# from_c: a line in the grammar's form, and actions of the payload, of which one is the beginning of another.
source "$(dirname "$0")/with_model.bash"

action="(TRADE|TRAVEL|FOLLOW|FLEE|FLEE_NORTH|REPLY)"

run
grep -qxE 'says: [A-Z][a-z ]{20,60}[.]' "$folder/out" || fail "no line in the form: $(<"$folder/out")"
did=$(sed -n 's/^does: //p' "$folder/out")
grep -qxE "$action" <<<"$did" || fail "no action: $(<"$folder/out")"
grep -qxE "[(]$did; [1-9][0-9]* tokens were certain[)]" "$folder/out" || fail "the leaf is another: $(<"$folder/out")"

actions_of_model() {
    run "$1"
    (($(grep -cxE "greatest: $action" "$folder/out") == 1)) || fail "not one greatest: $(<"$folder/out")"
    (($(grep -cxE "drawn: $action" "$folder/out") == 4)) || fail "not four drawn: $(<"$folder/out")"
}
with_model actions_of_model
ends "every line and every action is legal"
