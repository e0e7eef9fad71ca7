#!/usr/bin/env bash
# What stands behind the page, asked as the page asks it: visualiser_test.sh PATH_OF_VISUALISER
# Needs nothing but bash, coreutils, grep and sed.
set -u
visualiser=${1:?usage: visualiser_test.sh PATH_OF_VISUALISER}
[[ -x $visualiser ]] || { echo "no such program: $visualiser"; exit 1; }
export LC_ALL=C.UTF-8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# ask REQUEST...: each answer is a line of the file out
ask() {
    printf '%s\n' "$@" | "$visualiser" >"$folder/out" || fail "the program ended with $?"
    (($(wc -l <"$folder/out") == $#)) || fail "not one answer to each of $# requests"
}
answer() { sed -n "$1p" "$folder/out"; }
fail() {
    echo "FAILED: ${FUNCNAME[2]}: $*"
    failures=$((failures + 1))
}
# expect N TEXT: the answer to request N has it
expect() { answer "$1" | grep -qF -e "$2" || fail "no $2 in answer $1: $(answer "$1" | cut -c 1-300)"; }
expect_no() { ! answer "$1" | grep -qF -e "$2" || fail "$2 in answer $1: $(answer "$1" | cut -c 1-300)"; }

chain() { printf '{"do":"chain","chain":[%s]}' "$1"; }
settings() { printf '{"do":"read_settings","text":"%s"}' "$1"; }
# set STAGE PARAMETER VALUE
set_value() { printf '{"do":"set","stage":%s,"parameter":"%s","value":%s}' "$1" "$2" "$3"; }
# row NUMBER...: of whole numbers from 0 to 2
row() {
    local number bytes=
    for number; do
        case $number in
        0) bytes+='\x00\x00\x00\x00' ;;
        1) bytes+='\x00\x00\x80\x3f' ;;
        2) bytes+='\x00\x00\x00\x40' ;;
        esac
    done
    printf '{"do":"row","data":"%s"%s}' "$(printf '%b' "$bytes" | base64)" "${row_is-}"
}
abcd='{"do":"tokens","pieces":["a","b","c","d"]}'
greedy=$(chain '{"name":"greedy"}')
write='{"do":"write_settings"}'
one='{"do":"go_on"}'

# ---- where logits come from

places_of_an_answer_keep_their_texts() {
    ask "$greedy" '{"do":"tokens","pieces":["","b","","","","","","h"]}' \
        '{"do":"sparse_row","logprobs":[[1,-0.5],[2,-1]]}' "$one" '{"do":"sparse_row","logprobs":[[7,-0.1]]}' "$one"
    expect 3 '"size":8,"texts":8'
    expect 4 '"generated":[[1,"b"]]'
    expect 5 '"size":8,"texts":8,"prompt":[],"generated":[[1,"b"]]'
    expect 6 '"generated":[[1,"b"],[7,"h"]]'
}

a_short_row_loses_no_texts() {
    ask "$greedy" "$abcd" "$(row 0)" "$(row 0 1)" "$(row 0 0 2 1)" "$one"
    expect 3 '"size":1,"texts":1'
    expect 4 '"size":2,"texts":2'
    expect 5 '"size":4,"texts":4'
    expect 6 '"generated":[[2,"c"]]'
}

rows_of_the_user_have_no_texts_of_the_page() {
    ask "$greedy" '{"do":"learn"}' "$(row 0 2 1)" "$one" '{"do":"learn"}' '{"do":"sparse_row","logprobs":[[5000,-1]]}'
    expect 3 '"size":3,"texts":0'
    expect 4 '"generated":[[1,""]]'
    expect 6 '"size":5001,"texts":0'
}

another_file_begins_a_text() {
    local first
    first=$(row_is=',"begin":true' row 1 0 0 0)
    ask "$greedy" "$abcd" "$first" "$one" "$(row 0 1 0 0)" "$first" "$one"
    expect 5 '"generated":[[0,"a"]]'
    expect 6 '"generated":[]'
    expect 7 '"generated":[[0,"a"]]'
}

tokens_that_a_stage_needs_stay() {
    local biased
    biased=$(chain '{"name":"logit_bias","values":{"biases":"[\"d\", 5]"}},{"name":"greedy"}')
    ask "$abcd" "$(row 2 0 0 0)" "$biased" "$one" '{"do":"tokens","pieces":["x","y"]}' "$(row 0 1)" "$one" "$greedy" \
        '{"do":"tokens","pieces":["x","y"]}'
    expect 4 '"generated":[[3,"d"]]'
    expect 5 'no token has the text \"d\". This stage does not fit the new tokens: switch it off'
    expect 6 'does not fit'
    expect 7 '"generated":[[3,"d"],[3,"d"]]'
    expect_no 9 problem
}

