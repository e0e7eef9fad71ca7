#!/usr/bin/env bash
# json_records: every record is a document of its schema.
source "$(dirname "$0")/with_model.bash"
model_option=--model

# expect COUNT PATTERN ARGUMENTS...: so many records, and a line that counts: forced tokens cost fewer evaluations.
expect() {
    local count=$1 pattern=$2 all forced evaluations
    shift 2
    run "$@"
    (($(head -n "$count" "$folder/out" | grep -cxE "$pattern") == count)) || fail "json_records $*: $(<"$folder/out")"
    read -r all forced evaluations < <(
        sed -nE 's/^([0-9]+) tokens, ([0-9]+) of them forced \([0-9]+ %\), in ([0-9]+) evaluations$/\1 \2 \3/p' "$folder/out")
    ((0 < ${forced:-0} && forced < all && evaluations < all)) || fail "counts: $(tail -n 1 "$folder/out")"
    (($(wc -l <"$folder/out") == count + 1)) || fail "more lines than records: $(<"$folder/out")"
}
# refuse STATUS SENTENCE ARGUMENTS...
refuse() {
    local status=$1 sentence=$2 found=0
    shift 2
    "$example" "$@" >"$folder/out" 2>"$folder/err" || found=$?
    ((found == status)) || fail "json_records $* ends with $found"
    grep -qF -- "$sentence" "$folder/err" || fail "no '$sentence' in: $(<"$folder/err")"
    [[ ! -s $folder/out ]] || fail "output beside a complaint: $(<"$folder/out")"
}

name='"[A-Z][a-z]{2,9}"'
born='"1[67][0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"'
trade='("(miller|smith|shepherd|ferryman|baker)"|null)'
villager="[{]\"name\": $name, \"born\": $born, \"trade\": $trade, \"coins\": ([0-9]|[1-9][0-9]|[1-4][0-9]{2}|500), "
villager+="\"says\": \"[A-Z][a-z ,']{18,78}[.!?]\"(, \"friends\": \[($name(, $name){0,2})?\])?[}]"

expect 12 "$villager"
cp "$folder/out" "$folder/first"
expect 12 "$villager" --count 12 --seed 1
cmp -s "$folder/first" "$folder/out" || fail "one seed gives two texts"
expect 40 "$villager" --count 40 --seed 100
(($(sort -u "$folder/out" | wc -l) > 20)) || fail "every seed gives the same record"

echo '{"type": "object", "properties": {"ok": {"type": "boolean"}, "why": {"enum": ["rain", "frost"]}}, "required": ["ok", "why"], "additionalProperties": false}' >"$folder/weather.json"
expect 5 '[{]"ok": (true|false), "why": "(rain|frost)"[}]' --schema "$folder/weather.json" --count 5

echo '{"type": "object", "properties": {"name": {"type": "strin"}}}' >"$folder/wrong.json"
refuse 1 "in /properties/name/type: a type is one of null, boolean" --schema "$folder/wrong.json"
refuse 1 "none.json cannot be read" --schema "$folder/none.json"
refuse 2 "there is no option --wrong" --wrong 1
refuse 2 "--count needs a value" --count
refuse 2 "many is no number" --count many

villagers_of_model() {
    expect 3 "$villager" "$@" --count 3
}
with_model villagers_of_model
ends "every record is a document of its schema"
