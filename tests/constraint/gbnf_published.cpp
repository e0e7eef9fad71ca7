// Grammars of the kinds that people write, each with texts that it takes and texts that it does not.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "constraint/grammar_texts.hpp"

namespace riffle_tests::constraint_gbnf_published {
namespace {

using namespace riffle;
using grammar_texts::expect_texts;
using grammar_texts::small_model;
using grammar_texts::tokens;

TEST(GbnfPublished, Json) {
    const std::string_view json = R"g(
# Any JSON value, with blanks where they may stand.
root   ::= ws value ws
value  ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws ( pair ( ws "," ws pair )* )? ws "}"
pair   ::= string ws ":" ws value
array  ::= "[" ws ( value ( ws "," ws value )* )? ws "]"
string ::= "\"" char* "\""
char   ::= [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} )
number ::= "-"? ( "0" | [1-9] [0-9]* ) ( "." [0-9]+ )? ( [eE] [-+]? [0-9]+ )?
ws     ::= [ \t\n\r]*
)g";
    expect_texts(json,
                 {"{}",
                  "[]",
                  "0",
                  "-0",
                  "10",
                  "-12.5e+7",
                  "true",
                  "false",
                  "null",
                  "\"\"",
                  " { } ",
                  "[1,2, 3]",
                  "[[[[]]]]",
                  R"({"a":1})",
                  R"({"a" : [true, null] , "b":{"c":"d"}})",
                  R"("\u00e9\n\"\\\/")",
                  R"("日本語 😀")",
                  "{\n  \"name\": \"Ann\",\n  \"age\": 30\n}",
                  "\t1\r\n",
                  "1E5",
                  R"([{"":""},{}])"},
                 {"",      " ",       "{",  "}",        "[1,]",        "[,1]",     "{\"a\"}", "{\"a\":}",
                  "{a:1}", "{'a':1}", "01", "1.",       ".5",          "+1",       "1e",      "tru",
                  "True",  "nul",     "\"", "\"\\x\"",  "\"\\u12g4\"", "\"a\nb\"", "[1 2]",   "{\"a\":1,}",
                  "{} {}", "[",       "]",  "\"\xFF\"", "NaN",         "1 2"});
}
TEST(GbnfPublished, JsonOfAKnownForm) {
    expect_texts(
        R"g(
root ::= "{\"name\":" str ",\"age\":" age ",\"tags\":[" ( str ("," str){0,3} )? "],\"role\":" role "}"
str  ::= "\"" [^"\\\x00-\x1F]{0,20} "\""
age  ::= "0" | [1-9] [0-9]{0,2}
role ::= "\"" ("admin" | "adviser" | "user") "\""
)g",
        {R"({"name":"Ann","age":30,"tags":[],"role":"admin"})", R"({"name":"","age":0,"tags":["a"],"role":"adviser"})",
         R"({"name":"日本語日本語日本語日本語日本語日本語日本","age":999,"tags":["a","b","c","d"],"role":"user"})"},
        {R"({"name":"Ann","age":1000,"tags":[],"role":"admin"})",
         R"({"name":"Ann","age":030,"tags":[],"role":"admin"})",
         R"({"name":"aaaaaaaaaaaaaaaaaaaaa","age":1,"tags":[],"role":"user"})",
         R"({"name":"Ann","age":1,"tags":["a","b","c","d","e"],"role":"user"})",
         R"({"name":"Ann","age":1,"tags":[],"role":"adm"})", R"({"age":1,"name":"Ann","tags":[],"role":"user"})",
         R"({"name":"Ann","age":1,"tags":["a",],"role":"user"})", R"({"name":"Ann"})"});
}
TEST(GbnfPublished, JsonLines) {
    expect_texts("root ::= (\"{\\\"n\\\":\" [0-9]+ \"}\\n\")+", {"{\"n\":1}\n", "{\"n\":1}\n{\"n\":22}\n"},
                 {"", "{\"n\":1}", "{\"n\":1}\n\n", "{\"n\":}\n"});
}