long_texts_are_learnt_from_their_beginning() {
    # 16 MB, whose last byte is the first of two of an ä
    { printf '{"do":"learn","tokens":256,"text":"b'; head -c 16777214 /dev/zero | tr '\0' 'a'; printf 'ä and more"}\n'; } |
        "$visualiser" >"$folder/out"
    expect 1 '"bytes":16777215'
    expect 1 '"notes":["The text is longer than 16 MB; its end was left out."]'
    ask '{"do":"learn","text":"short"}'
    expect_no 1 notes
}

# ---- values

a_refused_value_leaves_nothing() {
    ask "$(set_value 0 exempt '" t"')" '{"do":"learn"}' "$write" "$(set_value 1 k '"many"')" "$(set_value 1 k null)" "$write"
    expect 1 '"problem"'
    expect_no 2 '"problem"'
    expect 3 '"text":"penalty_last_n=64;penalty_repeat=1.1;'
    expect 4 '"problem":"expected a whole number"'
    expect 5 '"problem":"expected a number"'
    expect 6 'top_k=40;'
}

values_are_answered_as_they_are_taken() {
    ask "$(set_value 1 k 3.7)" "$(set_value 5 seed -1)" "$(set_value 5 seed '"18446744073709551615"')" \
        "$(set_value 5 seed 18446744073709551615)" "$(set_value 5 seed 9007199254740993)" "$(set_value 5 seed 7)" \
        "$(set_value 4 t '"inf"')" "$(set_value 4 t 0.3)" "$(set_value 0 exempt '"32"')" \
        "$(chain '{"name":"top_k","on":false},{"name":"greedy"}')" "$(set_value 0 k 2.5)" "$(set_value 0 k '"x"')"
    expect 1 '{"value":3}'
    expect 2 '{"value":0}'
    expect 3 '{"value":"18446744073709551615"}'
    expect 4 '{"value":"18446744073709551615"}'
    expect 5 '{"value":"9007199254740993"}'
    expect 6 '{"value":7}'
    expect 7 '{"value":"inf"}'
    expect 8 '{"value":0.3}'
    expect 9 '{"value":"32"}'
    expect 11 '{"value":2}'
    expect 12 '"problem"'
}

# ---- settings

settings_are_read_whole() {
    ask '{"do":"learn"}' "$(settings 'logit_bias=32-inf,33+2;temp=inf;seed=18446744073709551615')" "$write" \
        "$(set_value 1 t '"inf"')" "$(settings 'dry_multiplier=0.8;dry_sequence_breaker=\\xFF;dry_sequence_breaker=\\x3B')" \
        "$write" "$(settings 'dry_multiplier=0')" "$write"
    expect 2 '"biases":"[32,false], [33,2.0]"'
    expect 2 '"t":"inf"'
    expect 2 '"seed":"18446744073709551615"'
    expect 3 '{"text":"logit_bias=32-inf,33+2;temp=inf;seed=18446744073709551615","left_out":[]}'
    expect 4 '{"value":"inf"}'
    expect 5 '"breakers":"255, \";\""'
    expect 6 'dry_sequence_breaker=\\xFF;dry_sequence_breaker=\\x3B;seed=0","left_out":[]}'
    expect 7 '"breakers":"\"\\n\", \":\", \"\\\"\", \"*\""'
    expect 8 'dry_penalty_last_n=64;seed=0","left_out":[]}'
}

settings_are_the_chain() {
    local grammar='{"name":"constrain","values":{"grammar":"root ::= [a-z;]*\n"}}'
    ask "$abcd" "$(chain "$grammar,{\"name\":\"dist\",\"values\":{\"seed\":4}}")" "$write" \
        "$(chain '{"name":"logit_bias","values":{"biases":"[5, 1]"}},{"name":"dist"}')" "$write" \
        "$(chain '{"name":"mirostat_v2"}')" "$write" "$(settings 'mirostat=2;seed=0;temp=1')" "$(chain '')" "$write"
    expect 3 '{"text":"dist;grammar=root ::= [a-z\\x3B]*;seed=4","left_out":[]}'
    expect 5 '{"text":"dist;logit_bias=5+1;seed=0","left_out":[]}'
    expect 7 'mirostat=2;mirostat_tau=5;mirostat_eta=0.1;seed=0;temp=1'
    expect 7 'With mirostat, settings have a temperature: at 1 it changes nothing.'
    expect 8 '[{"name":"temperature","on":true,"values":{"t":1.0}},{"name":"mirostat_v2",'
    expect 10 '{"text":"dist","left_out":["No selector that settings have: they end with dist."]}'
}

