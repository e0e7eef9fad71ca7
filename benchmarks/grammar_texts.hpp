#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "rows.hpp"

// Grammars to measure with, all of them in GBNF: what models are asked for (JSON of many shapes, dates, tables, code),
// and what an enemy would write (long counted repetitions, many ways to read one text, deep nesting).

namespace grammar_texts {

struct named_grammar {
    std::string name, source;
};

// ---- pieces of JSON, each an expression in parentheses; base_rules() has what they refer to

inline std::string base_rules() {
    return R"--(
ws ::= [ \t\n]{0,8}
string ::= "\"" char* "\""
char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?
integer ::= "-"? ("0" | [1-9] [0-9]{0,15})
boolean ::= "true" | "false"
date ::= [12] [0-9]{3} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [12] [0-9] | "3" [01])
time ::= ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9]
uuid ::= [0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}
value ::= object | array | string | number | boolean | "null"
object ::= "{" ws (member ("," ws member)*)? "}" ws
member ::= string ":" ws value ws
array ::= "[" ws (value ws ("," ws value ws)*)? "]" ws
)--";
}
inline std::string numbers(std::size_t least, std::size_t most) {
    return "{" + std::to_string(least) + "," + std::to_string(most) + "}";
}
/// A string of so many characters.
inline std::string counted(std::size_t least, std::size_t most) {
    return "(\"\\\"\" char" + numbers(least, most) + " \"\\\"\")";
}
inline std::string counted_of(const std::string& set, std::size_t least, std::size_t most) {
    return "(\"\\\"\" " + set + numbers(least, most) + " \"\\\"\")";
}
inline std::string one_of(std::initializer_list<const char*> values) {
    std::string all;
    for (const char* value : values) all += std::string(all.empty() ? "(" : " | ") + "\"\\\"" + value + "\\\"\"";
    return all + ")";
}
inline std::string list_of(const std::string& item, std::size_t most) {
    return "(\"[\" ws (" + item + " ws (\",\" ws " + item + " ws)" + numbers(0, most - 1) + ")? \"]\")";
}
inline std::string quoted(const std::string& rule) { return "(\"\\\"\" " + rule + " \"\\\"\")"; }
inline std::string object_of(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string all = "(\"{\" ws ";
    for (std::size_t i = 0; i < members.size(); ++i)
        all += std::string(i ? "\",\" ws " : "") + "\"\\\"" + members[i].first + "\\\":\" ws " + members[i].second +
               " ws ";
    return all + "\"}\")";
}
/// Members that may be left out, in their order, behind a first one that may not.
inline std::string object_with_options(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string all = "(\"{\" ws ";
    for (std::size_t i = 0; i < members.size(); ++i)
        all += std::string(i ? "(\",\" ws " : "") + "\"\\\"" + members[i].first + "\\\":\" ws " + members[i].second +
               (i ? " ws)? " : " ws ");
    return all + "\"}\")";
}
inline std::string json(const std::string& expression) { return "root ::= " + expression + base_rules(); }

// ---- words

/// Words that nobody has: consonants and vowels in turn.
inline std::vector<std::string> made_words(std::size_t count, std::uint64_t seed) {
    static const char consonants[] = "bcdfghklmnprstvw", vowels[] = "aeiou";
    rows::generator random(seed);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) {
        std::string word;
        for (std::size_t syllables = 1 + random.next() % 4; syllables-- > 0;) {
            word += consonants[random.next() % 16];
            word += vowels[random.next() % 5];
            if (random.next() % 3 == 0) word += consonants[random.next() % 16];
        }
        words.push_back(word);
    }
    return words;
}
inline std::string any_of(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "(\"" : " | \"") + word + "\"";
    return all + ")";
}

