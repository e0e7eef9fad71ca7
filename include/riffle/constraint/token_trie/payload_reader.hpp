#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Takes what nlohmann-json's parser finds in a payload, and makes a trie of it:
///
///     {"modelId": string, "descriptors": [{"path": string, "leaves": [{"name": string, "tokens": [int, ...]}]}]}
///
/// (elizaOS/eliza, packages/ui/src/services/local-inference/token-tree.ts: TokenTreePayload.) Other names are passed
/// over. The parser does not recurse, and stops where this answers false.
template <class Data, class IsSpecial>
class payload_reader {
public:
    using json = nlohmann::json;

    payload_reader(Data& into, std::int32_t vocabulary_size, IsSpecial is_special, const token_trie_options& options)
        : into_(into), size_(vocabulary_size), is_special_(is_special), options_(options) {}

    bool null() { return is_passed_over() || wrong_type(); }
    bool boolean(bool) { return is_passed_over() || wrong_type(); }
    bool number_integer(json::number_integer_t value) { return number(value); }
    bool number_unsigned(json::number_unsigned_t value) {
        return number(value > std::uint64_t(INT64_MAX) ? INT64_MAX : std::int64_t(value));
    }
    bool number_float(json::number_float_t, const json::string_t&) { return is_passed_over() || wrong_type(); }
    bool string(json::string_t& value) {
        if (is_passed_over()) return true;
        String* const kept = string_here();
        if (!kept) return wrong_type();
        *kept = std::move(value);
        return true;
    }
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t) { return begin(true); }
    bool start_array(std::size_t) { return begin(false); }
    bool key(json::string_t& name) {
        keys_.push_back(name);
        member_ = member_of(here(), name);
        seen_.back() |= 1u << unsigned(member_);
        return true;
    }
    bool end_object() {
        if (stands_twice()) {
            member_ = member::none;  // the place is the object itself
            return fail("a name stands twice in this object");
        }
        const place ended = leave();
        if (ended == place::payload)
            return needs(member::model_id, "modelId") && needs(member::descriptors, "descriptors");
        if (ended == place::leaf) return needs(member::name, "name") && needs(member::tokens, "tokens") && add_leaf();
        if (ended == place::descriptor)
            return needs(member::path, "path") && needs(member::leaves, "leaves") && add_descriptor();
        return true;
    }
    bool end_array() {
        leave();
        return true;
    }
    bool parse_error(std::size_t read, const std::string&, const json::exception& why) {
        offset_ = read > 0 ? read - 1 : 0;
        is_placed_ = true;
        if (problem_ == nullptr) problem_ = why.id == 406 ? "this number is out of range" : "this is not JSON";
        return false;
    }

    bool has_leaves() const noexcept { return leaves_ > 0; }
    std::vector<parse_problem> warnings() const { return left_out_.warnings(); }
    const char* problem() const noexcept { return problem_; }
    /// What reading stopped at: a place in the text, where it is no JSON; else a JSON pointer.
    bool is_placed() const noexcept { return is_placed_; }
    std::size_t offset() const noexcept { return offset_; }
    const std::string& where() const noexcept { return where_; }

