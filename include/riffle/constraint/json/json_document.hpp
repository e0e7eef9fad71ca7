#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

enum class json_kind : std::uint8_t { null, boolean, number, string, array, object };

/// A JSON text, read: values by their numbers, the whole of it first. Numbers keep their digits.
template <class String>
class basic_json_document {
public:
    using value_id = std::uint32_t;
    enum : value_id { root = 0, none = ~0u };

    struct member {
        text name;
        value_id value;
    };

    /// Adds a value to what was begun last; that is ended by end().
    value_id add(json_kind kind) {
        const auto made = value_id(values_.size());
        values_.push_back({kind, open_.empty() ? value_id{none} : open_.back(), 0, 0, 0});
        if (!open_.empty()) {
            value& parent = values_[open_.back()];
            values_[made].place = parent.count++;
            pending_.push_back({key_, made});
        }
        return made;
    }
    value_id add(json_kind kind, const text& of) {
        const value_id made = add(kind);
        values_[made].first = std::uint32_t(bytes_.size());
        values_[made].count = std::uint32_t(of.size());
        bytes_.append(of.data(), of.size());
        return made;
    }
    /// The name of the member that comes next.
    void set_name(const text& name) {
        key_ = {std::uint32_t(bytes_.size()), std::uint32_t(name.size())};
        bytes_.append(name.data(), name.size());
    }
    void begin(json_kind kind) { open_.push_back(add(kind)); }
    /// False where an object has a name twice.
    bool end() {
        const value_id ended = open_.back();
        open_.pop_back();
        value& v = values_[ended];
        v.first = std::uint32_t(children_.size());
        children_.insert(children_.end(), pending_.end() - std::ptrdiff_t(v.count), pending_.end());
        pending_.resize(pending_.size() - v.count);
        return v.kind != json_kind::object || has_each_name_once(ended);
    }
    /// What was begun last and has not ended.
    value_id open() const noexcept { return open_.back(); }
    std::size_t depth() const noexcept { return open_.size(); }
    std::size_t size() const noexcept { return values_.size(); }

    json_kind kind(value_id v) const noexcept { return values_[v].kind; }
    bool is(value_id v, json_kind k) const noexcept { return values_[v].kind == k; }
    /// Of a string: its characters in UTF-8. Of a number: its digits as they stand in the text. Of a boolean: its name.
    text text_of(value_id v) const noexcept { return {bytes_.data() + values_[v].first, values_[v].count}; }
    bool is_true(value_id v) const noexcept { return is(v, json_kind::boolean) && text_of(v).size() == 4; }
    bool is_false(value_id v) const noexcept { return is(v, json_kind::boolean) && text_of(v).size() == 5; }
    /// How many values an array or an object has.
    std::uint32_t count(value_id v) const noexcept { return values_[v].count; }
    value_id item(value_id v, std::size_t i) const noexcept { return children_[values_[v].first + i].value; }
    member member_at(value_id v, std::size_t i) const noexcept {
        const child& c = children_[values_[v].first + i];
        return {{bytes_.data() + c.name.first, c.name.size}, c.value};
    }
    /// The value of a member, or none. O(members).
    value_id find(value_id v, const text& name) const noexcept {
        for (std::size_t i = 0; is(v, json_kind::object) && i < count(v); ++i)
            if (member_at(v, i).name == name) return member_at(v, i).value;
        return none;
    }
    /// Where a value stands (RFC 6901).
    String pointer(value_id v) const {
        std::vector<value_id> path;
        for (; v != root && v != none; v = values_[v].parent) path.push_back(v);
        String made;
        for (std::size_t i = path.size(); i-- > 0;) {
            const value& at = values_[path[i]];
            made += '/';
            if (kind(at.parent) == json_kind::array) append_number(made, at.place);
            else append_escaped(made, member_at(at.parent, at.place).name);
        }
        return made;
    }
    static void append_escaped(String& to, const text& name) {
        for (const char c : name) {
            if (c == '~') to += "~0";
            else if (c == '/') to += "~1";
            else to += c;
        }
    }
    /// Whether two values are the same, as JSON Schema has it: objects in any order, numbers by `same_number`.
    template <class SameNumber>
    bool are_equal(value_id a, value_id b, SameNumber same_number) const {
        if (a == b) return true;
        if (kind(a) != kind(b)) return false;
        switch (kind(a)) {
        case json_kind::null: return true;
        case json_kind::number: return same_number(text_of(a), text_of(b));
        case json_kind::boolean:
        case json_kind::string: return text_of(a) == text_of(b);
        case json_kind::array:
        case json_kind::object: break;
        }
        if (count(a) != count(b)) return false;
        for (std::size_t i = 0; i < count(a); ++i) {
            const value_id other = kind(a) == json_kind::array ? item(b, i) : find(b, member_at(a, i).name);
            if (other == none || !are_equal(item(a, i), other, same_number)) return false;
        }
        return true;
    }

private:
    struct name_place {
        std::uint32_t first = 0, size = 0;
    };
    struct child {
        name_place name;
        value_id value;
    };
    struct value {
        json_kind kind;
        value_id parent;
        std::uint32_t place;  ///< among the parent's
        std::uint32_t first, count;
    };

    bool has_each_name_once(value_id v) const {
        text_numbers names;
        for (std::size_t i = 0; i < count(v); ++i)
            if (names.number_of(member_at(v, i).name) != i) return false;
        return true;
    }

    std::vector<value> values_;
    std::vector<child> children_;  ///< of each array and object
    String bytes_;
    name_place key_;
    std::vector<value_id> open_;
    std::vector<child> pending_;  ///< of those that are open
};
using json_document = basic_json_document<std::string>;

}  // namespace riffle::detail