TEST(GbnfPublished, Arithmetic) {
    expect_texts(R"g(
root   ::= sum
sum    ::= term ( ws [-+] ws term )*
term   ::= factor ( ws [*/%] ws factor )*
factor ::= atom ( "^" factor )?
atom   ::= number | name | "-" atom | "(" ws sum ws ")"
number ::= [0-9]+ ( "." [0-9]+ )?
name   ::= [a-z] [a-z0-9_]*
ws     ::= " "*
)g",
                 {"1", "1+2", "1 + 2 * 3", "(1+2)*3", "((((1))))", "-x", "--x", "a_1*b2/3.25", "2^3^4", "( 1 )",
                  "-(a - b)", "1 -1"},
                 {"", "+1", "1+", "1 2", "(1", "1)", "()", "1..2", "1.", "a b", "2^", "A", "1 ", "*", "1+*2"});
}
TEST(GbnfPublished, Equations) {
    expect_texts("root ::= (expr \"=\" num \"\\n\")+\nexpr ::= num ([-+*/] num)*\nnum ::= \"-\"? [0-9]+",
                 {"1+1=2\n", "1=1\n2*3-4=2\n", "-1+-1=-2\n"}, {"1+1=2", "1+=2\n", "=2\n", "1+1=2\n\n", "1+1=2+0\n"});
}
TEST(GbnfPublished, Booleans) {
    expect_texts(R"g(
root ::= or
or   ::= and (" or " and)*
and  ::= not (" and " not)*
not  ::= "not " not | "true" | "false" | "(" or ")"
)g",
                 {"true", "not not false", "true and (false or true)", "not (true or false) and true"},
                 {"", "not", "true and", "and true", "true or or false", "true  or false", "nottrue"});
}

TEST(GbnfPublished, Lists) {
    expect_texts("root ::= item+\nitem ::= \"- \" [^\\r\\n\\x0b\\x0c\\x85\\u2028\\u2029]+ \"\\n\"",
                 {"- a\n", "- eggs\n- milk and honey\n", "- é日😀\n- -\n", "-  \n"},
                 {"", "- \n", "-a\n", "- a", "a\n", "- a\n\n- b\n", "- a\xC2\x85\n", "- a\xE2\x80\xA8\n", "- a\x0B\n"});
    expect_texts("root ::= (num \". \" [^\\n]+ \"\\n\"){3}\nnum ::= [1-9] [0-9]?",
                 {"1. a\n2. b\n3. c\n", "10. x\n99. y\n1. z\n"},
                 {"1. a\n2. b\n", "0. a\n1. b\n2. c\n", "1. a\n2. b\n3. c\n4. d\n"});
    expect_texts("root ::= \"[\" [a-z]+ (\", \" [a-z]+)* \"]\"", {"[a]", "[ab, cd]"},
                 {"[]", "[a,b]", "[a, ]", "[a", "[A]"});
}
TEST(GbnfPublished, ListsThatAreIndented) {
    expect_texts(R"g(
root   ::= first+
first  ::= "- " text second*
second ::= "  - " text third*
third  ::= "    - " text
text   ::= [^ \n] [^\n]* "\n"
)g",
                 {"- a\n", "- a\n  - b\n", "- a\n  - b\n    - c\n    - d\n  - e\n- f\n"},
                 {"", "  - b\n", "- a\n    - c\n", "-  a\n", "- a\n - b\n", "- a\n      - d\n", "- a"});
}
TEST(GbnfPublished, OutlinesOfAnyDepthInBrackets) {
    expect_texts("root ::= node\nnode ::= [a-z]+ (\"(\" node (\" \" node)* \")\")?", {"a", "a(b)", "a(b c(d e(f)) g)"},
                 {"", "a()", "a(b", "a b", "a(b)c", "(a)"});
}

