#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/uri_reference.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The drafts of JSON Schema; `any` where a schema does not say: the newest, and of the older forms those that cannot
/// be mistaken.
enum class schema_draft : std::uint8_t { any, draft_4, draft_6, draft_7, draft_2019_09, draft_2020_12 };

/// What `$ref` can refer to in a document: resources by their URI, and places in them by a JSON pointer or an anchor.
template <class Document>
class schema_resources {
public:
    using value_id = typename Document::value_id;

    schema_resources(const Document& of, schema_draft draft) : of_(of), draft_(draft) { find(); }

    /// The value that a reference refers to; Document::none where it is not in the document.
    value_id find(value_id from, const text& reference) const {
        const std::size_t hash = find_in(reference, '#');
        const std::uint32_t around = resource_of_[from];
        const text fragment = reference.part(hash + 1);
        if (hash == 0) return find_in_resource(resources_[around].root, fragment);
        const std::string uri = resolved_uri(resources_[around].uri, reference);
        for (const auto& r : resources_)
            if (r.uri == uri) return find_in_resource(r.root, fragment);
        return Document::none;
    }

private:
    struct resource {
        std::string uri;
        value_id root;
    };
    struct anchor {
        value_id root;  ///< of its resource
        std::string name;
        value_id at;
    };

    void find() {
        resource_of_.assign(of_.size(), 0);
        resources_.push_back({"", Document::root});
        std::vector<value_id> left{Document::root};
        while (!left.empty()) {
            const value_id v = left.back();
            left.pop_back();
            if (of_.is(v, json_kind::object)) look_at(v);
            const bool is_object = of_.is(v, json_kind::object);
            if (!is_object && !of_.is(v, json_kind::array)) continue;
            for (std::size_t i = 0; i < of_.count(v); ++i) {
                const value_id child = of_.item(v, i);
                resource_of_[child] = resource_of_[v];
                if (!is_object || !holds_values(of_.member_at(v, i).name)) left.push_back(child);
            }
        }
    }
    /// Keywords that hold values and no schemas.
    static bool holds_values(const text& name) noexcept {
        return name == "enum" || name == "const" || name == "default" || name == "examples";
    }
    void look_at(value_id v) {
        for (std::size_t i = 0; i < of_.count(v); ++i) {
            const auto m = of_.member_at(v, i);
            if (!of_.is(m.value, json_kind::string)) continue;
            const text value = of_.text_of(m.value);
            const bool is_old_id = m.name == "id" && (draft_ == schema_draft::any || draft_ == schema_draft::draft_4);
            if (m.name == "$id" || is_old_id) add_id(v, value);
            else if (m.name == "$anchor" || m.name == "$dynamicAnchor") add_anchor(v, value);
        }
    }
    void add_id(value_id v, const text& id) {
        if (id.starts_with("#")) return add_anchor(v, id.part(1));  // an anchor of the drafts up to 7
        const std::string uri = resolved_uri(resources_[resource_of_[v]].uri, id);
        if (v == Document::root) {
            resources_[0].uri = uri;
            return;
        }
        resource_of_[v] = std::uint32_t(resources_.size());
        resources_.push_back({uri, v});
    }
    void add_anchor(value_id v, const text& name) {
        anchors_.push_back({resources_[resource_of_[v]].root, std::string(name.data(), name.size()), v});
    }

    value_id find_in_resource(value_id root, const text& fragment) const {
        if (fragment.empty()) return root;
        const std::string decoded = without_percent_escapes(fragment);
        if (decoded[0] == '/') return find_by_pointer(root, decoded);
        for (const auto& a : anchors_)
            if (a.root == root && a.name == decoded) return a.at;
        return Document::none;
    }
    value_id find_by_pointer(value_id at, const std::string& pointer) const {
        for (std::size_t i = 0; i < pointer.size() && at != Document::none;) {
            const std::size_t end = find_in(text(pointer), '/', i + 1);
            std::string name;
            for (std::size_t k = i + 1; k < end; ++k) {
                const bool is_escape =
                    pointer[k] == '~' && k + 1 < end && (pointer[k + 1] == '0' || pointer[k + 1] == '1');
                name += is_escape ? (pointer[k + 1] == '0' ? '~' : '/') : pointer[k];
                k += is_escape;
            }
            at = of_.is(at, json_kind::array) ? item_at(at, name) : of_.find(at, name);
            i = end;
        }
        return at;
    }
    value_id item_at(value_id array, const std::string& digits) const {
        std::size_t place = 0;
        for (const char c : digits) {
            if (c < '0' || c > '9' || place > of_.count(array)) return Document::none;
            place = place * 10 + std::size_t(c - '0');
        }
        return digits.empty() || place >= of_.count(array) ? value_id{Document::none} : of_.item(array, place);
    }

    const Document& of_;
    schema_draft draft_;
    std::vector<resource> resources_;
    std::vector<anchor> anchors_;
    std::vector<std::uint32_t> resource_of_;  ///< of each value
};

}  // namespace riffle::detail
