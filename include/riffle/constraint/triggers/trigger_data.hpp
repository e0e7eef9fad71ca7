#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/constraint/triggers/firing_tokens.hpp>
#include <riffle/constraint/triggers/trigger_automaton.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What copies of a triggered matcher share.
template <class Automaton>
class basic_trigger_data : public shared_object {
public:
    Automaton automaton;
    std::vector<token_id> tokens;  ///< ascending
    std::vector<std::string> words;
    shared_pointer<const trie_data> trie;
    firing_tokens<Automaton> firing;
    mutable kept_by_key<all_but_few> masks;
    bool begins_with_trigger = false;

    /// What is read of a token. A control token is read by its name, but is no text: a trigger may end with the name,
    /// not inside of it.
    struct read_bytes {
        text bytes;
        bool is_name = false;
        read_bytes(const text& of, bool as_name = false) noexcept : bytes(of), is_name(as_name) {}
    };
    read_bytes bytes_of(token_id token) const noexcept {
        const bool is_name = trie->is_control(token);
        return {is_name || trie->is_read_by_bytes(token) ? trie->piece(token) : text(), is_name};
    }
    /// Reads up to where a trigger is complete; answers what comes behind that.
    text read_to_firing(const read_bytes& of, typename Automaton::state& at) const noexcept {
        const std::size_t read = firing.read_to_firing(of.bytes, at);
        if (of.is_name && read < of.bytes.size()) at = {};
        return of.bytes.part(read);
    }
};
using trigger_data = basic_trigger_data<trigger_automaton>;

}  // namespace riffle::detail