TEST(GbnfPublished, ChessMoves) {
    expect_texts(R"g(
root    ::= "1. " move " " move "\n" ( [1-9] [0-9]? ". " move ( " " move )? "\n" )*
move    ::= ( pawn | piece | castle ) [+#]?
pawn    ::= ( [a-h] "x" )? square ( "=" [NBRQ] )?
piece   ::= [NBRQK] [a-h]? [1-8]? "x"? square
square  ::= [a-h] [1-8]
castle  ::= "O-O" "-O"?
)g",
                 {"1. e4 e5\n", "1. e4 c5\n2. Nf3 d6\n3. d4 cxd4\n", "1. Nbd2 R1xa3+\n2. O-O-O O-O\n",
                  "1. exd8=Q# Kxd8\n2. Qh4xe1\n"},
                 {"", "e4 e5\n", "1. e4\n", "1. e9 e5\n", "1. i4 e5\n", "1. e4 e5", "1. e4 Zf3\n", "1. O-O-O-O e5\n",
                  "1. e4 e5\n2.\n", "1. e8=K e5\n", "1.e4 e5\n"});
}
TEST(GbnfPublished, MovesOfAGameWithWords) {
    expect_texts(R"(root ::= "go " dir | "take " thing | "say \"" [^"\n]{1,40} "\"" | "wait"
dir ::= "north" ("east" | "west")? | "south" ("east" | "west")? | "east" | "west"
thing ::= ("the " | "a ")? ("lamp" | "lantern" | "key")
)",
                 {"go north", "go northeast", "go west", "take the lamp", "take lantern", "take a key",
                  "say \"Hi! Grüße.\"", "wait"},
                 {"go", "go up", "go northnorth", "go eastwest", "take", "take the", "take the a key", "say \"\"",
                  "say \"a\nb\"", "waits", "say \"12345678901234567890123456789012345678901\"", "take lan"});
}

