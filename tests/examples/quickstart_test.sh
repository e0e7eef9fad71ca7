#!/usr/bin/env bash
# The quickstart as somebody at a terminal meets it: quickstart_test.sh PATH_OF_QUICKSTART
# Needs nothing but bash, coreutils, grep, sed and awk; with script (bsdutils) the colours are looked at too.
set -u
quickstart=${1:?usage: quickstart_test.sh PATH_OF_QUICKSTART}
[[ -x $quickstart ]] || { echo "no such program: $quickstart"; exit 1; }
export LC_ALL=C.UTF-8 TERM=xterm
unset NO_COLOR

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
code=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    out: /' "$folder/out" | head -n 20
    sed 's/^/    err: /' "$folder/err" | head -n 20
    failures=$((failures + 1))
}

run() {
    "$quickstart" "$@" >"$folder/out" 2>"$folder/err" </dev/null
    code=$?
}

# expect_success ARGUMENT...
expect_success() {
    run "$@"
    ((code == 0)) || fail "exit code $code, not 0: quickstart $*"
}

# expect_failure CODE PART_OF_THE_MESSAGE ARGUMENT...
expect_failure() {
    local wanted=$1 message=$2
    shift 2
    run "$@"
    ((code == wanted)) || fail "exit code $code, not $wanted: quickstart $*"
    grep -qF -e "$message" "$folder/err" || fail "no '$message' in the message of: quickstart $*"
    [[ ! -s $folder/out ]] || fail "output beside the message: quickstart $*"
}

expect_output() { grep -q -e "$1" "$folder/out" || fail "no '$1' in the output"; }

# greedy_token ROW: what the greedy chain chose in the last table of recorded rows
greedy_token() { awk -v row="$1" '$1 == row { print $2 }' "$folder/out"; }

expect_token() {
    [[ $(greedy_token "$1") == "$2" ]] || fail "row $1: token '$(greedy_token "$1")', not $2"
}

# bytes HEX...: these bytes
bytes() {
    local byte
    for byte in "$@"; do printf '%b' "\\x$byte"; done
}

longest_line() { wc -L <"$1"; } # in columns of a terminal

# --- its own text ----------------------------------------------------------------------------------------------------

expect_success
cp "$folder/out" "$folder/first"
expect_output 'greedy  *default, seed 42  *creative, seed 42'
expect_output 'top_k 40'
expect_output 'the default chain at step 1 '
expect_output 'in the model  *after the chain'
expect_output ' cut by '
expect_output '^dist .* 1  chooses '
[[ ! -s $folder/err ]] || fail "progress for a small text"
grep -q $'\033' "$folder/out" && fail "escape sequences in a file"

expect_success
cmp -s "$folder/first" "$folder/out" || fail "two runs with one seed differ"
expect_success --seed 43
cmp -s "$folder/first" "$folder/out" && fail "two seeds, the same text"
expect_success --seed random --tokens 5
expect_success --seed=18446744073709551615 --tokens=5 --prompt 'The old' --step 5
expect_output 18446744073709551615
expect_output 'the default chain at step 5 '
expect_success --tokens 5 --prompt ''

# The text is put together, learnt and continued by integers, sums and riffle's own functions: every machine, compiler
# and standard library writes the same.
expect_success --width 100
expect_output '366347 bytes, 81264 tokens of a vocabulary of 1961, 13943'
written=$(sed -n '/^One evening/,/^$/p' "$folder/out" | cut -c 35-66 | sed 's/  *$//' | paste -sd ' ')
[[ $written == 'One evening the whole harbour had an answer. The key still hangs over the door. At the inn they gave Lena'* ]] ||
    fail "the default chain writes something else: $written"

for width in 64 80 200; do
    expect_success --width $width
    (($(longest_line "$folder/out") <= width)) || fail "lines of $(longest_line "$folder/out") columns at --width $width"
done

LC_ALL=C expect_success --tokens 5
LC_ALL=C grep -q $'[\x80-\xff]' "$folder/out" && fail "more than ASCII under LC_ALL=C"

expect_success --help
for option in --watch --chain --prompt --tokens --step --seed --vocab --logits --rows --type --width --no-color; do
    expect_output "^  $option "
done
cp "$folder/out" "$folder/help"
expect_success -h
cmp -s "$folder/help" "$folder/out" || fail "-h is not --help"

