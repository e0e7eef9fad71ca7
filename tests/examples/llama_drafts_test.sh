#!/usr/bin/env bash
# llama_drafts begins with the text that llama_generate gives with the same chain, and no drafts. (Only the beginning is
# compared: llama.cpp rounds the rows of a batch otherwise, so later on a token may be another.)
#
#     llama_drafts_test.sh PATH_OF_LLAMA_DRAFTS PATH_OF_WRITE_RANDOM_MODEL
set -u
drafts=${1:?usage: llama_drafts_test.sh PATH_OF_LLAMA_DRAFTS PATH_OF_WRITE_RANDOM_MODEL}
write_model=${2:?usage: llama_drafts_test.sh PATH_OF_LLAMA_DRAFTS PATH_OF_WRITE_RANDOM_MODEL}
export LC_ALL=C.UTF-8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=${RIFFLE_EXAMPLE_MODEL:-}
if [[ -z $model ]]; then
    model=$folder/random.gguf
    "$write_model" "$model" || exit 1
fi
settings="samplers=top_k,temp;top_k=40;temp=0.8;seed=42"
for prompt in "And the king said" "the"; do
    expected=$("$(dirname "$drafts")/llama_generate" "$model" "$prompt" --numerics reproducible --settings "$settings" \
        --tokens 6 2>"$folder/err") || { cat "$folder/err"; exit 1; }
    expected=${expected#"$prompt"}  # which llama_generate shows, too
    found=$("$drafts" "$model" "$prompt") || { echo "exit code $?: $found"; exit 1; }
    [[ -n $expected && $found == "$expected"* ]] || { echo "\"$found\", which does not begin with \"$expected\""; exit 1; }
    grep -qE '^[0-9]+ tokens, [0-9]+ evaluations$' <<<"$found" || { echo "no summary: $found"; exit 1; }
done
"$drafts" "$folder/none.gguf" 2>"$folder/err" && { echo "exit code 0 without a model"; exit 1; }
grep -q "cannot be loaded" "$folder/err"