TEST(GbnfPublished, DatesAndTimes) {
    expect_texts(R"(
root  ::= date ("T" time)?
date  ::= [0-9]{4} "-" month
month ::= ("01" | "03" | "05" | "07" | "08" | "10" | "12") "-" ("0" [1-9] | [12] [0-9] | "3" [01]) |
          ("04" | "06" | "09" | "11") "-" ("0" [1-9] | [12] [0-9] | "30") |
          "02-" ("0" [1-9] | [12] [0-9])
time  ::= ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] (":" [0-5] [0-9] ("." [0-9]{1,6})?)? zone
zone  ::= "Z" | [-+] [01] [0-9] ":" [0-5] [0-9]
)",
                 {"2024-02-29", "1999-12-31", "2026-11-30", "2026-01-31T23:59Z", "2026-01-31T00:00:00.123456+01:30"},
                 {"2024-02-30", "2024-13-01", "2024-00-01", "2024-04-31", "24-01-01", "2024-1-01", "2024-01-32",
                  "2026-01-31T24:00Z", "2026-01-31T00:60Z", "2026-01-31T00:00", "2026-01-31T00:00:00.1234567Z",
                  "2026-01-31 00:00Z"});
    expect_texts(R"(root ::= ([1-9] | "1" [0-2]) (":" [0-5] [0-9])? " "? ("am" | "pm"))", {"1am", "12:30 pm", "9:05am"},
                 {"13am", "0am", "1:5am", "1", "1 m"});
}
TEST(GbnfPublished, Numbers) {
    expect_texts(R"(root ::= "0x" [0-9a-f]+ | "0b" [01]{8} | "-"? [1-9] [0-9]{0,2} ("," [0-9]{3})*)",
                 {"0xff", "0b01010101", "1", "-12,345,678", "999"},
                 {"0x", "0xFF", "0b0101010", "0b010101010", "1234", "12,34", "0", "-0", ",123"});
    // 0 to 255, four times.
    expect_texts("root ::= b \".\" b \".\" b \".\" b\nb ::= [0-9] | [1-9] [0-9] | \"1\" [0-9]{2} | \"2\" ([0-4] [0-9] "
                 "| \"5\" [0-5])",
                 {"0.0.0.0", "255.255.255.255", "192.168.1.20"},
                 {"256.0.0.0", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.300", ""});
    expect_texts("root ::= [IVX]{1,3} | \"#\" ([0-9a-fA-F]{3} | [0-9a-fA-F]{6})", {"XIV", "#fff", "#A0b1C2"},
                 {"XXXX", "#ffff", "#fffffff", "#", "fff"});
    expect_texts(
        R"(root ::= [0-9]{3} "-" [0-9]{4} | "(" [0-9]{3} ") " [0-9]{3} "-" [0-9]{4} |
 "+" [0-9]{1,3} (" " [0-9]{2,4}){2,4})",
        {"555-0100", "(212) 555-0100", "+49 30 1234 567"},
        {"5550100", "(212)555-0100", "+49 30", "+49 1 22", "555-01000"});
    expect_texts("root ::= h{8} (\"-\" h{4}){3} \"-\" h{12}\nh ::= [0-9a-f]", {"123e4567-e89b-12d3-a456-426614174000"},
                 {"123e4567-e89b-12d3-a456-42661417400", "123e4567e89b12d3a456426614174000",
                  "123E4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-4266141740000"});
}

TEST(GbnfPublished, FunctionCalls) {
    expect_texts(R"g(
root ::= call ("; " call)*
call ::= name "(" (arg (", " arg)*)? ")"
arg  ::= (name "=")? value
value ::= call | string | num | "True" | "False" | "None" | "[" (value (", " value)*)? "]" | name
name ::= [a-zA-Z_] [a-zA-Z0-9_]*
string ::= "'" ([^'\\\n] | "\\" .)* "'"
num ::= "-"? [0-9]+ ("." [0-9]+)?
)g",
                 {"f()", "f(1)", "f(1, -2.5, x)", "get_weather(city='Paris', days=3)", "f(g(h()), k=[1, [2], 'a'])",
                  "f(); g()", R"(say('it\'s'))", "f(True, Truest)", "f(None=None)"},
                 {"f", "f(", "f(1,2)", "f(, 1)", "f(1, )", "1()", "f(a=)", "f(a=b=c)", "f('a)", "f() g()", "f(());",
                  "f(k=[1,2])", "f(2a)"});
}
TEST(GbnfPublished, Sql) {
    expect_texts(
        R"g(
root   ::= select ";"
select ::= "SELECT " ("DISTINCT ")? cols " FROM " name (" AS " name)? (" JOIN " name " ON " col " = " col)* tail
tail   ::= (" WHERE " cond)? (" ORDER BY " col (" ASC" | " DESC")?)? (" LIMIT " [0-9]{1,4})?
cols   ::= "*" | expr (", " expr)*
expr   ::= ("COUNT" | "SUM" | "MIN" | "MAX") "(" ("*" | col) ")" | col
col    ::= name ("." name)?
name   ::= [a-z] [a-z_0-9]{0,30}
cond   ::= test ((" AND " | " OR ") test)*
test   ::= col " " ("=" | "<>" | "<" "="? | ">" "="? | "LIKE") " " lit |
           col " IN (" (select | lit (", " lit)*) ")" | col " IS " "NOT "? "NULL" | "(" cond ")"
lit    ::= "-"? [0-9]+ | "'" ([^'] | "''")* "'"
)g",
        {"SELECT * FROM t;", "SELECT a, t.b FROM t WHERE a = 1;",
         "SELECT DISTINCT a FROM t AS u ORDER BY a DESC LIMIT 10;",
         "SELECT COUNT(*), MAX(x) FROM t JOIN u ON t.id = u.id WHERE (a < 1 OR b >= 'it''s') AND c IS NOT NULL;",
         "SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE d LIKE '%日%');",
         "SELECT a FROM t WHERE b IN (1, -2, 'x');"},
        {"SELECT * FROM t", "SELECT FROM t;", "SELECT * FROM;", "SELECT *, a FROM t;", "SELECT a FROM t WHERE;",
         "DROP TABLE t;", "SELECT a FROM t WHERE a = ;", "SELECT a FROM t WHERE a = 'x;",
         "SELECT a FROM t LIMIT 12345;", "SELECT a FROM t ORDER BY;", "SELECT a FROM t; SELECT b FROM t;",
         "SELECT a FROM t WHERE b IN ();", "select * from t;"});
}
TEST(GbnfPublished, TablesWithCommas) {
    expect_texts(R"g(
root  ::= row+
row   ::= field ("," field){2} "\r"? "\n"
field ::= [^",\r\n]* | "\"" ([^"] | "\"\"")* "\""
)g",
                 {"a,b,c\n", ",,\n", "1,\"x, y\",\"say \"\"hi\"\"\"\r\n", "a,\"line\nline\",c\nd,e,f\n", "日,本,語\n"},
                 {"", "a,b\n", "a,b,c", "a,b,c,d\n", "a,\"b,c\n", "a,b\"c,d\n", "a,\"b\"c,d\n", "\n"});
}
TEST(GbnfPublished, KeysAndValues) {
    expect_texts(R"g(
root    ::= (section | pair | note | "\n")*
section ::= "[" [a-z.]+ "]\n"
pair    ::= [a-zA-Z_] [a-zA-Z0-9_]* " "? "=" " "? ([^\n#"]* | "\"" [^"\n]* "\"") note? "\n"?
note    ::= "#" [^\n]* "\n"
)g",
                 {"", "\n", "a=1\n", "[main]\nname = \"x y\"\n# note\n\n", "a=\n", "A_1 = b # why\n"},
                 {"=1\n", "[]\n", "[A]\n", "1a=2\n", "a \"b\"\n", "a=\"b\n", "[main\n"});
    expect_texts(
        "root ::= pair (\"&\" pair)*\npair ::= word \"=\" word?\nword ::= ([a-zA-Z0-9._~-] | \"%\" [0-9A-F]{2})+",
        {"a=1", "a=&b=%20x", "q=c%2B%2B&lang=en-US"}, {"", "a", "=1", "a=1&", "a=%2", "a=%2g", "a=b=c", "a=1&&b=2"});
}
TEST(GbnfPublished, Addresses) {
    expect_texts(R"g(
root  ::= local "@" label ("." label)* "." [a-z]{2,8}
local ::= atom ("." atom)*
atom  ::= [a-zA-Z0-9_+-]+
label ::= [a-z0-9] ([a-z0-9-]* [a-z0-9])?
)g",
                 {"a@b.de", "first.last+tag@mail.example.org", "x_y@a-b.co", "0@0.aa"},
                 {"", "a", "a@b", "@b.de", "a@.de", "a..b@c.de", ".a@b.de", "a@-b.de", "a@b-.de", "a@b.d", "a@b.de.",
                  "a b@c.de", "a@b@c.de"});
    expect_texts(
        R"(root ::= "http" "s"? "://" [a-z0-9.-]+ (":" [0-9]{1,5})? ("/" [^ \n?#]*)? ("?" [^ \n#]*)? ("#" [^ \n]*)?)",
        {"http://a", "https://a.b:8080/c/d?e=f#g", "https://a?b", "http://a#"},
        {"http:/a", "ftp://a", "http://", "http://a b", "http://a:123456", "http://A"});
    expect_texts(R"(root ::= ("/" [^/\x00]+)+ | "/" | [A-Z] ":" ("\\" [^\\/:*?"<>|]+)+)",
                 {"/", "/usr/bin", "C:\\a\\b c", "/日本"},
                 {"", "//", "/a/", "C:", "C:\\", "C:\\a\\", "c:\\a", "C:\\a|b"});
}
TEST(GbnfPublished, Versions) {
    expect_texts(R"(root ::= n "." n "." n ("-" id ("." id)*)? ("+" id)?
n ::= "0" | [1-9] [0-9]*
id ::= [0-9A-Za-z-]+)",
                 {"0.0.0", "1.20.3", "1.0.0-alpha.1", "1.0.0-rc-1+build"},
                 {"1.0", "01.0.0", "1.0.0-", "1.0.0+", "1.0.0-a..b", "v1.0.0", "1.0.0.0"});
}

