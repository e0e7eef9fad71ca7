#!/usr/bin/env bash
# llama_drafts begins with the text that llama_generate gives with the same chain, and no drafts. (Only the beginning is
# compared: llama.cpp rounds the rows of a batch otherwise, so later on a token may be another.)
source "$(dirname "$0")/with_model.bash"

settings="samplers=top_k,temp;top_k=40;temp=0.8;seed=42"
compare_with_generate() {
    local model=$1 prompt expected found
    for prompt in "And the king said" "the"; do
        expected=$("$(dirname "$example")/llama_generate" "$model" "$prompt" --numerics reproducible \
            --settings "$settings" --tokens 6 2>"$folder/err") || fail "llama_generate: $(<"$folder/err")"
        expected=${expected#"$prompt"}  # which llama_generate shows, too
        run "$model" "$prompt"
        found=$(<"$folder/out")
        [[ -n $expected && $found == "$expected"* ]] || fail "\"$found\", which does not begin with \"$expected\""
        grep -qE '^[0-9]+ tokens, [0-9]+ evaluations$' "$folder/out" || fail "no summary: $found"
    done
}
with_model compare_with_generate
ends "the beginnings of two texts alike"