what_settings_cannot_say_is_said() {
    local warm='{"name":"temperature","values":{"t":0.8}}'
    ask "$(chain "$warm,$warm,{\"name\":\"dist\"}")" "$write" \
        "$(chain '{"name":"top_k"},{"name":"logit_bias","values":{"biases":"[5, 1]"}},{"name":"dist"}')" "$write" \
        "$(chain '{"name":"top_p","values":{"min_keep":5}},{"name":"min_p"},{"name":"tail_free","values":{"centred":true}},{"name":"dist"}')" \
        "$write" "$(chain '{"name":"xtc","values":{"seed":3,"exempt":"5"}},{"name":"dist","values":{"seed":4}}')" "$write" \
        "$(chain "$warm,{\"name\":\"top_k\"},{\"name\":\"skew\"}")" "$write" \
        "$(chain '{"name":"top_k"},{"name":"mirostat_v2"}')" "$write"
    expect 2 '["A second temperature: settings have one."]'
    expect 4 '["Settings have another order: logit_bias, top_k, dist."]'
    expect 6 '"min_keep of min_p: settings make it 5."'
    expect 6 '"centred of tail_free: settings make it false."'
    expect 8 '"exempt of xtc: settings have no such list.","seed of dist: settings make it 3."'
    expect 10 '["skew is no sampler that settings have.","No selector that settings have: they end with dist."]'
    expect 12 '"top_k: with mirostat, settings have temperature alone beside it."'
}

# ---- one step

the_distribution_behind_a_stage_is_the_chains() {
    local grammar='{"name":"constrain","values":{"grammar":"root ::= \"c\""}}'
    # a grammar that refuses the text so far begins where it ends
    ask "$abcd" "$(row 2 0 0 1)" "$greedy" "$one" "$(chain "$grammar,{\"name\":\"greedy\"}")" '{"do":"step","up_to":0}'
    expect 6 '"after":1'
    expect 6 '[2,0.0825945,1.0,-1]'
    # the phrase is taken back, and what begins it is banned: then go_back to that place
    ask '{"do":"tokens","pieces":["a","b"]}' "$(row 1 0)" \
        "$(chain '{"name":"phrase_ban","values":{"phrases":"\"aa\""}},{"name":"greedy"}')" '{"do":"go_on","count":3}' \
        '{"do":"go_back"}' '{"do":"step","up_to":0}'
    expect 4 '"generated":[[1,"b"]]'
    expect 6 '"top":[[0,0.731059,0.0,0],[1,0.268941,1.0,-1]]'
}

draws_follow_the_distribution_shown() {
    local seed fired=0
    for seed in 1 2 3 4 5 6 7 8; do
        ask "$abcd" "$(row 1 1 1 1)" \
            "$(chain "{\"name\":\"xtc\",\"values\":{\"probability\":0.5,\"threshold\":0.1,\"seed\":$seed}},{\"name\":\"dist\"}")" \
            '{"do":"step"}' '{"do":"draw","count":200}'
        if answer 4 | grep -q '"kept":1,'; then
            fired=$((fired + 1))
            expect 5 '"counts":[[3,200]]'
        else
            expect 4 '"kept":4,'
            expect 5 '[0,'
        fi
    done
    ((fired > 0 && fired < 8)) || fail "$fired of 8 coins fell on one side"
}

a_step_that_fails_rules_out_no_token() {
    ask "$abcd" "$(row 1 1 1 1)" "$(chain '{"name":"min_k","values":{"tau":-1}},{"name":"greedy"}')" '{"do":"step"}'
    expect 4 '"state":"min_k: tau = -1 is not 0 or a positive number"'
    expect 4 '"top":[[0,0.25,0.0,-1],[1,0.25,0.0,-1],[2,0.25,0.0,-1],[3,0.25,0.0,-1]]'
}

tests='places_of_an_answer_keep_their_texts a_short_row_loses_no_texts rows_of_the_user_have_no_texts_of_the_page
    another_file_begins_a_text tokens_that_a_stage_needs_stay long_texts_are_learnt_from_their_beginning
    a_refused_value_leaves_nothing values_are_answered_as_they_are_taken settings_are_read_whole settings_are_the_chain
    what_settings_cannot_say_is_said the_distribution_behind_a_stage_is_the_chains draws_follow_the_distribution_shown
    a_step_that_fails_rules_out_no_token'
for each in $tests; do "$each"; done
echo "tests run: $(wc -w <<<"$tests"), failures: $failures"
((failures == 0))