TEST(GbnfPublished, WordsOfManyScripts) {
    expect_texts("root ::= jp+ ([ \\t\\n] jp+)*\njp ::= hiragana | katakana | punctuation | cjk\nhiragana ::= "
                 "[ぁ-ゟ]\nkatakana ::= [ァ-ヿ]\n"
                 "punctuation ::= [、-〾]\ncjk ::= [一-鿿]",
                 {"日本語", "これは ペン です。", "「はい」\nいいえ", "々"},
                 {"", "abc", "日本 ", " 日", "日本a", "日  本", "\xE6\x97", "한국"});
    expect_texts("root ::= [А-Яа-яЁё]+ (\" \" [А-Яа-яЁё]+)* [.!?]", {"Привет.", "Ёж и ёлка!"},
                 {"Привет", "Hello.", "Привет ."});
    expect_texts("root ::= [가-힣]{2,4}", {"한국", "대한민국"}, {"한", "대한민국은", "ab", "ㅎㅏ"});
    expect_texts("root ::= ([\\U0001F600-\\U0001F64F] \" \"?)+ | \"👍🏽\"", {"😀", "😀 😁🙏", "👍🏽"},
                 {"", "👍", ":)", "😀  😁", "\xF0\x9F\x98"});
    expect_texts("root ::= [a-zA-ZÀ-ÖØ-öø-ÿ'-]+", {"Zoë", "O'Neill-Müller", "Ænima"},
                 {"", "a×b", "a÷b", "x y", "é\xCC"});
    expect_texts("root ::= \"naïve\" | \"nai\\u0308ve\" | \"naive\"", {"naïve", "nai\xCC\x88ve", "naive"},
                 {"na", "nai\xCC", "naíve"});
    expect_texts("root ::= [^\\x00-\\x7F]+", {"é", "日😀"}, {"", "a", "éa"});
}

