#!/usr/bin/env bash
# Unmodified programs of llama.cpp's with the library ahead of libllama, and without: the same answers.
#
#     llama_preload_test.sh LIBRARY WRITE_RANDOM_MODEL USE_LLAMA_SAMPLERS OPEN_LLAMA_PLUGIN LLAMA_PLUGIN
#
# Needs llama-server and llama-completion (Debian's llama.cpp-tools) and llama.cpp's own tests (llama.cpp-tests); what is
# missing is left out, and said. RIFFLE_EXAMPLE_MODEL names a GGUF file; without one a small model with random weights is
# written. The server listens on this machine's loopback alone.
set -u
(($# == 5)) || { echo "usage: llama_preload_test.sh LIBRARY WRITE_RANDOM_MODEL USE_LLAMA_SAMPLERS OPEN_LLAMA_PLUGIN LLAMA_PLUGIN"; exit 1; }
library=$(realpath "$1") write_model=$2 use_samplers=$3 open_plugin=$4 plugin=$(realpath "$5")
export LC_ALL=C.UTF-8
unset RIFFLE_PRELOAD

folder=$(mktemp -d)
server=
stop_server() {
    [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null
    server=
}
trap 'stop_server; rm -rf "$folder"' EXIT
failures=0 checks=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
expect_same() { # WHAT FILE FILE
    checks=$((checks + 1))
    cmp -s "$2" "$3" || { fail "$1"; diff <(fold -w 150 "$2") <(fold -w 150 "$3") | head -n 6; }
}
expect_work_of_riffle() { # WHAT OUTPUT
    grep -qE '^riffle: [1-9][0-9]* samplings' "$2" || fail "riffle was not at work: $1"
}

model=${RIFFLE_EXAMPLE_MODEL:-}
if [[ -z $model ]]; then
    model=$folder/random.gguf
    "$write_model" "$model" || exit 1
fi

# --- one program, one text ---------------------------------------------------------------------------------------------

# Once more where the program ended before all was written, which it does at times, whoever samples.
complete() { # OUTPUT LIBRARY ARGUMENT...
    local attempt
    for attempt in 1 2 3 4; do
        complete_once "$@" || return
        [[ -z $(tail -c 1 "$1") ]] && return
    done
}
complete_once() {
    local output=$1 ahead=$2
    shift 2
    LD_PRELOAD=$ahead llama-completion -m "$model" -p "And the king said" -n 48 --seed 11 -no-cnv --no-warmup --simple-io \
        -t 1 "$@" >"$output" 2>"$output.err" </dev/null
}
completions() {
    local options arguments
    printf 'root ::= [a-z ,.]+\n' >"$folder/words.gbnf"
    while read -r options; do
        read -ra arguments <<<"$options"
        complete "$folder/own" "" "${arguments[@]}" || fail "llama-completion $options: $(tail -n 1 "$folder/own.err")"
        RIFFLE_PRELOAD=report complete "$folder/ours" "$library" "${arguments[@]}"
        expect_same "llama-completion $options" "$folder/own" "$folder/ours"
        if [[ $options == *backend* ]]; then
            grep -q '1 chains given back to llama.cpp' "$folder/ours.err" || fail "not given back: $options"
        else
            expect_work_of_riffle "$options" "$folder/ours.err"
        fi
    done <<END
--top-k 40
--temp 1.4 --top-n-sigma 1.5
--temp 0
--temp 0.9 --dynatemp-range 0.5 --top-k 0 --top-p 0.9
--mirostat 1
--mirostat 2 --mirostat-ent 4
--repeat-penalty 1.3 --repeat-last-n 32 --frequency-penalty 0.2 --presence-penalty 0.1
--dry-multiplier 0.8 --dry-allowed-length 1
--xtc-probability 0.6 --xtc-threshold 0.05 --typical 0.8
--samplers min_p;temperature --min-p 0.1
--samplers top_p;adaptive_p --adaptive-target 0.3
--samplers temperature;top_k;penalties;top_p;top_k --top-k 20
--logit-bias 12+3 --logit-bias 13-1 --top-k 0 --top-p 1 --min-p 0
--ignore-eos --min-p 0.2
--grammar-file $folder/words.gbnf
--backend-sampling
--backend-sampling --temp 1.2 --repeat-penalty 1.1
END
    complete "$folder/own" "" --top-k 40
    RIFFLE_PRELOAD=off complete "$folder/ours" "$library" --top-k 40
    expect_same "RIFFLE_PRELOAD=off" "$folder/own" "$folder/ours"
    grep -q riffle "$folder/ours.err" && fail "off says something"
    RIFFLE_PRELOAD=yes complete "$folder/ours" "$library" --top-k 40
    grep -q "RIFFLE_PRELOAD is off, report or nothing, not 'yes'" "$folder/ours.err" || fail "a word that means nothing"
    RIFFLE_PRELOAD=report complete "$folder/ours" "$library" --dry-multiplier 0.8 --samplers 'dry;top_k;temperature'
    grep -q 'left to llama.cpp  dry' "$folder/ours.err" || fail "what llama.cpp does is not reported"
    grep -qE 'top-k [|] temp-ext [|] dist' "$folder/ours.err" || fail "the run is not reported"
}

# --- a server, several requests at a time --------------------------------------------------------------------------------

port=
start_server() { # LIBRARY
    local attempt
    for attempt in 1 2 3 4 5; do
        port=$((20000 + (RANDOM << 3 ^ $$) % 40000))
        LD_PRELOAD=$1 llama-server -m "$model" --host 127.0.0.1 --port "$port" -np 4 -c 2048 -t 1 -tb 1 --seed 5 --no-webui \
            --no-warmup >"$folder/server.log" 2>&1 &
        server=$!
        for _ in {1..300}; do
            kill -0 "$server" 2>/dev/null || break
            [[ $(post /health '') == *'"ok"'* ]] && return 0
            sleep 0.1
        done
        stop_server
    done
    tail -n 5 "$folder/server.log"
    return 1
}
# post PATH BODY: what the server answers, without the head
post() {
    {
        exec 8<>"/dev/tcp/127.0.0.1/$port" || return
    } 2>/dev/null
    printf '%s %s HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
        "$([[ -n $2 ]] && echo POST || echo GET)" "$1" "${#2}" "$2" >&8
    sed '1,/^\r*$/d' <&8
    exec 8>&-
}
# What differs from run to run, whoever samples: times, ids, and what was found in the cache.
without_times() {
    sed -E 's/"timings":\{[^}]*\}//g; s/"(created|id_slot|tokens_cached|tokens_evaluated)":[0-9]+//g; s/"id":"[^"]*"//g; s/"generation_settings":\{.*\},"prompt"/"prompt"/'
}
requests='
{"n_predict":24}
{"n_predict":24,"n_probs":5}
{"n_predict":24,"n_probs":5,"post_sampling_probs":true}
{"n_predict":24,"temperature":1.5,"top_k":0,"top_p":1.0,"min_p":0.0}
{"n_predict":24,"temperature":0,"n_probs":3}
{"n_predict":24,"mirostat":1,"mirostat_tau":4.0}
{"n_predict":24,"mirostat":2}
{"n_predict":24,"dry_multiplier":0.8,"dry_allowed_length":1,"repeat_penalty":1.1}
{"n_predict":24,"repeat_penalty":1.2,"presence_penalty":0.3,"frequency_penalty":0.1,"repeat_last_n":100}
{"n_predict":24,"xtc_probability":0.7,"xtc_threshold":0.05,"typical_p":0.9}
{"n_predict":24,"samplers":["top_k","min_p","temperature"],"min_p":0.05,"top_k":30}
{"n_predict":24,"samplers":["adaptive_p"],"adaptive_target":0.4,"n_probs":2}
{"n_predict":24,"dynatemp_range":0.5,"dynatemp_exponent":1.5,"top_n_sigma":2.0}
{"n_predict":24,"logit_bias":[[10,2.5],[11,false]],"n_probs":2}
{"n_predict":24,"ignore_eos":true,"min_keep":3}
{"n_predict":24,"grammar":"root ::= [a-z ,.]+","n_probs":2}
{"n_predict":24,"json_schema":{"type":"array","items":{"type":"integer"},"maxItems":5}}
{"n_predict":24,"temperature":1.1,"n":2}
'
# ask_all LIBRARY NAME: every request alone, then all at once
ask_all() {
    local number=0 request body
    start_server "$1" || { fail "llama-server does not start"; return 1; }
    while read -r request; do
        [[ -n $request ]] || continue
        number=$((number + 1))
        body="{\"prompt\":\"And the king said\",\"seed\":$((number + 40)),\"cache_prompt\":false,${request:1}"
        post /completion "$body" | without_times >"$folder/$2.$number"
        [[ $request == *'"n":2'* ]] || grep -q '"content"' "$folder/$2.$number" || fail "no answer: $request: $(head -c 300 "$folder/$2.$number")"
    done <<<"$requests"
    number=0
    local waiting=()
    while read -r request; do
        [[ -n $request ]] || continue
        number=$((number + 1))
        body="{\"prompt\":\"And the king said\",\"seed\":$((number + 40)),\"cache_prompt\":false,${request:1}"
        (post /completion "$body" | without_times >"$folder/$2.at-once.$number") &
        waiting+=($!)
    done <<<"$requests"
    wait "${waiting[@]}"
    post /v1/chat/completions '{"messages":[{"role":"user","content":"hello"}],"max_tokens":16,"seed":3,"logprobs":true,"top_logprobs":3}' |
        without_times >"$folder/$2.chat"
    stop_server
}
servers() {
    local file
    ask_all "" own && RIFFLE_PRELOAD=report ask_all "$library" ours || return
    expect_work_of_riffle llama-server "$folder/server.log"
    for file in "$folder"/own.*; do
        [[ $file == *.at-once.* || $file == *.err ]] ||
            expect_same "llama-server, request ${file##*/own.}" "$file" "${file/own./ours.}"
    done
    local same=0 all=0
    for file in "$folder"/own.at-once.*; do
        all=$((all + 1))
        ! cmp -s "$file" "${file/own./ours.}" || same=$((same + 1))
    done
    echo "    several slots at once: $same of $all answers equal"
    ((same == all)) || fail "several slots at once: $same of $all answers equal"
}

# --- llama.cpp's own tests -----------------------------------------------------------------------------------------------

# passes_too TEST ARGUMENT...: a test that passes by itself passes with the library, too
passes_too() {
    local name=${1##*/}
    "$@" >"$folder/own.log" 2>&1 || { echo "    left out: $name ${*:2} does not pass by itself with this model"; return; }
    checks=$((checks + 1))
    RIFFLE_PRELOAD=report LD_PRELOAD=$library "$@" >"$folder/ours.log" 2>&1 || { fail "$name ${*:2}"; tail -n 5 "$folder/ours.log"; }
    grep '^riffle: ' "$folder/ours.log" >>"$folder/reports"
}
own_tests() {
    local test one
    : >"$folder/reports"
    for test in /usr/libexec/*/llama.cpp-tests/test-{sampling,reasoning-budget,grammar-integration,llama-grammar}; do
        [[ ! -x $test ]] || passes_too "$test"
    done
    for test in /usr/libexec/*/llama.cpp-tests/test-backend-sampler; do
        [[ -x $test ]] || { echo "    left out: llama.cpp's own tests are not here (llama.cpp-tests)"; return; }
        for one in $("$test" --model "$model" --test none 2>&1 | sed -nE 's/^ +(test_[a-z_]+)$/\1/p'); do
            passes_too "$test" --model "$model" --test "$one"
        done
    done
    expect_work_of_riffle "llama.cpp's own tests" "$folder/reports"
    grep -q 'given back to llama.cpp' "$folder/reports" || fail "no chain of a test was given back"
}

# All functions of llama.h that have to do with samplers, used as any program may.
functions() {
    "$use_samplers" "$model" >"$folder/own" || fail "use_llama_samplers ends with $?"
    RIFFLE_PRELOAD=report LD_PRELOAD=$library "$use_samplers" "$model" >"$folder/ours" 2>"$folder/ours.err" ||
        fail "with the library, use_llama_samplers ends with $?"
    expect_same "llama.h's functions" "$folder/own" "$folder/ours"
    (($(wc -l <"$folder/own") > 2000)) || fail "few lines of use_llama_samplers"
    grep -qE '; [1-9][0-9]+ of them without a candidate for every token' "$folder/ours.err" || fail "llama_sampler_sample makes candidates"
    grep -q "[0-9] times samplers in use went on as llama.cpp's own" "$folder/ours.err" || fail "nothing was dissolved"
}

# --- other ways into a process -------------------------------------------------------------------------------------------

# Programs without any libllama, and such as open one themselves.
other_programs() {
    local now asked
    for now in "" 1; do
        LD_BIND_NOW=$now LD_PRELOAD=$library /bin/true || fail "a program without libllama does not run (LD_BIND_NOW=$now)"
        asked=$(LD_BIND_NOW=$now LD_PRELOAD=$library RIFFLE_PRELOAD=report "$open_plugin" "$plugin" 2>"$folder/ours.err")
        [[ $asked == 'samplers of a plugin: 2' ]] || fail "a plugin (LD_BIND_NOW=$now): $asked $(tail -n 1 "$folder/ours.err")"
        expect_work_of_riffle "a plugin" "$folder/ours.err"
        checks=$((checks + 2))
    done
}
# Python's ctypes looks functions up in libllama itself.
from_python() {
    local asked
    command -v python3 >/dev/null || { echo "    left out: no python3 here"; return; }
    asked=$(LD_PRELOAD=$library python3 - 2>&1 <<'END'
import ctypes
llama = ctypes.CDLL("libllama.so.0")
pointer = ctypes.c_void_p
for name in "init_top_k", "init_dist", "clone": getattr(llama, "llama_sampler_" + name).restype = pointer
llama.llama_sampler_name.restype = ctypes.c_char_p
for made in llama.llama_sampler_init_top_k(40), llama.llama_sampler_init_dist(5):
    print(llama.llama_sampler_name(pointer(llama.llama_sampler_clone(pointer(made)))).decode())
END
    )
    checks=$((checks + 1))
    [[ $asked == $'top-k\ndist' ]] || fail "from Python: $asked"
}

functions
if command -v llama-completion >/dev/null; then completions; else echo "    left out: no llama-completion here (llama.cpp-tools)"; fi
if command -v llama-server >/dev/null; then servers; else echo "    left out: no llama-server here (llama.cpp-tools)"; fi
own_tests
other_programs
from_python

((failures == 0)) && echo "all $checks checks passed" || echo "$failures of $checks checks failed"
exit $((failures > 0))
