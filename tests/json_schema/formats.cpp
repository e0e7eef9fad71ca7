// The formats of strings, to the letter of what defines them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json_schema/documents.hpp"

namespace {

using namespace riffle_tests::json_documents;
using texts = std::vector<std::string>;

void expect_format(const std::string& name, const texts& taken, const texts& refused) {
    const auto quoted = [](const texts& of) {
        texts all;
        for (const std::string& t : of) all.push_back("\"" + t + "\"");
        return all;
    };
    const std::string schema = R"({"type": "string", "format": ")" + name + "\"";
    expect({schema + "}", quoted(taken), quoted(refused)});
    // Beside another keyword all of it is one automaton.
    expect({schema + R"(, "maxLength": 300})", quoted(taken), quoted(refused)});
}

TEST(JsonSchemaFormats, Dates) {
    expect_format("date", {"2024-02-29", "2000-02-29", "1999-12-31", "2023-04-30"},
                  {"2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-1-01", "2023-01-00", "23-01-01"});
}
TEST(JsonSchemaFormats, Times) {
    expect_format("time",
                  {"08:30:06Z", "08:30:06.283185z", "23:59:60Z", "23:59:60+00:00", "01:29:60+01:30", "23:29:60+23:30", "15:59:60-08:00",
                   "00:29:60-23:30", "23:59:60.5Z", "08:30:06+00:20"},
                  {"24:00:00Z", "00:60:00Z", "00:00:61Z", "22:59:60Z", "23:58:60Z", "22:59:60+00:00", "23:59:60+01:00",
                   "23:59:60-01:00", "08:30:06", "08:30:06.Z", "08:30:06+24:00", "08:30:06+00:60", "8:30:06Z", "08:30:06PST"});
}
TEST(JsonSchemaFormats, DatesWithTimes) {
    expect_format("date-time",
                  {"2024-02-29T12:00:00Z", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.123-08:00", "2020-01-01t00:00:00.5+23:59"},
                  {"2023-02-29T12:00:00Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "2020-13-01T00:00:00Z", "2020-01-01 00:00:00Z",
                   "1998-12-31T23:59:60+01:00", "2020-01-01", "2020-01-01T24:00:00Z"});
}
TEST(JsonSchemaFormats, Durations) {
    expect_format("duration", {"P4DT12H30M5S", "P1Y", "P4W", "PT0S", "P1Y2M3DT4H", "PT36H", "P1M"},
                  {"PT1D", "P", "P1YT", "P2D1Y", "P1D2H", "P1Y2W", "P1", "1Y", "PT", "PT1Y", "P1YD"});
}
TEST(JsonSchemaFormats, InternetAddresses) {
    expect_format("ipv4", {"0.0.0.0", "192.168.1.255", "87.10.0.1"}, {"256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4/24", "0x7f.1.1.1"});
    expect_format("ipv6",
                  {"::1", "::", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "1::8", "::abef", "1:2::192.168.0.1", "1:2:3:4:5:6:7::", "1::",
                   "::2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "ABCD:ef01::"},
                  {"12345::", "1:1:1:1:1:1:1:1:1", "::laptop", "1::1::1", "1:2:3:4:5:6:7:8::", ":1", "1:", "1.2.3.4", "1:2:3:4:5:6:7",
                   "100:100:100:100:100:100:255.255.255.255.255", "fe80::a%eth1", "1:2:3:4:5:6:7:1.2.3.4", ":::", "1:2::3:4:5:6:7:8", ""});
}
TEST(JsonSchemaFormats, HostNames) {
    const std::string label(63, 'a');
    expect_format("hostname", {"a", "example.com", label, label + "." + label + "." + label + "." + std::string(61, 'b'), "a-b.c1", "1a", "a--b"},
                  {"-a", "a-", label + "a", label + "." + label + "." + label + "." + std::string(62, 'b'), "a..b", "xn--x", "ab--c", "a_b",
                   "", ".a", "a."});
}
TEST(JsonSchemaFormats, Email) {
    expect_format("email", {"joe.bloggs@example.com", "te~st@example.com", R"(\"joe bloggs\"@example.com)", "joe@[127.0.0.1]", "joe@[IPv6:::1]"},
                  {"2962", ".test@example.com", "test.@example.com", "te..st@example.com", "a@b@c", "@b", "a@", "a@-b", "joe@[127.0.0.300]"});
}
TEST(JsonSchemaFormats, Uris) {
    expect_format("uri",
                  {"http://foo.bar/?baz=qux#quux", "urn:oasis:names", "mailto:a@b.c", "http://[::1]:80/", "http://a:b@c/", "tel:+1-816-555-1212",
                   "ldap://[2001:db8::7]/c=GB?objectClass?one", "http://x/%2F", "a:"},
                  {"//foo.bar", "abc", "http:// x", "bar,baz:foo", "http://[::g]/", "http://x/%2", "1a:b", "http://x/<>", ":a", ""});
    expect_format("uri-reference", {"//foo.bar", "abc", "#f", "?q", "../x", "", "http://a/b"}, {"http:// x", "a b", "#a#b", "[x]"});
    expect_format("uri-template", {"http://example.com/dictionary/{term:1}/{term}", "{?x,y*}", ""}, {"http://example.com/{term", "{}", "a b"});
}
TEST(JsonSchemaFormats, Others) {
    expect_format("uuid", {"2EB8AA08-AA98-11EA-B4AA-73B441D16380", "00000000-0000-0000-0000-000000000000"},
                  {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"});
    expect_format("json-pointer", {"", "/foo/bar~0/baz~1/%a", "/"}, {"/foo/bar~", "0", "a/a", "/~2"});
    expect_format("relative-json-pointer", {"1", "0/foo/bar", "2#", "0"}, {"/a", "-1/a", "01/a", "0##", ""});
}
TEST(JsonSchemaFormats, TogetherWithPatternsAndLengths) {
    expect_all({
        {R"({"type": "string", "format": "date", "pattern": "^2024"})", {"\"2024-02-29\""}, {"\"2023-01-01\"", "\"2024-02-30\""}},
        {R"({"type": "string", "format": "email", "maxLength": 8})", {"\"a@b.com\""}, {"\"abc@defg.com\""}},
        {R"({"type": "string", "format": "date-time", "pattern": "Z$"})", {"\"2024-02-29T23:59:60Z\""}, {"\"2024-02-29T00:59:60+01:00\""}},
        {R"({"format": "date"})", {"1", "\"2024-02-29\""}, {"\"x\""}},
        {R"({"type": "string", "not": {"format": "ipv4"}})", {"\"x\""}, {"\"1.2.3.4\""}},
    });
}
TEST(JsonSchemaFormats, OfOtherDraftsAndOfNone) {
    // Before 2019-09 `duration` was no format of a draft, and used for other notations.
    expect({R"({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "format": "duration"})", {"\"1m30s\""}, {}});
    expect({R"({"type": "string", "format": "phone"})", {"\"x\""}, {"1"}});
    for (const char* const name : {"regex", "idn-email", "idn-hostname", "iri", "iri-reference"})
        expect_problem(R"({"format": ")" + std::string(name) + "\"}", "/format", "the format " + std::string(name) + " is not supported; write a pattern");
}

}  // namespace
