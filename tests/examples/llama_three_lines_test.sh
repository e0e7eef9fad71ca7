#!/usr/bin/env bash
# llama_three_lines gives the text that llama_generate gives with llama.cpp's own samplers.
#
#     llama_three_lines_test.sh PATH_OF_LLAMA_THREE_LINES PATH_OF_WRITE_RANDOM_MODEL
set -u
three_lines=${1:?usage: llama_three_lines_test.sh PATH_OF_LLAMA_THREE_LINES PATH_OF_WRITE_RANDOM_MODEL}
write_model=${2:?usage: llama_three_lines_test.sh PATH_OF_LLAMA_THREE_LINES PATH_OF_WRITE_RANDOM_MODEL}
export LC_ALL=C.UTF-8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=${RIFFLE_EXAMPLE_MODEL:-}
if [[ -z $model ]]; then
    model=$folder/random.gguf
    "$write_model" "$model" || exit 1
fi
settings="samplers=top_k,top_p,min_p,temp;top_k=40;top_p=0.95;min_p=0.05;min_keep=1;temp=0.8;seed=42"
for prompt in "And the king said" "the"; do
    expected=$("$(dirname "$three_lines")/llama_generate" "$model" "$prompt" --with llama --settings "$settings" \
        --tokens 60 2>"$folder/err") || { cat "$folder/err"; exit 1; }
    expected=${expected#"$prompt"}  # which llama_generate shows, too
    found=$("$three_lines" "$model" "$prompt")
    [[ -n $expected && $found == "$expected" ]] || { echo "\"$found\", not \"$expected\""; exit 1; }
done
"$three_lines" "$folder/none.gguf" 2>"$folder/err" && { echo "exit code 0 without a model"; exit 1; }
grep -q "cannot be loaded" "$folder/err"