private:
    using String = std::string;
    /// What a value is in, or is.
    enum class place : std::uint8_t { outside, payload, descriptors, descriptor, leaves, leaf, tokens, passed_over };
    enum class member : std::uint8_t { none, other, model_id, descriptors, path, leaves, name, tokens };

    place here() const noexcept { return places_.empty() ? place::outside : places_.back(); }
    static member member_of(place in, std::string_view name) noexcept {
        if (in == place::payload)
            return name == "modelId" ? member::model_id : name == "descriptors" ? member::descriptors : member::other;
        if (in == place::descriptor)
            return name == "path" ? member::path : name == "leaves" ? member::leaves : member::other;
        if (in == place::leaf) return name == "name" ? member::name : name == "tokens" ? member::tokens : member::other;
        return member::other;
    }
    /// Whether a value belongs to nothing that is read.
    bool is_passed_over() const noexcept {
        if (here() == place::passed_over) return true;
        return is_object(here()) && member_ == member::other;
    }
    static bool is_object(place p) noexcept {
        return p == place::payload || p == place::descriptor || p == place::leaf;
    }
    String* string_here() noexcept {
        if (!is_object(here())) return nullptr;
        if (member_ == member::model_id) return &into_.model;
        if (member_ == member::path) return &path_;
        return member_ == member::name ? &entry_.name : nullptr;
    }
    bool number(std::int64_t value) {
        if (is_passed_over()) return true;
        if (here() != place::tokens) return wrong_type();
        ++token_;
        if (const char* const wrong = problem_of_token(value, size_, is_special_)) return fail(wrong);
        entry_.tokens.push_back(token_id(value));
        return true;
    }

    // ---- objects and arrays

    bool begin(bool as_object) {
        if (places_.size() == options_.depth) return fail("values are nested more deeply than the limit allows");
        place p = place::passed_over;
        if (!is_passed_over()) {
            p = place_of_next();
            if (p == place::outside || is_object(p) != as_object) return wrong_type();
            count(p);
        }
        places_.push_back(p);
        seen_.push_back(0);
        first_key_.push_back(keys_.size());
        members_.push_back(member_);
        member_ = member::none;
        return true;
    }
    /// What an object or an array is that begins here, outside: it should not.
    place place_of_next() const noexcept {
        switch (here()) {
        case place::outside: return place::payload;
        case place::descriptors: return place::descriptor;
        case place::leaves: return place::leaf;
        case place::payload: return member_ == member::descriptors ? place::descriptors : place::outside;
        case place::descriptor: return member_ == member::leaves ? place::leaves : place::outside;
        case place::leaf: return member_ == member::tokens ? place::tokens : place::outside;
        default: return place::outside;
        }
    }
    void count(place p) {
        if (p == place::descriptors) descriptor_ = 0;
        if (p == place::descriptor) ++descriptor_, path_.clear(), entries_.clear();
        if (p == place::leaves) leaf_ = 0;
        if (p == place::leaf) ++leaf_, entry_ = {};
        if (p == place::tokens) token_ = 0;
    }
    place leave() {
        const place ended = here();
        last_seen_ = seen_.back();
        keys_.resize(first_key_.back());
        member_ = members_.back();
        places_.pop_back();
        seen_.pop_back();
        first_key_.pop_back();
        members_.pop_back();
        return ended;
    }
    bool stands_twice() {
        const auto first = keys_.begin() + std::ptrdiff_t(first_key_.back());
        std::sort(first, keys_.end());
        return std::adjacent_find(first, keys_.end()) != keys_.end();
    }
    bool needs(member m, const char* name) {
        if (last_seen_ >> unsigned(m) & 1) return true;
        missing_ = std::string("this object has no ") + name;
        return fail(missing_.c_str());
    }
    bool add_leaf() {
        if (entry_.tokens.empty()) {
            left_out_.add(text(pointer()));
            return true;
        }
        entries_.push_back(std::move(entry_));
        ++leaves_;
        return true;
    }
    bool add_descriptor() {
        return into_.add(std::move(path_), std::move(entries_)) || fail("there are more tokens than a trie can have");
    }

    // ---- problems

    /// Of the value that comes next.
    bool wrong_type() {
        switch (here()) {
        case place::tokens: ++token_; return fail("a token is an integer");
        case place::outside: return fail("a payload is an object");
        case place::descriptors: ++descriptor_; return fail("a descriptor is an object");
        case place::leaves: ++leaf_; return fail("a leaf is an object");
        default: break;
        }
        const bool is_list = member_ == member::descriptors || member_ == member::leaves || member_ == member::tokens;
        return fail(is_list ? "this has to be an array" : "this has to be a string");
    }
    bool fail(const char* sentence) {
        problem_ = sentence;
        where_ = pointer();
        return false;
    }
    /// Of the value at hand.
    std::string pointer() const {
        std::string to;
        std::size_t i = 0;
        for (; i < places_.size() && places_[i] != place::passed_over; ++i) {
            if (places_[i] == place::descriptors) append_number(to += "/descriptors/", descriptor_ - (descriptor_ > 0));
            if (places_[i] == place::leaves) append_number(to += "/leaves/", leaf_ - (leaf_ > 0));
            if (places_[i] == place::tokens) append_number(to += "/tokens/", token_ - (token_ > 0));
        }
        if (i < places_.size()) append_name(to, keys_[first_key_[i] - 1]);
        else if (is_object(here()) && member_ != member::none) append_name(to, keys_.back());
        return to;
    }
    /// As RFC 6901 writes a name.
    static void append_name(std::string& to, std::string_view name) {
        to += '/';
        for (const char c : name) {
            if (c == '~') to += "~0";
            else if (c == '/') to += "~1";
            else to += c;
        }
    }

    Data& into_;
    std::int32_t size_;
    IsSpecial is_special_;
    const token_trie_options& options_;

    std::vector<place> places_;        ///< that are open
    std::vector<std::uint32_t> seen_;  ///< for each: which members have come
    std::vector<std::size_t> first_key_;
    std::vector<member> members_;   ///< for each: what it is of the one around it
    std::vector<String> keys_;      ///< of all that are open
    member member_ = member::none;  ///< whose value comes next
    std::uint32_t last_seen_ = 0;
    std::size_t descriptor_ = 0, leaf_ = 0, token_ = 0;  ///< how many have begun

    String path_;
    std::vector<typename Data::entry> entries_;
    typename Data::entry entry_;
    std::size_t leaves_ = 0;
    leaves_without_tokens<parse_problem> left_out_;

    const char* problem_ = nullptr;
    std::string where_, missing_;
    std::size_t offset_ = 0;
    bool is_placed_ = false;
};

}  // namespace riffle::detail
