#!/usr/bin/env bash
# llama_generate with riffle's chain and with llama.cpp's own: the same text, for twenty seeds and ten settings.
#
#     llama_generate_test.sh PATH_OF_LLAMA_GENERATE PATH_OF_WRITE_RANDOM_MODEL
#
# RIFFLE_EXAMPLE_MODEL names a GGUF file; without one a small model with random weights is written.
set -u
generate=${1:?usage: llama_generate_test.sh PATH_OF_LLAMA_GENERATE PATH_OF_WRITE_RANDOM_MODEL}
write_model=${2:?usage: llama_generate_test.sh PATH_OF_LLAMA_GENERATE PATH_OF_WRITE_RANDOM_MODEL}
export LC_ALL=C.UTF-8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

model=${RIFFLE_EXAMPLE_MODEL:-}
if [[ -z $model ]]; then
    model=$folder/random.gguf
    "$write_model" "$model" || exit 1
fi

# text KIND SETTINGS: what is generated, and on standard error how fast
text() {
    "$generate" "$model" "And the king said" --tokens 40 --threads 1 --with "$1" --settings "$2" 2>"$folder/err"
}

settings=(
    ""
    "temp=0"
    "temp=1.5;top_p=0.9"
    "samplers=min_p,temp;min_p=0.1;temp=1.2"
    "samplers=top_k,typ_p,temp;top_k=100;typ_p=0.8"
    "penalty_repeat=1.3;penalty_last_n=32;penalty_freq=0.2;samplers=default"
    "samplers=default;dry_multiplier=0.8;dry_allowed_length=1;dry_sequence_breaker=none"
    "samplers=default;xtc_probability=0.5;xtc_threshold=0.05;dynatemp_range=0.5"
    "mirostat=2;mirostat_tau=4"
    "samplers=top_n_sigma,temp,min_p,adaptive_p;top_n_sigma=1.5;adaptive_target=0.4;ignore_eos=1"
)
compared=0
for setting in "${settings[@]}"; do
    first=$(text llama "$setting;seed=1")
    for seed in $(seq 1 20); do
        expected=$(text llama "$setting;seed=$seed") || fail "llama.cpp: $setting: $(<"$folder/err")"
        found=$(text riffle "$setting;seed=$seed") || fail "riffle: $setting: $(<"$folder/err")"
        [[ -n $expected && $found == "$expected" ]] || fail "seed $seed, \"$setting\": \"$found\", not \"$expected\""
        compared=$((compared + 1))
        ((seed > 3)) && continue
        for kind in sampler graph; do
            [[ $(text $kind "$setting;seed=$seed") == "$expected" ]] || fail "--with $kind: seed $seed, \"$setting\""
        done
    done
    [[ $setting == temp=0 || $first != "$expected" ]] || fail "every seed gives the same text: \"$setting\""
done
grep -qE '^[0-9]+ tokens, [0-9]+ a second; sampling took [0-9.]+ us a token, [0-9.]+ % of the time$' "$folder/err" ||
    fail "no summary: $(<"$folder/err")"

# --- as other programs of llama.cpp's are called -------------------------------------------------------------------------

"$generate" -m "$model" -p "And the king said" -n 12 -t 1 -s 5 >"$folder/short" 2>"$folder/err" || fail "$(<"$folder/err")"
"$generate" --model "$model" "--prompt=And the king said" --n-predict 12 --threads 1 --settings "seed=5" >"$folder/long" 2>&1
grep -qxF "$(head -n 1 "$folder/short")" "$folder/long" || fail "-m -p -n -s differs from the long names"
[[ $(<"$folder/short") == "And the king said"* ]] || fail "the prompt is not shown: $(<"$folder/short")"
command=$(sed -n 's,^examples/run llama_generate ,,p' "$(dirname "$0")/../../include/riffle/llama/README.md")
[[ -n $command ]] || fail "the page on llama.cpp has no command"
eval "\"\$generate\" ${command/MODEL.gguf/\"\$model\"} --threads 1" >"$folder/of_page" 2>"$folder/err" || fail "$command: $(<"$folder/err")"
[[ $(<"$folder/of_page") == "And the king said"?* ]] || fail "the page's command: $(<"$folder/of_page")"
"$generate" -m "$model" -p "And the king said" -n 12 -t 1 --seed 5 2>/dev/null | cmp -s - "$folder/short" ||
    fail "--seed differs from -s"
grep -qE '^ended: (as many tokens as were asked for|the model ended the text)$' "$folder/err" || fail "why it ended is not said"
for help in -h --help; do
    "$generate" $help | grep -qE '^  -m, --model FILE ' || fail "$help has no list of options"
done

# --- a grammar, in each way -----------------------------------------------------------------------------------------------