/// All of them.
inline std::vector<named_grammar> all() {
    const std::string string = "string", number = "number", integer = "integer", boolean = "boolean";
    const std::string date = quoted("date"), stamp = quoted("date \"T\" time \"Z\""), uuid = quoted("uuid");
    std::vector<named_grammar> g;
    const auto add = [&](const char* name, const std::string& source) { g.push_back({name, source}); };

    // JSON of any shape
    add("JSON", json("object"));
    add("JSON array", json("array"));
    add("JSON without spaces", R"--(
root ::= value
value ::= "{" (pair ("," pair)*)? "}" | "[" (value ("," value)*)? "]" | string | number | "true" | "false" | "null"
pair ::= string ":" value
string ::= "\"" ([^"\\\x00-\x1F] | "\\" ["\\/bfnrtu])* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?)--");
    add("JSON with any spaces", R"--(
root ::= ws value
value ::= ("{" ws (pair ("," ws pair)*)? "}" | "[" ws (value ("," ws value)*)? "]" | string | number | "true" | "false" | "null") ws
pair ::= string ws ":" ws value
string ::= "\"" ([^"\\\x00-\x1F] | "\\" ["\\/bfnrtu])* "\""
number ::= "-"? [0-9]+ ("." [0-9]+)?
ws ::= [ \t\r\n]*)--");
    add("JSON lines", json("(object \"\\n\"){1,50}"));
    add("JSON without escapes", R"--(
root ::= "{" pair ("," pair)* "}"
pair ::= "\"" [a-z_]+ "\":" value
value ::= "\"" [^"]* "\"" | [0-9]+ | "{" pair ("," pair)* "}" | "[" value ("," value)* "]")--");
    add("JSON object of strings",
        json("(\"{\" ws string \":\" ws string ws (\",\" ws string \":\" ws string ws)* \"}\")"));
    add("JSON nested to eight",
        json(
            list_of(list_of(list_of(list_of(list_of(list_of(list_of(list_of("integer", 3), 3), 3), 3), 3), 3), 3), 3)));
    add("JSON matrix", json(list_of(list_of("number", 16), 16)));
    add("JSON tree",
        "root ::= node\nnode ::= \"{\\\"name\\\":\" string \",\\\"children\\\":[\" (node (\",\" node)*)? \"]}\"" +
            base_rules());
    add("JSON list cell",
        "root ::= cell\ncell ::= \"null\" | \"{\\\"head\\\":\" integer \",\\\"tail\\\":\" cell \"}\"" + base_rules());

    // objects with fixed keys
    add("person",
        json(object_of({{"name", string}, {"age", "([1-9] [0-9]? | \"1\" [0-2] [0-9])"}, {"email", string}})));
    add("order",
        json(object_of({{"id", uuid},
                        {"customer", string},
                        {"items", list_of(object_of({{"sku", string}, {"quantity", integer}, {"price", number}}), 8)},
                        {"total", number}})));
    add("weather", json(object_of({{"city", string},
                                   {"temperature", number},
                                   {"unit", one_of({"celsius", "fahrenheit", "kelvin"})},
                                   {"humidity", number}})));
    add("event", json(object_of({{"title", string},
                                 {"starts", stamp},
                                 {"ends", stamp},
                                 {"all_day", boolean},
                                 {"guests", list_of(string, 8)}})));
    add("product", json(object_with_options({{"id", integer},
                                             {"name", string},
                                             {"description", string},
                                             {"price", number},
                                             {"tags", list_of(string, 8)},
                                             {"in_stock", boolean}})));
    add("address", json(object_of({{"street", counted(1, 80)},
                                   {"city", counted(1, 40)},
                                   {"zip", "(\"\\\"\" [0-9]{5} \"\\\"\")"},
                                   {"country", "(\"\\\"\" [A-Z]{2} \"\\\"\")"}})));
    add("settings", json(object_with_options({{"host", string},
                                              {"port", "([1-9] [0-9]{0,4})"},
                                              {"tls", boolean},
                                              {"timeout", number},
                                              {"retries", "[0-9]"},
                                              {"level", one_of({"debug", "info", "warning", "error", "fatal"})}})));
    add("log entry", json(object_of({{"time", stamp},
                                     {"level", one_of({"TRACE", "DEBUG", "INFO", "WARN", "ERROR"})},
                                     {"message", string},
                                     {"context", "object"}})));
    add("ticket", json(object_of({{"title", counted(5, 120)},
                                  {"body", counted(0, 2000)},
                                  {"priority", one_of({"low", "medium", "high", "urgent"})},
                                  {"labels", list_of(counted(1, 20), 5)}})));
    add("review", json(object_of({{"stars", "[1-5]"},
                                  {"summary", counted(10, 200)},
                                  {"pros", list_of(counted(3, 60), 4)},
                                  {"cons", list_of(counted(3, 60), 4)}})));
    add("coordinates", json(object_of({{"lat", "(\"-\"? [0-8]? [0-9] \".\" [0-9]{1,6})"},
                                       {"lon", "(\"-\"? (\"1\" [0-7] | [0-9])? [0-9] \".\" [0-9]{1,6})"}})));
    add("recipe",
        json(object_of({{"name", string},
                        {"servings", integer},
                        {"ingredients", list_of(object_of({{"amount", number},
                                                           {"unit", one_of({"g", "ml", "cup", "spoon", "piece"})},
                                                           {"of", string}}),
                                                20)},
                        {"steps", list_of(string, 20)}})));
    add("invoice", json(object_of({{"number", "(\"\\\"INV-\" [0-9]{6} \"\\\"\")"},
                                   {"date", date},
                                   {"lines", list_of(object_of({{"text", counted(1, 60)},
                                                                {"net", "([0-9]{1,7} \".\" [0-9]{2})"},
                                                                {"vat", "(\"0\" | \"7\" | \"19\")"}}),
                                                     8)}})));
    add("flight", json(object_of({{"from", "(\"\\\"\" [A-Z]{3} \"\\\"\")"},
                                  {"to", "(\"\\\"\" [A-Z]{3} \"\\\"\")"},
                                  {"depart", date},
                                  {"class", one_of({"economy", "premium", "business", "first"})},
                                  {"passengers", "[1-9]"}})));
    add("request", json(object_of({{"method", one_of({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"})},
                                   {"url", quoted("\"https://\" [a-z0-9.-]+ (\"/\" [a-zA-Z0-9._~-]*)*")},
                                   {"headers", "object"},
                                   {"body", "(string | \"null\")"}})));
    add("users", json(list_of(object_of({{"id", integer},
                                         {"name", string},
                                         {"roles", list_of(one_of({"admin", "editor", "viewer"}), 3)}}),
                              100)));
    add("readings", json(object_of({{"sensor", string}, {"values", list_of(number, 256)}})));
    add("survey", json(object_of({{"q1", one_of({"yes", "no"})},
                                  {"q2", one_of({"never", "rarely", "sometimes", "often", "always"})},
                                  {"q3", "(\"10\" | [0-9])"},
                                  {"q4", string}})));
    add("commit", json(object_of({{"hash", counted_of("[0-9a-f]", 40, 40)},
                                  {"author", string},
                                  {"subject", counted(1, 72)},
                                  {"body", string}})));
    add("package", json(object_with_options({{"name", counted_of("[a-z0-9-]", 1, 64)},
                                             {"version", quoted("[0-9]+ \".\" [0-9]+ \".\" [0-9]+")},
                                             {"license", one_of({"MIT", "BSD-3-Clause", "Apache-2.0", "GPL-3.0"})},
                                             {"dependencies", "object"}})));
    add("transfer", json(object_of({{"iban", quoted("[A-Z]{2} [0-9]{2} [A-Z0-9]{11,30}")},
                                    {"amount", "([1-9] [0-9]{0,8} \".\" [0-9]{2})"},
                                    {"currency", one_of({"EUR", "USD", "GBP", "JPY", "CHF"})},
                                    {"reference", counted(0, 140)}})));
    add("shapes", json("(" + object_of({{"type", one_of({"circle"})}, {"radius", number}}) + " | " +
                       object_of({{"type", one_of({"square"})}, {"side", number}}) + " | " +
                       object_of({{"type", one_of({"polygon"})}, {"points", list_of(list_of(number, 2), 64)}}) + ")"));
    add("labels",
        json(
            list_of(one_of({"politics", "sport", "science", "business", "culture", "weather", "crime", "health"}), 3)));
    add("entities", json(list_of(object_of({{"text", string},
                                            {"type", one_of({"PERSON", "PLACE", "ORGANISATION", "DATE", "MONEY"})},
                                            {"start", integer},
                                            {"end", integer}}),
                                 64)));
    add("reasoning", json(object_of({{"reasoning", string}, {"answer", one_of({"A", "B", "C", "D"})}})));
    add("steps", json(object_of({{"steps", list_of(object_of({{"explanation", string}, {"output", string}}), 12)},
                                 {"final_answer", string}})));
    add("tool call",
        json("(" +
             object_of(
                 {{"name", one_of({"get_weather"})}, {"arguments", object_of({{"city", string}, {"days", "[1-7]"}})}}) +
             " | " +
             object_of(
                 {{"name", one_of({"search"})}, {"arguments", object_of({{"query", string}, {"limit", integer}})}}) +
             " | " +
             object_of({{"name", one_of({"send_mail"})},
                        {"arguments", object_of({{"to", string}, {"subject", string}, {"body", string}})}}) +
             ")"));
    add("translation",
        json(object_of({{"de", string}, {"fr", string}, {"ru", string}, {"zh", string}, {"el", string}})));
    add("geometry", json(object_of({{"type", one_of({"Feature"})},
                                    {"geometry", object_of({{"type", one_of({"Point", "LineString", "Polygon"})},
                                                            {"coordinates", list_of(list_of("number", 3), 100)}})},
                                    {"properties", "object"}})));
    add("thirty keys", [&] {
        std::vector<std::pair<std::string, std::string>> members;
        for (int i = 0; i < 30; ++i)
            members.push_back({"field_" + std::to_string(i), i % 3 == 0 ? string : i % 3 == 1 ? number : boolean});
        return json(object_of(members));
    }());
    add("twenty options", [&] {
        std::vector<std::pair<std::string, std::string>> members;
        for (const std::string& word : made_words(20, 3))
            members.push_back({word, std::vector<std::string>{string, integer, boolean}[members.size() % 3]});
        return json(object_with_options(members));
    }());

    // counted strings
    add("string to 10", json(counted(0, 10)));
    add("string to 200", json(counted(0, 200)));
    add("string to 10,000", json(counted(0, 10000)));
    add("string of 5 to 80", json(counted(5, 80)));
    add("string of 100 and more", json("(\"\\\"\" char{100,} \"\\\"\")"));
    add("ASCII string to 200", json(counted_of("[ -!#-\\[\\]-~]", 0, 200)));
    add("plain string to 10,000", json(counted_of("[^\"\\\\]", 0, 10000)));
    add("strings to 200", json(list_of(counted(0, 200), 8)));
    add("strings of 1 to 20", json(list_of(counted(1, 20), 100)));
    add("nested counted strings", json(list_of(list_of(counted(0, 50), 8), 8)));
    add("thrice nested counted strings", json(list_of(list_of(list_of(counted(0, 200), 8), 8), 8)));
    add("objects of counted strings",
        json(list_of(object_of({{"a", counted(0, 100)}, {"b", counted(0, 1000)}, {"c", counted_of("[a-z ]", 0, 300)}}),
                     8)));
    add("counted keys",
        json("(\"{\" " + counted(1, 30) + " \":\" integer (\",\" " + counted(1, 30) + " \":\" integer){0,63} \"}\")"));
    add("counted in two ways", "root ::= ([a-z]{0,50} | [a-z0-9]{0,100} | [a-z ]{20,300}) \".\"");
    add("lines to 80", "root ::= ([^\\n]{0,80} \"\\n\"){1,100}");
    add("words to 12 of words to 12", "root ::= ([a-z]{1,12} \" \"){1,12} [a-z]{1,12} \".\"");
    add("letters, digits and letters", "root ::= [a-z]{0,100} [a-z0-9]{0,100} [a-z]{0,100}");
    add("counted within counted", "root ::= ((([a-c] [0-9]?){1,5} \"-\"){1,5} \" \"){1,5} \"end\"");
    add("hundred options", "root ::= ([a-z ]? [a-z]?){100}");

    // dates, numbers, identifiers
    add("date", json("date"));
    add("dates", json("date (\", \" date){0,30}"));
    add("times", json("time (\" to \" time){1,8}"));
    add("duration",
        "root ::= (\"P\" ([0-9]+ \"D\")? (\"T\" ([0-9]+ \"H\")? ([0-9]+ \"M\")? ([0-9]+ \"S\")?)? \"\\n\"){1,20}");
    add("uuid", json("uuid"));
    add("colours", "root ::= (\"#\" [0-9a-fA-F]{6} \" \"?){1,30}");
    add("IPv4", "root ::= (address \"\\n\"){1,20}\naddress ::= byte \".\" byte \".\" byte \".\" byte\nbyte ::= \"25\" "
                "[0-5] | \"2\" [0-4] [0-9] | \"1\" [0-9] [0-9] | [1-9]? [0-9]");
    add("IPv6", "root ::= ([0-9a-f]{1,4} \":\"){7} [0-9a-f]{1,4}");
    add("versions", "root ::= (\"v\"? [0-9]{1,3} \".\" [0-9]{1,3} (\".\" [0-9]{1,3})? (\"-\" (\"alpha\" | \"beta\" | "
                    "\"rc\") [0-9]?)? \"\\n\"){1,20}");
    add("telephone numbers", "root ::= (\"+\" [1-9] [0-9]{0,2} (\" \" [0-9]{2,5}){2,4} \"\\n\"){1,10}");
    add("emails",
        "root ::= (mail \"\\n\"){1,10}\nmail ::= [a-z0-9._%+-]{1,64} \"@\" ([a-z0-9-]{1,63} \".\"){1,8} [a-z]{2,24}");
    add("urls", "root ::= (url \"\\n\"){1,10}\nurl ::= \"http\" \"s\"? \"://\" ([a-z0-9-]+ \".\")+ [a-z]{2,6} (\"/\" "
                "[a-zA-Z0-9._~-]*)* (\"?\" [a-z]+ \"=\" [a-zA-Z0-9%]* (\"&\" [a-z]+ \"=\" [a-zA-Z0-9%]*)*)?");
    add("base64", "root ::= ([A-Za-z0-9+/]{4})* ([A-Za-z0-9+/]{2} \"==\" | [A-Za-z0-9+/]{3} \"=\")?");
    add("Roman numerals", "root ::= (roman \"\\n\"){1,20}\nroman ::= \"M\"{0,3} (\"CM\" | \"CD\" | \"D\"? \"C\"{0,3}) "
                          "(\"XC\" | \"XL\" | \"L\"? \"X\"{0,3}) (\"IX\" | \"IV\" | \"V\"? \"I\"{0,3})");
    add("integers to 65535", "root ::= n (\" \" n){0,50}\nn ::= \"6553\" [0-5] | \"655\" [0-2] [0-9] | \"65\" [0-4] "
                             "[0-9]{2} | \"6\" [0-4] [0-9]{3} | [1-5] [0-9]{4} | [1-9] [0-9]{0,3} | \"0\"");
    add("a number of 500 digits", "root ::= [1-9] [0-9]{0,499}");
    add("money", "root ::= (\"$\" [1-9] [0-9]{0,2} (\",\" [0-9]{3}){0,4} \".\" [0-9]{2} \"\\n\"){1,20}");

    // choices
    add("yes or no", "root ::= \"yes\" | \"no\" | \"maybe\"");
    add("fifty words", "root ::= " + any_of(made_words(50, 4)) + " (\" \" " + any_of(made_words(50, 5)) + "){0,30}");
    add("thousand words", "root ::= word (\" \" word){0,50} \".\"\nword ::= " + any_of(made_words(1000, 6)));
    add("thousand words, each once a line", "root ::= (word \"\\n\")+\nword ::= " + any_of(made_words(1000, 7)));
    add("thousand quoted words",
        "root ::= \"[\" q (\", \" q)* \"]\"\nq ::= \"\\\"\" " + any_of(made_words(1000, 8)) + " \"\\\"\"");
    add("answer of a test",
        "root ::= \"The answer is (\" [A-E] \").\" (\" I am \" (\"certain\" | \"fairly sure\" | \"guessing\") \".\")?");
    add("a text that is certain",
        "root ::= \"It is a truth universally acknowledged, that a single man in possession of a good fortune, must be "
        "in want of a wife. However little known the feelings or views of such a man may be on his first entering a "
        "neighbourhood, this truth is so well fixed in the minds of the surrounding families, that he is considered "
        "the rightful property of some one or other of their daughters. \" [a-z]+");

    // tables and files
    add("CSV", "root ::= line+\nline ::= cell (\",\" cell)* \"\\n\"\ncell ::= [^,\"\\n]* | \"\\\"\" ([^\"] | "
               "\"\\\"\\\"\")* \"\\\"\"");
    add("CSV of four columns", "root ::= \"id,name,price,date\\n\" line{1,50}\nline ::= [0-9]{1,8} \",\" "
                               "[^,\"\\n]{0,40} \",\" [0-9]+ \".\" [0-9]{2} \",\" date \"\\n\"" +
                                   base_rules());
    add("tabs", "root ::= ([^\\t\\n]+ (\"\\t\" [^\\t\\n]+){3} \"\\n\")+");
    add("key=value", "root ::= (key \"=\" value \"\\n\")+\nkey ::= [a-zA-Z_] [a-zA-Z0-9_.]*\nvalue ::= [^\\n]*");
    add("INI", "root ::= (section | pair | comment | \"\\n\")+\nsection ::= \"[\" [^\\]\\n]+ \"]\\n\"\npair ::= "
               "[a-z_]+ \" = \" [^\\n]+ \"\\n\"\ncomment ::= \"; \" [^\\n]* \"\\n\"");
    add("YAML of a kind", "root ::= (key \": \" scalar \"\\n\" | key \":\\n\" (\"  - \" scalar \"\\n\")+)+\nkey ::= "
                          "[a-z_]+\nscalar ::= [a-zA-Z0-9] [^\\n]{0,120} | \"\\\"\" [^\"\\n]* \"\\\"\"");
    add("TOML of a kind", "root ::= (\"[\" key (\".\" key)* \"]\\n\" | key \" = \" value \"\\n\")+\nkey ::= "
                          "[A-Za-z0-9_-]+\nvalue ::= \"\\\"\" ([^\"\\\\\\n] | \"\\\\\" [\"\\\\nt])* \"\\\"\" | [0-9]+ "
                          "(\".\" [0-9]+)? | \"true\" | \"false\" | \"[\" value (\", \" value)* \"]\"");
    add("XML", "root ::= element\nelement ::= \"<\" name (\" \" name \"=\\\"\" [^\"<&]* \"\\\"\")* (\"/>\" | \">\" "
               "content \"</\" name \">\")\ncontent ::= (element | text)*\ntext ::= [^<&] | \"&\" (\"lt\" | \"gt\" | "
               "\"amp\") \";\"\nname ::= [a-zA-Z] [a-zA-Z0-9_-]*");
    add("HTML of a kind",
        "root ::= block+\nblock ::= \"<p>\" inline* \"</p>\\n\" | \"<h\" [1-3] \">\" [^<]+ \"</h\" [1-3] \">\\n\" | "
        "\"<ul>\" (\"<li>\" inline* \"</li>\")+ \"</ul>\\n\"\ninline ::= [^<&] | \"<b>\" inline* \"</b>\" | \"<i>\" "
        "inline* \"</i>\" | \"<a href=\\\"\" [^\"]* \"\\\">\" inline* \"</a>\"");
    add("Markdown", "root ::= (heading | item | paragraph | code)+\nheading ::= \"#\"{1,6} \" \" [^\\n]+ "
                    "\"\\n\\n\"\nitem ::= (\"- \" [^\\n]+ \"\\n\")+ \"\\n\"\nparagraph ::= [A-Za-z] [^\\n]* "
                    "\"\\n\\n\"\ncode ::= \"```\" [a-z]* \"\\n\" ([^`\\n]* \"\\n\")* \"```\\n\\n\"");
    add("Markdown table", "root ::= row \"|---|---|---|\\n\" row{1,30}\nrow ::= \"| \" cell \" | \" cell \" | \" cell "
                          "\" |\\n\"\ncell ::= [^|\\n]{1,40}");
    add("headers", "root ::= \"HTTP/1.1 \" [1-5] [0-9]{2} \" \" [A-Za-z ]+ \"\\r\\n\" ([A-Za-z-]+ \": \" [^\\r\\n]* "
                   "\"\\r\\n\")* \"\\r\\n\"");
    add("log lines", "root ::= (date \" \" time \" [\" (\"INFO\" | \"WARN\" | \"ERROR\") \"] \" [a-z.]+ \": \" "
                     "[^\\n]{1,200} \"\\n\")+" +
                         base_rules());
    add("subtitles", "root ::= ([0-9]{1,4} \"\\n\" t \" --> \" t \"\\n\" ([^\\n]{1,42} \"\\n\"){1,2} \"\\n\")+\nt ::= "
                     "[0-9]{2} \":\" [0-5] [0-9] \":\" [0-5] [0-9] \",\" [0-9]{3}");
    add("patch", "root ::= \"--- \" path \"\\n+++ \" path \"\\n\" hunk+\npath ::= [a-z0-9_./]+\nhunk ::= \"@@ -\" "
                 "[0-9]+ \",\" [0-9]+ \" +\" [0-9]+ \",\" [0-9]+ \" @@\\n\" ([ +-] [^\\n]* \"\\n\")+");
    add("cron", "root ::= (f \" \" f \" \" f \" \" f \" \" f \"\\n\"){1,20}\nf ::= \"*\" (\"/\" [1-9] [0-9]?)? | [0-9] "
                "[0-9]? (\"-\" [0-9] [0-9]?)? (\",\" [0-9] [0-9]?)*");

    // code
    add("SQL",
        "root ::= \"SELECT \" columns \" FROM \" name (\" WHERE \" condition)? (\" ORDER BY \" name (\" DESC\")?)? (\" "
        "LIMIT \" [0-9]+)? \";\"\ncolumns ::= \"*\" | name (\", \" name)*\ncondition ::= compare ((\" AND \" | \" OR "
        "\") compare)*\ncompare ::= name (\" = \" | \" < \" | \" > \" | \" LIKE \") literal | \"(\" condition \")\" | "
        "\"NOT \" compare\nliteral ::= [0-9]+ | \"'\" ([^'] | \"''\")* \"'\"\nname ::= [a-z_] [a-z0-9_]*");
    add("SQL insert", "root ::= \"INSERT INTO \" n \" (\" n (\", \" n)* \") VALUES \" r (\", \" r)* \";\"\nr ::= \"(\" "
                      "v (\", \" v)* \")\"\nv ::= [0-9]+ | \"NULL\" | \"'\" [^']{0,100} \"'\"\nn ::= [a-z_]{1,30}");
    add("arithmetic", "root ::= sum\nsum ::= product ([-+] product)*\nproduct ::= factor ([*/] factor)*\nfactor ::= "
                      "[0-9]+ | [a-z] | \"(\" sum \")\" | \"-\" factor");
    add("arithmetic with spaces", "root ::= (sum \" = \" sum \"\\n\")+\nsum ::= term (\" \" [-+] \" \" term)*\nterm "
                                  "::= power (\" \" [*/] \" \" power)*\npower ::= atom (\"^\" power)?\natom ::= [0-9]+ "
                                  "(\".\" [0-9]+)? | (\"sin\" | \"cos\" | \"exp\" | \"log\")? \"(\" sum \")\"");
    add("logic", "root ::= or\nor ::= and (\" or \" and)*\nand ::= not (\" and \" not)*\nnot ::= \"not \" not | \"(\" "
                 "or \")\" | [a-z]+ \" \" (\"<\" | \">\" | \"==\" | \"!=\") \" \" [0-9]+");
    add("Lisp", "root ::= (form \"\\n\")+\nform ::= [a-z0-9+*/<>=!?-]+ | \"(\" (form (\" \" form)*)? \")\" | \"'\" "
                "form | \"\\\"\" [^\"]* \"\\\"\"");
    add("lambda calculus", "root ::= term\nterm ::= [a-z] | \"\\\\\" [a-z] \".\" term | \"(\" term \" \" term \")\"");
    add("calls", "root ::= (call \"\\n\"){1,20}\ncall ::= name \"(\" (argument (\", \" argument)*)? \")\"\nargument "
                 "::= name \"=\" value | value\nvalue ::= call | [0-9]+ | \"'\" [^'\\n]* \"'\" | \"[\" (value (\", \" "
                 "value)*)? \"]\"\nname ::= [a-z_]+");
    add("calls of five functions",
        "root ::= (\"move(\" n \", \" n \")\" | \"wait(\" n \")\" | \"say('\" [^'\\n]{0,80} \"')\" | \"turn('\" "
        "(\"left\" | \"right\") \"')\" | \"stop()\") (\"\\n\" root)?\nn ::= \"-\"? [0-9]{1,3}");
    add("statements", "root ::= statement+\nstatement ::= \"let \" name \" = \" expression \";\\n\" | \"if (\" "
                      "expression \") {\\n\" statement* \"}\\n\" | \"while (\" expression \") {\\n\" statement* "
                      "\"}\\n\" | \"return \" expression \";\\n\"\nexpression ::= primary ((\" + \" | \" - \" | \" * "
                      "\" | \" == \" | \" < \") primary)*\nprimary ::= name (\"(\" (expression (\", \" expression)*)? "
                      "\")\")? | [0-9]+ | \"(\" expression \")\"\nname ::= [a-zA-Z_] [a-zA-Z0-9_]*");
    add("declarations", "root ::= (type \" \" \"*\"{0,3} name (\"[\" [0-9]+ \"]\")? (\" = \" [0-9]+)? \";\\n\")+\ntype "
                        "::= (\"const \" | \"unsigned \")? (\"int\" | \"char\" | \"float\" | \"double\" | \"struct \" "
                        "name)\nname ::= [a-z_] [a-z0-9_]{0,30}");
    add("assembler", "root ::= ([a-z]+ \":\\n\" | \"    \" op \" \" arg (\", \" arg)? \"\\n\")+\nop ::= \"mov\" | "
                     "\"add\" | \"sub\" | \"cmp\" | \"jmp\" | \"jne\" | \"call\" | \"push\" | \"pop\" | \"xor\"\narg "
                     "::= \"r\" (\"ax\" | \"bx\" | \"cx\" | \"dx\" | \"si\" | \"di\" | [8-9] | \"1\" [0-5]) | \"$\" "
                     "[0-9]+ | \"[\" arg (\"+\" [0-9]+)? \"]\" | [a-z]+");
    add("LaTeX", "root ::= \"$\" e \"$\"\ne ::= t+\nt ::= [a-zA-Z0-9+=,()-] | \" \" | \"\\\\\" (\"alpha\" | \"beta\" | "
                 "\"sum\" | \"int\" | \"infty\" | \"cdot\") \" \" | \"\\\\frac{\" e \"}{\" e \"}\" | \"\\\\sqrt{\" e "
                 "\"}\" | [_^] \"{\" e \"}\"");
    add("GraphQL", "root ::= \"query \" set\nset ::= \"{ \" (field \" \")+ \"}\"\nfield ::= [a-zA-Z]+ (\"(\" [a-z]+ "
                   "\": \" ([0-9]+ | \"\\\"\" [^\"\\n]* \"\\\"\") \")\")? (\" \" set)?");
    add("paths in JSON", "root ::= (\"$\" step+ \"\\n\"){1,20}\nstep ::= \".\" [a-z_]+ | \"[\" [0-9]+ \"]\" | \"['\" "
                         "[^'\\n]* \"']\" | \"..\" [a-z]+ | \"[*]\"");
    add("regular expressions",
        "root ::= alt\nalt ::= seq (\"|\" seq)*\nseq ::= (atom [*+?]?)+\natom ::= [a-zA-Z0-9 ] | \".\" | \"(\" alt "
        "\")\" | \"[\" \"^\"? ([a-z] \"-\" [a-z] | [a-z])+ \"]\" | \"\\\\\" [dws.]");
    add("brainf", "root ::= i+\ni ::= [-+<>.,] | \"[\" i* \"]\"");

    // games and music
    add("chess", "root ::= (number \". \" move \" \" move \"\\n\")+\nnumber ::= [1-9] [0-9]{0,2}\nmove ::= (pawn | "
                 "piece | \"O-O\" \"-O\"?) [+#]?\npiece ::= [NBRQK] [a-h]? [1-8]? \"x\"? [a-h] [1-8]\npawn ::= ([a-h] "
                 "\"x\")? [a-h] [1-8] (\"=\" [NBRQ])?");
    add("chess position", "root ::= rank (\"/\" rank){7} \" \" [wb] \" \" (\"-\" | \"K\"? \"Q\"? \"k\"? \"q\"?) \" \" "
                          "(\"-\" | [a-h] [36]) \" \" [0-9]{1,2} \" \" [0-9]{1,3}\nrank ::= [1-8pnbrqkPNBRQK]{1,8}");
    add("dice", "root ::= (([1-9] [0-9]?)? \"d\" (\"4\" | \"6\" | \"8\" | \"10\" | \"12\" | \"20\" | \"100\") ([-+] "
                "[0-9]+)? \" \"){1,30}");
    add("notes",
        "root ::= \"X:\" [0-9]+ \"\\nK:\" [A-G] [#b]? \"\\n\" ([_^=]? [A-Ga-gz] [,']* [2-8]? | \" \" | \"|\")+ \"|]\"");
    add("DNA", "root ::= \">\" [a-zA-Z0-9 ]+ \"\\n\" ([ACGT]{1,60} \"\\n\")+");
    add("Morse", "root ::= ([.-]{1,6} \" \"){1,200}");
    add("sudoku", "root ::= (([1-9] | \".\"){9} \"\\n\"){9}");

    // characters of all scripts
    add("anything", "root ::= .*");
    add("anything to 200", "root ::= .{0,200}");
    add("a paragraph", "root ::= [^\\n]{50,2000} \"\\n\"");
    add("Greek", "root ::= [α-ωάέήίόύώς]+ (\" \" [α-ωάέήίόύώς]+)* \".\"");
    add("Russian to 300", "root ::= [а-яёА-ЯЁ ,.-]{1,300}");
    add("Chinese", "root ::= [一-鿿，。]+");
    add("Chinese to 100", "root ::= [一-鿿，。]{1,100}");
    add("Japanese", "root ::= ([ぁ-ゖ] | [ァ-ヺー] | [一-龯])+ \"。\"");
    add("no ASCII letters", "root ::= [^a-zA-Z]*");
    add("letters of Europe", "root ::= ([A-Za-zÀ-ÖØ-öø-ÿ]+ [ ,.])+");
    add("English and Chinese", "root ::= (\"EN: \" [a-zA-Z ,.]+ \"\\nZH: \" [一-鿿，。]+ \"\\n\")+");
    add("emoji", "root ::= [\\U0001F300-\\U0001F64F]{1,100}");

    // many ways to read one text, and deep ones
    add("a or aa", "root ::= (\"a\" | \"aa\" | \"aaa\")*");
    add("words in many ways", "root ::= (([a-z]+ | [a-z0-9]+ | \"the\" | \"and\") \" \"*)*");
    add("keywords and names", "root ::= (token \" \")+\ntoken ::= \"if\" | \"else\" | \"while\" | \"return\" | [a-z]+ "
                              "| [a-z_]+ [0-9]* | [0-9]+ | [0-9a-f]+");
    add("palindromes", "root ::= p\np ::= \"a\" p \"a\" | \"b\" p \"b\" | \"c\" p \"c\" | [abc]?");
    add("any palindrome of letters",
        "root ::= p\np ::= \"a\" p \"a\" | \"e\" p \"e\" | \"s\" p \"s\" | \"t\" p \"t\" | \"n\" p \"n\" | [a-z ]?");
    add("parentheses", "root ::= s\ns ::= (\"(\" s \")\" | \"[\" s \"]\" | \"{\" s \"}\")*");
    add("doubly recursive", "root ::= s\ns ::= \"x\" | \"(\" s s \")\" | \"(\" s s s \")\"");
    add("list to the right", "root ::= l\nl ::= [a-z]+ | [a-z]+ \", \" l");
    add("as many b as a", "root ::= s\ns ::= (\"a\" s \"b\")?");
    add("dangling else", "root ::= s\ns ::= \"if x then \" s | \"if x then \" s \" else \" s | [a-z]+");
    add("optional inside", "root ::= a{1,40}\na ::= b? c? d?\nb ::= [a-m]+\nc ::= [h-z]+\nd ::= \" \" | [0-9]");
    add("sentence", "root ::= (sentence \" \"){1,30}\nsentence ::= [A-Z] [a-z]* ([ ,] [a-z]+){2,30} [.!?]");

    // what agents write
    add("thinking, then JSON", "root ::= \"<think>\" [^<]* \"</think>\\n\" object" + base_rules());
    add("thinking with a limit", "root ::= \"<think>\" [^<]{0,4000} \"</think>\\n\" [^<]{1,1000}");
    add("thought and action", "root ::= (\"Thought: \" [^\\n]+ \"\\nAction: \" (\"search\" | \"calculate\" | "
                              "\"finish\") \"[\" [^\\]\\n]* \"]\\nObservation: \" [^\\n]* \"\\n\")+");
    add("tool calls in tags",
        "root ::= ([^<]* \"<tool_call>\\n\" call \"\\n</tool_call>\\n\")+\ncall ::= " +
            object_of({{"name", one_of({"read_file", "write_file", "list_files", "run"})}, {"arguments", "object"}}) +
            base_rules());
    add("questions and answers", "root ::= (\"Q: \" [^\\n?]{5,120} \"?\\nA: \" [^\\n]{1,300} \"\\n\\n\"){1,10}");
    add("numbered list",
        "root ::= \"1. \" i \"2. \" i \"3. \" i (\"4. \" i (\"5. \" i)?)?\ni ::= [^\\n]{1,100} \"\\n\"");
    add("code in fences", "root ::= \"```python\\n\" ([^`\\n]* \"\\n\"){1,200} \"```\"");
    add("story in fields", "root ::= \"Title: \" [A-Z] [^\\n]{0,60} \"\\nGenre: \" (\"comedy\" | \"tragedy\" | "
                           "\"history\") \"\\n\\n\" ([A-Z] [^.\\n]{10,300} \". \"){3,20}");
    return g;
}

}  // namespace grammar_texts