TEST(GbnfPublished, Choices) {
    expect_texts("root ::= \"REPLY\" | \"REPLY_THREAD\" | \"STOP\" | \"IGNORE\"",
                 {"REPLY", "REPLY_THREAD", "STOP", "IGNORE"}, {"", "REPLY_", "REPLYSTOP", "reply", "IGNORED"});
    std::string many = "root ::= \"w0\"";
    for (int i = 1; i < 3000; ++i) many += " | \"w" + std::to_string(i) + "\"";
    expect_texts(many, {"w0", "w7", "w77", "w777", "w2999"}, {"w", "w3000", "w00", "w7777", "w77w7"});
    expect_texts("root ::= (\"yes\" | \"no\" | \"maybe\") \".\" (\" Because \" [^.\\n]+ \".\")?",
                 {"yes.", "maybe. Because it rains."}, {"yes", "yes. Because .", "yes. Because a.b.", "perhaps."});
}
TEST(GbnfPublished, ThoughtsAndAnswers) {
    expect_texts(R"g(
root   ::= "<think>" think "</think>\n" answer
think  ::= ( [^<] | "<" [^/] | "</" [^t] )*
answer ::= "Answer: " [A-D]
)g",
                 {"<think></think>\nAnswer: A", "<think>a < b, </b>\n\n</think>\nAnswer: D"},
                 {"Answer: A", "<think></think>Answer: A", "<think>a</think>\nAnswer: E",
                  "<think>a</think>\nAnswer: A\n", "<think></think></think>\nAnswer: A"});
}
TEST(GbnfPublished, Markup) {
    expect_texts(R"g(
root ::= element
element ::= "<p>" content "</p>" | "<b>" content "</b>" | "<ul>" ("<li>" content "</li>")+ "</ul>" | "<br/>"
content ::= ( [^<>&] | "&lt;" | "&gt;" | "&amp;" | element )*
)g",
                 {"<p></p>", "<p>a <b>b</b> &lt; c</p>", "<ul><li>x</li><li><p>y<br/></p></li></ul>"},
                 {"", "<p>", "<p></b>", "<ul></ul>", "<p>a & b</p>", "<p><b></p></b>", "<p>&quot;</p>", "text"});
    expect_texts("root ::= head (\"\\n\" line)*\nhead ::= \"#\"{1,6} \" \" [^\\n]+\nline ::= head | (\"> \" | \"* \")? "
                 "[^#>*\\n] [^\\n]* | \"\"",
                 {"# a", "###### b", "# a\n\ntext\n> quote\n* item"}, {"a", "####### a", "#a", "# ", "# a\n>quote"});
    expect_texts(
        "root ::= \"|\" (\" \" [^|\\n]+ \" |\"){2} \"\\n|---|---|\\n\" (\"|\" (\" \" [^|\\n]+ \" |\"){2} \"\\n\")*",
        {"| a | b |\n|---|---|\n", "| a | b |\n|---|---|\n| 1 | 2 |\n"},
        {"| a |\n|---|---|\n", "| a | b |\n|---|---|\n| 1 |\n", "| a | b |\n"});
}
TEST(GbnfPublished, Programs) {
    expect_texts(R"g(
root  ::= (decl)*
decl  ::= type " " name "(" (type " " name (", " type " " name)*)? ") {\n" stmt* "}\n"
type  ::= "int" | "float" | "char"
stmt  ::= "\t" (type " " name " = " expr | name " = " expr | "return " expr | "return") ";\n" |
          "\tif (" expr " " ("==" | "!=" | "<" | ">") " " expr ") {\n" stmt* "}\n"
expr  ::= term (" " [-+*/] " " term)*
term  ::= name ("(" (expr (", " expr)*)? ")")? | [0-9]+ | "(" expr ")"
name  ::= [a-zA-Z_] [a-zA-Z0-9_]*
)g",
                 {"", "int main() {\n\treturn 0;\n}\n",
                  "float f(int a, char b) {\n\tint c = (a + b) * g(1, a);\n\tif (c < 2) {\n\treturn;\n}\n}\n"},
                 {"int main() {}\n", "int main() {\n", "int main() {\n\treturn 0\n}\n", "void f() {\n}\n",
                  "int f(int) {\n}\n", "int f() {\n\t1 = a;\n}\n"});
    expect_texts("root ::= \"(\" ws (atom (ws1 atom)* ws)? \")\"\natom ::= [a-z0-9+*-]+ | root | \"'\" atom\nws ::= [ "
                 "\\n]*\nws1 ::= [ \\n]+",
                 {"()", "(+ 1 2)", "(define (f x) '(a b ''c))", "( )"}, {"", "(", "(a", "a", "(a))", "(')", "(A)"});
    // What a machine with a stack would be needed for.
    expect_texts("root ::= \"a\" root \"b\" | \"\"", {"", "ab", "aabb", "aaaabbbb"}, {"a", "aab", "abb", "abab"});
    expect_texts("root ::= pair*\npair ::= \"(\" pair* \")\" | \"[\" pair* \"]\" | \"{\" pair* \"}\"",
                 {"", "()", "([]{})[]"}, {"(", "(]", "([)]", "}"});
    expect_texts("root ::= [01] | \"0\" root \"0\" | \"1\" root \"1\"", {"0", "101", "0110110"},
                 {"", "10", "100", "0110"});
}
TEST(GbnfPublished, Poems) {
    expect_texts("root ::= line line line\nline ::= [A-Z] [a-z ,]{4,30} [.,;!]? \"\\n\"",
                 {"An old silent pond\nA frog jumps, splash\nQuiet once again.\n"},
                 {"An old pond\n", "an old silent pond\nA frog jumps\nQuiet again\n"});
    expect_texts("root ::= bar{2,4}\nbar ::= \"|\" (note \" \"?){1,8}\nnote ::= [_^=]? [A-Ga-g] [',]* [1-4]?",
                 {"|C D E F|G A B c", "|^c'2 _B,,4|=g", "|C|D|E|F"}, {"", "|C", "|", "|H|C", "|C|D|E|F|G"});
}