cat >"$folder/words.gbnf" <<'END'
root ::= word (" " word)*
word ::= [a-zA-Z0-9]+ | "\"" [^"]{0,9} "\""
END
for after in "" --grammar-after; do
    for seed in 1 2 3 4 5; do
        kinds="riffle llama"
        [[ -n $after ]] || kinds+=" sampler graph"
        for kind in $kinds; do
            "$generate" "$model" "And the king said" --tokens 30 --threads 1 --with $kind --settings "seed=$seed" \
                --grammar "$folder/words.gbnf" $after >"$folder/$kind" 2>"$folder/err" || fail "$kind: $(<"$folder/err")"
            cmp -s "$folder/riffle" "$folder/$kind" ||
                fail "with a grammar, $after: seed $seed: \"$(<"$folder/$kind")\", not \"$(<"$folder/riffle")\""
        done
        compared=$((compared + 1))
        LC_ALL=C grep -qE '[^a-zA-Z0-9 "]' <<<"$(tr -d '\n' <"$folder/riffle" | sed 's/"[^"]*"\?//g')" &&
            fail "the grammar does not take \"$(<"$folder/riffle")\""
    done
done

# --- a JSON schema, in each way -------------------------------------------------------------------------------------------

cat >"$folder/answer.json" <<'END'
{"type": "object", "properties": {"mood": {"enum": ["calm", "wary"]}, "coins": {"type": "integer", "minimum": 3, "maximum": 40}},
 "required": ["mood", "coins"], "additionalProperties": false}
END
coins='([3-9]|[123][0-9]|40)'
for seed in 1 2 3 4 5; do
    for kind in riffle sampler graph; do
        for space in compact:"" single_space:" "; do
            "$generate" "$model" "And:" --tokens 60 --threads 1 --with $kind --settings "seed=$seed" \
                --json-schema "$folder/answer.json" --json-whitespace "${space%%:*}" >"$folder/$kind" 2>"$folder/err" || fail "$kind: $(<"$folder/err")"
            s=${space#*:}
            grep -qxE "And:[{]\"mood\":$s\"(calm|wary)\",$s\"coins\":$s$coins[}]" "$folder/$kind" ||
                fail "no document of the schema: $kind, seed $seed: $(<"$folder/$kind")"
        done
        compared=$((compared + 1))
    done
    "$generate" "$model" "And:" --tokens 60 --threads 1 --settings "seed=$seed;json_schema={\"enum\":[\"so\",\"not so\"]}" >"$folder/out" 2>"$folder/err"
    grep -qxE 'And:"(not )?so"' "$folder/out" || fail "a schema among the settings: $(<"$folder/out") $(<"$folder/err")"
done

# --- what cannot be done is said --------------------------------------------------------------------------------------

# expect_failure WORDS_EXPECTED ARGUMENT...
expect_failure() {
    local words=$1
    shift
    "$generate" "$@" >"$folder/out" 2>"$folder/err" && fail "exit code 0: llama_generate $*"
    grep -q -- "$words" "$folder/err" || fail "\"$words\" is not said by llama_generate $*: $(<"$folder/err")"
}
expect_failure "none.gguf cannot be read: No such file or directory" "$folder/none.gguf"
expect_failure "cannot be read: Is a directory" "$folder"
echo 'not a model' >"$folder/text.gguf"
expect_failure "text.gguf is no GGUF file" "$folder/text.gguf"
printf 'GGUF and then nonsense' >"$folder/part.gguf"
expect_failure "part.gguf is a GGUF file that this llama.cpp cannot load" -m "$folder/part.gguf"
expect_failure "which model? -m MODEL.gguf" -p hello
expect_failure "there is no --tokns; --help lists what there is" "$model" --tokns 5
expect_failure "there is no \"tpo_k\"" "$model" --settings "tpo_k=4"
expect_failure "top_p: p = nan is not a number" "$model" --settings "top_p=nan"
expect_failure "with can make nothing of nothing" "$model" --with nothing
expect_failure "tokens can make nothing of 0: it is at most so many" "$model" --tokens 0
expect_failure "needs a value" "$model" --tokens
echo 'root ::= "a' >"$folder/wrong.gbnf"
expect_failure "wrong.gbnf:1:10: in root: this \" is never closed" "$model" --grammar "$folder/wrong.gbnf"
expect_failure "cannot be read" "$model" --grammar "$folder/none.gbnf"
echo '{"properties": {"a": {"type": "strin"}}}' >"$folder/wrong.json"
expect_failure "wrong.json:in /properties/a/type: a type is one of" "$model" --json-schema "$folder/wrong.json"
expect_failure "libllama reads no JSON schemas" "$model" --json-schema "$folder/answer.json" --with llama
expect_failure "takes a grammar from --grammar FILE" "$model" --settings 'json_schema={}' --with llama
expect_failure "do not go together" "$model" --json-schema "$folder/answer.json" --grammar "$folder/words.gbnf"
expect_failure "cannot be compiled: in /type: a type is one of" "$model" --settings 'json_schema={"type":"strin"}'
expect_failure "goes with --with riffle" "$model" --grammar "$folder/words.gbnf" --grammar-after --with sampler

((failures == 0)) || { echo "$failures checks failed"; exit 1; }
echo "$compared texts alike, $(basename "$model")"