# --- one step at a time, with keys -------------------------------------------------------------------------------------

# watch KEYS ARGUMENT...: what the last picture shows
watch() {
    local keys=$1
    shift
    printf "$keys" | "$quickstart" --watch --width 100 "$@" >"$folder/pictures" 2>"$folder/err"
    code=$?
    ((code == 0)) || fail "exit code $code: quickstart --watch $*"
    awk '/^── text/ { picture = "" } { picture = picture $0 "\n" } END { printf "%s", picture }' "$folder/pictures" >"$folder/out"
}
watch q
expect_output '^penalties  *>penalty_last_n 64   penalty_repeat 1.1 '
expect_output '^dist  * seed 42'
expect_output 'the next token, number 1 '
watch 'gq'
expect_output 'One evening the whole harbour had an answer. The key still hangs over the door'
expect_output 'the next token, number 41 '
watch 'gbbq'
expect_output 'the next token, number 39 '
watch 'jjjj\033[C\033[Bq'  # down to top_k, to the right, down to top_p
expect_output 'top_k 44'
expect_output '>top_p 0.95'
watch '\033[B\033[B\033[B\033[B\033[6~\033[Dq'  # by ten steps down, and one more
expect_output '>top_k 16'
watch 'jjjj q'
expect_output '^top_k  *>top_k 40  off$'
grep -q '^top_k  *[0-9]* *40 ' "$folder/out" && fail "a stage that is off cuts"
watch 'jjjj>q'
awk '/^top_p / { p = NR } /^top_k / { k = NR } END { exit !(p && p < k) }' "$folder/out" || fail "top_k did not move behind top_p"
watch 'dq'
expect_output '1000 draws of it'
[[ $(awk '/draws of it/ { seen = 1 } seen && match($0, /% +[0-9]+/) { split(substr($0, RSTART), part, " "); sum += part[2] }
          END { print (sum > 500 && sum <= 1000) }' "$folder/out") == 1 ]] || fail "draws that do not add up"
for seed in 1 2 3 4; do  # of steps in which xtc leaves tokens out, and of others
    watch 'dq' --prompt 'The' --chain 'xtc_probability=0.5;xtc_threshold=0.02' --seed "$seed"
    awk '/draws of it/ { seen = 1 } seen && match($0, /[0-9.]+ % +[0-9]+/) {
             split(substr($0, RSTART, RLENGTH), part, / % +/)
             if (part[1] - part[2] / 10 > 6 || part[2] / 10 - part[1] > 6) far = 1
             ++rows
         } END { exit far || !rows }' "$folder/out" || fail "draws far from the distribution shown"
done
watch ''  # no key at all
watch '\033[Cq' --chain 'top_k=2147483647'
expect_output '>top_k 1000000 '
watch '\033[Dq' --chain 'top_k=-2147483648'
expect_output '>top_k -1 '
watch 'q' --chain 'top_k=3;temp=2;greedy' --prompt 'The old'
expect_output '^greedy'
expect_output 'The old'
watch 'zZ%%\033[H\033\n\033[Zq'  # keys that mean nothing, and return
expect_failure 2 'tpk' --watch --chain 'tpk=3'
expect_failure 2 'add --watch' --chain 'top_k=3'
expect_failure 2 'drop --tokens and --step' --watch --tokens 5
if command -v script >/dev/null; then
    # a terminal of its own, which is as it was afterwards
    printf 'jgq' | script -qec "stty -g >'$folder/before'; '$quickstart' --watch; stty -g >'$folder/after'" /dev/null >"$folder/out" 2>&1
    cmp -s "$folder/before" "$folder/after" || fail "the terminal is not as it was"
    grep -q $'\033\[?1049l' "$folder/out" || fail "the screen of its own is not left"
fi

# --- any text --------------------------------------------------------------------------------------------------------

printf 'hello\n' >"$folder/word"
expect_success "$folder/word"
printf 'x' >"$folder/letter"
expect_success --tokens 3 "$folder/letter"
printf 'the cat sat on the mat.\nthe dog sat on the log.\n\nthe end\n' >"$folder/small text"
expect_success --tokens 10 -- "$folder/small text"
expect_output 'small text'
bytes 00 ff fe 80 c3 28 ed a0 80 f4 90 80 80 1b 5b 33 31 6d 0a >"$folder/bytes"
expect_success "$folder/bytes"
grep -q $'\033' "$folder/out" && fail "an escape sequence of the text reached the terminal"
head -c 300000 /dev/urandom >"$folder/noise"
expect_success --tokens 20 "$folder/noise"
printf 'größer straße 日本語のテキスト, größer straße 日本語のテキスト\n' >"$folder/accents"
expect_success --prompt 'größer' --tokens 12 "$folder/accents"
expect_output 'größer'
mkdir "$folder/texts" "$folder/nothing"
cp "$folder/small text" "$folder/word" "$folder/texts"
expect_success --tokens 5 "$folder/texts"
expect_success --vocab 256 --tokens 5 "$folder/small text"

awk 'BEGIN { for (i = 0; i < 60000; ++i) printf "line %d says that %d and %d differ\n", i, i * 7 % 1000, i % 97 }' \
    >"$folder/large"
expect_success --tokens 10 "$folder/large"
grep -q 'counting n-grams 100 %' "$folder/err" || fail "no progress for a large text"
grep -q $'[\r\033]' "$folder/err" && fail "progress of a terminal in a file"

: >"$folder/empty"
printf ' \n\t\n' >"$folder/blank"
expect_failure 1 "'$folder/empty' is empty; expected a text" "$folder/empty"
expect_failure 1 "'$folder/blank' holds nothing but blanks" "$folder/blank"
printf '\037\213\010 and so on' >"$folder/packed"
expect_failure 1 "'$folder/packed' is packed with gzip; expected a text" "$folder/packed"
expect_failure 1 "cannot read '$folder/missing': No such file or directory; expected a text file" "$folder/missing"
expect_failure 1 "'$folder/nothing' holds no text" "$folder/nothing"

# --- recorded rows ---------------------------------------------------------------------------------------------------

# float32: [0 1 2 0], [2 0 0 0], [NaN 1 -inf 0], [1 +inf 2 0], [-inf -inf -inf -inf]
zero='00 00 00 00' one='00 00 80 3f' two='00 00 00 40' nan='00 00 c0 7f' infinity='00 00 80 7f' none='00 00 80 ff'
# shellcheck disable=SC2086 # the bytes are words
bytes $zero $one $two $zero $two $zero $zero $zero $nan $one $none $zero $one $infinity $two $zero \
    $none $none $none $none >"$folder/rows.f32"
expect_success --logits "$folder/rows.f32" --rows 5 --vocab 4
expect_output '5 rows of 4 float32 logits'
expect_token 0 2
expect_token 1 0
expect_token 2 1
expect_token 3 1
expect_output '^ *0 .* 61.0 %'  # e^2 / (e^2 + e + 2)
expect_output '^ *2 .*NaN or infinity'
expect_output '^ *4  *[a-z]'    # a sentence, no token
cp "$folder/out" "$folder/first"
expect_success --logits "$folder/rows.f32" --rows 5 --vocab 4 --type f32
cmp -s "$folder/first" "$folder/out" || fail "--type f32 reads something else"

# float16, with the least and the greatest denormals, the least and the greatest normal numbers
zero='00 00' one='00 3c' two='00 40' nan='00 7e' infinity='00 7c' none='00 fc'
least='01 00' minus_least='01 80' greatest_denormal='ff 03' least_normal='00 04' greatest='ff 7b'
# shellcheck disable=SC2086
bytes $zero $one $two $zero $none $zero $least $minus_least $nan $one $none $zero $one $infinity $greatest $zero \
    $none $none $none $none $least $zero $minus_least $greatest_denormal $zero $least_normal $greatest_denormal $least \
    $two $greatest $one $zero >"$folder/rows.f16"
expect_success --logits "$folder/rows.f16" --rows 8 --vocab 4
expect_output '8 rows of 4 float16 logits'
row=0
for token in 2 2 1 1 '' 3 1 1; do
    [[ -z $token ]] || expect_token $row "$token"
    row=$((row + 1))
done
expect_output '^ *0 .* 61.0 %'
cp "$folder/out" "$folder/first"
expect_success --logits "$folder/rows.f16" --rows 8 --vocab 4 --type f16
cmp -s "$folder/first" "$folder/out" || fail "--type f16 reads something else"
expect_success --logits "$folder/rows.f16" --rows 4 --vocab 4 --type f32
expect_success --logits "$folder/rows.f16" --rows 32 --vocab 1

expect_failure 1 "cannot open '$folder/missing': No such file or directory; expected 5 rows of 4 logits" \
    --logits "$folder/missing" --rows 5 --vocab 4
expect_failure 1 "'$folder/rows.f32' has 80 bytes; 3 rows of 4 logits are 48 bytes (float32) or 24 bytes (float16)" \
    --logits "$folder/rows.f32" --rows 3 --vocab 4
expect_failure 1 "with --vocab 4 it would be --rows 5 as float32 or --rows 10 as float16" \
    --logits "$folder/rows.f32" --rows 3 --vocab 4
expect_failure 1 "it is no whole number of rows of --vocab 7" --logits "$folder/rows.f32" --rows 3 --vocab 7
expect_failure 1 "are 40 bytes (float16)" --logits "$folder/rows.f32" --rows 5 --vocab 4 --type f16
expect_failure 1 "'$folder/empty' has 0 bytes" --logits "$folder/empty" --rows 1 --vocab 4
expect_failure 1 "'$folder' is not a regular file" --logits "$folder" --rows 1 --vocab 4
expect_failure 1 "has 80 bytes" --logits "$folder/rows.f32" --rows 2147483647 --vocab 2147483647
expect_failure 2 "--logits needs --rows N and --vocab V" --logits "$folder/rows.f32" --rows 5
expect_failure 2 "drop '$folder/word' or --logits" --logits "$folder/rows.f32" --rows 5 --vocab 4 "$folder/word"
for option in --prompt=a --tokens=5 --step=1; do
    expect_failure 2 "${option%=*} is about generated text" --logits "$folder/rows.f32" --rows 5 --vocab 4 "$option"
done
expect_failure 2 "name it with --logits FILE" --rows 5
expect_failure 2 "name it with --logits FILE" --type f16
expect_failure 2 "--type: expected f32 or f16, not 'bf16'" --type bf16

# --- the command line ------------------------------------------------------------------------------------------------

expect_failure 2 "unknown option '--sed'; did you mean --seed?" --sed 3
expect_failure 2 "unknown option '--no-colour'; did you mean --no-color?" --no-colour
expect_failure 2 "unknown option '--frobnicate'; --help lists the options" --frobnicate
expect_failure 2 "--tokens: expected a whole number from 1 to 10000, not 'many'" --tokens many
for value in 0 -1 1.5 1e3 0x10 99999999999999999999 ' 5' ''; do
    expect_failure 2 "--tokens: expected a whole number from 1 to 10000, not '$value'" --tokens "$value"
done
expect_failure 2 "--seed: expected a whole number" --seed 18446744073709551616
expect_failure 2 "--width: expected a whole number from 64 to 400, not '10'" --width 10
expect_failure 2 "--vocab: a text is cut into 256 to 65536 different tokens, not 12" --vocab 12
expect_failure 2 "--step 9: only 5 tokens are generated" --tokens 5 --step 9
expect_failure 2 "--seed needs a value: --seed N" --seed
expect_failure 2 "--no-color takes no value" --no-color=1
expect_failure 2 "one text at a time: 'one' or 'two'" one two

if [[ -e /dev/full ]]; then
    "$quickstart" --help >/dev/full 2>"$folder/err"
    code=$?
    ((code == 1)) || fail "exit code $code, not 1, when the disk is full"
fi

# --- a terminal ------------------------------------------------------------------------------------------------------

# A bare chroot has no pseudo-terminals, and then script is of no use either.
on_terminal() { SHELL=/bin/sh script -qec "$*" /dev/null </dev/null >"$folder/out" 2>"$folder/err"; }
if command -v script >/dev/null && on_terminal true; then
    on_terminal "'$quickstart' --tokens 20"
    grep -q $'\033\[' "$folder/out" || fail "no colours on a terminal"
    on_terminal "'$quickstart' --tokens 20 --no-color"
    grep -q $'\033' "$folder/out" && fail "colours in spite of --no-color"
    on_terminal "NO_COLOR=1 '$quickstart' --tokens 20"
    grep -q $'\033' "$folder/out" && fail "colours in spite of NO_COLOR"
else
    echo "there is no script, or no terminal for it: colours on a terminal were not looked at"
fi

if ((failures > 0)); then
    echo "$failures checks failed"
    exit 1
fi
echo "all checks passed"