// ---- calls of tools, with tokens

bool takes_tokens(const grammar& g, const std::vector<std::string_view>& pieces) {
    grammar_matcher m(g, tokens());
    EXPECT_TRUE(m.check().ok()) << m.check().message().c_str();
    for (const std::string_view piece : pieces) {
        if (piece == "<tool>" || piece == "<|im_start|>" || piece == "</s>") {
            const token_id id = piece == "<tool>" ? small_model::tool
                                : piece == "</s>" ? small_model::end
                                                  : small_model::im_start;
            const bool legal = m.allows(id);
            EXPECT_EQ(grammar_texts::is_legal(m, id), legal);
            if (m.accept(id).refused) return false;
            EXPECT_TRUE(legal);
        } else {
            for (const char c : piece) {
                const token_id id = token_id(static_cast<unsigned char>(c));
                EXPECT_EQ(grammar_texts::is_legal(m, id), m.allows(id));
                if (m.accept(id).refused) return false;
            }
        }
    }
    return m.is_complete();
}
TEST(GbnfPublished, CallsOfTools) {
    const parsed<grammar> g = parse_gbnf(R"g(
root ::= words call* | call+
words ::= [^<]+
call ::= <tool> "{\"name\":\"" ("search" | "sum") "\",\"args\":[" (arg ("," arg)*)? "]}" <[258]>
arg ::= [0-9]+ | "\"" [^"\n]* "\""
)g");
    ASSERT_TRUE(g.ok()) << g.problem().message();
    const auto takes = [&](const std::vector<std::string_view>& pieces) { return takes_tokens(*g, pieces); };
    const std::string_view search = R"({"name":"search","args":["日本",1]})", sum = R"({"name":"sum","args":[]})";
    EXPECT_TRUE(takes({"<tool>", search, "<|im_start|>"}));
    EXPECT_TRUE(takes({"I look. ", "<tool>", search, "<|im_start|>", "<tool>", sum, "<|im_start|>"}));
    EXPECT_TRUE(takes({"No tool."}));
    EXPECT_TRUE(takes({"<tool>", sum, "<|im_start|>", "</s>"}));
    EXPECT_FALSE(takes({}));
    EXPECT_FALSE(takes({"<tool>", sum}));
    EXPECT_FALSE(takes({sum.substr(0, 0), "<tool>", "<|im_start|>"}));
    EXPECT_FALSE(takes({"<tool>", "<tool>", sum, "<|im_start|>"}));
    EXPECT_FALSE(takes({"<tool>", R"({"name":"delete","args":[]})", "<|im_start|>"}));
    EXPECT_FALSE(takes({"<tool>", sum, "<|im_start|>", "words"}));
    EXPECT_FALSE(takes({"<too", "l>", sum, "<|im_start|>"}));
    EXPECT_FALSE(takes({"<tool>", sum, "</s>"}));
}
TEST(GbnfPublished, AnyTextUpToAToken) {
    const parsed<grammar> g = parse_gbnf("root ::= <|im_start|> (!<tool>)* <tool> [0-9]{1,3}");
    ASSERT_TRUE(g.ok()) << g.problem().message();
    EXPECT_TRUE(takes_tokens(*g, {"<|im_start|>", "any < text\n\xFF", "<|im_start|>", "<tool>", "42"}));
    EXPECT_TRUE(takes_tokens(*g, {"<|im_start|>", "<tool>", "1"}));
    EXPECT_FALSE(takes_tokens(*g, {"<|im_start|>", "<tool>", "1234"}));
    EXPECT_FALSE(takes_tokens(*g, {"<|im_start|>", "<tool>", "<tool>", "1"}));
    EXPECT_FALSE(takes_tokens(*g, {"<|im_start|>", "</s>", "<tool>", "1"}));
    EXPECT_FALSE(takes_tokens(*g, {"a", "<tool>", "1"}));
}

}  // namespace
}  // namespace riffle_tests::constraint_gbnf_published
