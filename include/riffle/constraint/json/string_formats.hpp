#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/constraint/json/schema_resources.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

enum class format_support : std::uint8_t { supported, not_supported, unknown };

/// What a name of a format is in a draft (2020-12 validation, section 7.3, and what the drafts before it had). A name
/// that came with a later draft is taken all the same, but for `duration`: before 2019-09 it was used for notations of
/// many kinds.
inline format_support support_of_format(const text& name, schema_draft draft) noexcept {
    for (const char* const known : {"date-time", "date", "time", "email", "hostname", "ipv4", "ipv6", "uri",
                                    "uri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer"})
        if (name == known) return format_support::supported;
    const bool is_old = draft != schema_draft::any && draft < schema_draft::draft_2019_09;
    if (name == "duration") return is_old ? format_support::unknown : format_support::supported;
    for (const char* const known : {"idn-email", "idn-hostname", "iri", "iri-reference", "regex"})
        if (name == known) return format_support::not_supported;
    return format_support::unknown;
}

/// The formats as regular expressions of the whole text, from their grammars. (Times with leap seconds are no short
/// ones: time_automaton.hpp.)
class format_patterns {
public:
    /// Empty for a format that is none.
    static std::string of(const text& name) {
        if (name == "date") return date();
        if (name == "duration") return duration();
        if (name == "email") return email();
        if (name == "hostname") return hostname();
        if (name == "ipv4") return ipv4();
        if (name == "ipv6") return ipv6();
        if (name == "uri") return uri();
        if (name == "uri-reference") return uri() + "|" + relative_reference();
        if (name == "uri-template") return uri_template();
        if (name == "uuid") return "[\\da-fA-F]{8}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{12}";
        if (name == "json-pointer") return json_pointer();
        if (name == "relative-json-pointer") return "(?:0|[1-9]\\d*)(?:#|" + json_pointer() + ")";
        return {};
    }
    /// The most characters that it has, as far as that is no part of the pattern.
    static std::uint32_t most_characters(const text& name) noexcept { return name == "hostname" ? 253 : ~0u; }

private:
    /// RFC 3339, section 5.6 and appendix C: a day is one of its month, and of a leap year.
    static std::string date() {
        return "\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)"
               "|02-(?:0[1-9]|1\\d|2[0-8]))"
               "|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29";
    }
    /// RFC 3339, appendix A.
    static std::string duration() {
        const std::string time = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
        return "P(?:\\d+W|(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)(?:" + time + ")?|" + time + ")";
    }
    /// RFC 5321, section 4.1.2: Mailbox.
    static std::string email() {
        const std::string atom = "[\\w!#$%&'*+/=?^`{|}~-]+", label = "[A-Za-z\\d](?:[A-Za-z\\d-]*[A-Za-z\\d])?";
        return "(?:" + atom + "(?:\\." + atom + ")*|\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\")@(?:" + label + "(?:\\." + label +
               ")*|\\[(?:" + ipv4() + "|IPv6:" + "(?:" + ipv6() + "))\\])";
    }
    /// RFC 1123, section 2.1, with labels of at most 63 characters. A label with `--` behind its second character is
    /// reserved (RFC 5891, section 4.2.3.1); those that begin with xn-- would have to be decoded, so there are none.
    static std::string hostname() {
        const std::string a = "[A-Za-z\\d]", h = "[A-Za-z\\d-]";
        const std::string label = "(?:" + a + "{1,2}|" + a + h + a + "|" + a + h + "[A-Za-z\\d-]" + a + "|" + a + h +
                                  "(?:" + a + h + "|-" + a + ")" + h + "{0,58}" + a + ")";
        return label + "(?:\\." + label + ")*";
    }
    /// RFC 2673, section 3.2: four numbers without zeros ahead.
    static std::string ipv4() {
        const std::string number = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
        return number + "(?:\\." + number + "){3}";
    }
    /// RFC 4291, section 2.2, as RFC 3986 writes it down.
    static std::string ipv6() {
        const std::string h = "[\\da-fA-F]{1,4}", last = "(?:" + h + ":" + h + "|" + ipv4() + ")";
        std::string all = "(?:" + h + ":){6}" + last + "|::(?:" + h + ":){5}" + last;
        for (std::uint32_t before = 0; before <= 5; ++before) {  // at most so many and one ahead of ::
            const std::string ahead = "(?:(?:" + h + ":){0," + in_digits(before) + "}" + h + ")?::";
            all += "|" + ahead + (before <= 4 ? "(?:" + h + ":){" + in_digits(4 - before) + "}" + last : h);
        }
        return all + "|(?:(?:" + h + ":){0,6}" + h + ")?::";
    }

    // ---- RFC 3986, appendix A

    static std::string percent() { return "%[\\da-fA-F]{2}"; }
    static std::string path_character() { return "(?:[\\w.~!$&'()*+,;=:@-]|" + percent() + ")"; }
    static std::string authority() {
        return "(?:(?:[\\w.~!$&'()*+,;=:-]|" + percent() + ")*@)?(?:\\[(?:" + ipv6() +
               "|[vV][\\da-fA-F]+\\.[\\w.~!$&'()*+,;=:-]+)\\]|(?:[\\w.~!$&'()*+,;=-]|" + percent() + ")*)(?::\\d*)?";
    }
    static std::string query_and_fragment() {
        const std::string characters = "(?:[\\w.~!$&'()*+,;=:@/?-]|" + percent() + ")*";
        return "(?:\\?" + characters + ")?(?:#" + characters + ")?";
    }
    static std::string path_of(const std::string& first) { return first + "+(?:/" + path_character() + "*)*"; }
    static std::string uri() {
        return "[A-Za-z][A-Za-z\\d+.-]*:(?:" + hierarchy(path_character()) + ")" + query_and_fragment();
    }
    static std::string relative_reference() {
        return "(?:" + hierarchy("(?:[\\w.~!$&'()*+,;=@-]|" + percent() + ")") + ")" + query_and_fragment();
    }
    static std::string hierarchy(const std::string& first) {
        return "//" + authority() + "(?:/" + path_character() + "*)*|/(?:" + path_of(path_character()) +
               ")?|(?:" + path_of(first) + ")?";
    }
    /// RFC 6570, section 2.
    static std::string uri_template() {
        const std::string name = "(?:\\w|" + percent() + ")(?:\\.?(?:\\w|" + percent() + "))*(?::[1-9]\\d{0,3}|\\*)?";
        return "(?:[!#$&(-;=?-\\[\\]_a-z~\\u00a0-\\u{10ffff}]|" + percent() + "|\\{[+#./;?&=,!@|]?" + name + "(?:," +
               name + ")*\\})*";
    }
    /// RFC 6901, section 3.
    static std::string json_pointer() { return "(?:/(?:[^/~]|~[01])*)*"; }
};

}  // namespace riffle::detail
