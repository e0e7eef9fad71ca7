// Token tries and the functions for C where one allocation fails: a code says so, nothing has changed, and the next
// attempt goes well.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <riffle/c_api.hpp>
#include <riffle/constraint.hpp>
#include <riffle/token_trie.hpp>

#include "embedding/allocations.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_token_tries {
namespace {

using namespace riffle;

const char* const payload =
    R"({"modelId": "m", "descriptors": [{"path": "action", "leaves": [)"
    R"({"name": "REPLY", "tokens": [1, 2]}, {"name": "REPLY_THREAD", "tokens": [1, 2, 4]}, {"name": "empty", "tokens": []}]},)"
    R"( {"path": "other", "leaves": [{"name": "STOP", "tokens": [3]}]}]})";
const vocabulary& pieces() {
    static const vocabulary made = [] {
        vocabulary v;
        for (const char* piece : {"{", "RE", "PLY", "STOP", "_THREAD", "}", "R", "E", "1"}) v.add(piece);
        v.add("</s>", token_role::end_of_generation | token_role::control);
        return v;
    }();
    return made;
}

TEST(FailingAllocation, OfAPayloadThatIsRead) {
    using read_trie = parsed<token_trie>;
    const auto read = [](read_trie& into) {
        into = parse_token_trie(payload, pieces());
        if (into) return status();
        EXPECT_EQ(into.problem().sentence, "out of memory");
        return status(status_code::out_of_memory);
    };
    fail_each_allocation([] { return read_trie(); }, read, [&](read_trie& t, const outcome&) { EXPECT_TRUE(read(t).ok()); },
                         [](read_trie& t) { EXPECT_EQ(t->size(), 2u); });
}

/// What may follow a value is all that a matcher has of its own.
TEST(FailingAllocation, OfWhatMayFollowAValue) {
    static const token_trie read = *parse_token_trie(payload, pieces());
    const auto at_reply = [] {
        trie_matcher m(read);
        EXPECT_TRUE((m.select)("action").ok());
        for (const token_id token : {1, 2}) EXPECT_FALSE(m.accept(token).refused);
        return m;
    };
    fail_each_allocation(
        at_reply, [](trie_matcher& m) { return m.set_exits(std::vector<token_id>{5, 0}); },
        [](const trie_matcher& m) { return m.legal().are_all ? std::size_t{0} : m.legal().ids.size(); });
}

/// What there is no memory to keep is read all the same.
TEST(FailingAllocation, OfACacheOfTries) {
    std::size_t failed = 0, given = 0;
    for (std::size_t n = 0;; ++n) {
        SCOPED_TRACE(testing::Message() << "allocation " << n);
        token_trie_cache cache(pieces());
        parsed<token_trie> first;
        bool is_over = false;
        {
            const failing_allocation nth(n);
            first = cache.parse(payload);
            is_over = !nth.happened();
        }
        ++(first ? given : failed);
        EXPECT_TRUE(first || first.problem().sentence == "out of memory");
        const parsed<token_trie> again = cache.parse(payload);
        ASSERT_TRUE(again);
        EXPECT_EQ(cache.size(), 1u);
        if (is_over) break;
    }
    EXPECT_TRUE(given > 0 && (failed > 0 || !throwing_forms_may_fail)) << given << ' ' << failed;
}

// ---- for C

struct free_handle {
    void operator()(riffle_vocabulary* h) const { riffle_vocabulary_free(h); }
    void operator()(riffle_constraint* h) const { riffle_constraint_free(h); }
    void operator()(riffle_chain* h) const { riffle_chain_free(h); }
    void operator()(riffle_stream* h) const { riffle_stream_free(h); }
};
template <class Handle>
struct owned {
    std::unique_ptr<Handle, free_handle> handle;
    Handle* get() const { return handle.get(); }
};

riffle_problem no_problem() {
    riffle_problem made{};
    made.struct_size = sizeof made;
    return made;
}
/// A handle that was made, or the code of why not.
template <class Handle>
status hold(owned<Handle>& into, Handle* made, const riffle_problem& why) {
    into.handle.reset(made);
    if (made) return status();
    EXPECT_EQ(why.code, riffle_out_of_memory) << why.sentence;
    return status_code::out_of_memory;
}
status code(std::int32_t of) { return status(status_code(of)); }

const std::vector<riffle_token_text>& tokens() {
    static const std::vector<riffle_token_text> all = [] {
        std::vector<riffle_token_text> made;
        const vocabulary& words = pieces();
        for (std::size_t i = 0; i < words.size(); ++i) {
            const text piece = words.piece(token_id(i));
            const bool ends = words.is(token_id(i), token_role::end_of_generation);
            made.push_back({piece.data(), piece.size(), std::uint32_t(ends ? riffle_control | riffle_end_of_generation : 0)});
        }
        return made;
    }();
    return all;
}
const riffle_vocabulary* words() {
    static const owned<riffle_vocabulary> made = [] {
        owned<riffle_vocabulary> v;
        riffle_problem why = no_problem();
        EXPECT_TRUE(hold(v, riffle_vocabulary_new(tokens().data(), tokens().size(), &why), why).ok());
        return v;
    }();
    return made.get();
}

TEST(FailingAllocation, OfAVocabularyForC) {
    const auto make = [](owned<riffle_vocabulary>& v) {
        riffle_problem why = no_problem();
        return hold(v, riffle_vocabulary_new(tokens().data(), tokens().size(), &why), why);
    };
    fail_each_allocation([] { return owned<riffle_vocabulary>(); }, make,
                         [&](owned<riffle_vocabulary>& v, const outcome&) { EXPECT_TRUE(make(v).ok()); },
                         [](owned<riffle_vocabulary>& v) { EXPECT_EQ(riffle_vocabulary_size(v.get()), tokens().size()); });
}

TEST(FailingAllocation, OfConstraintsForC) {
    static const std::string grammar = R"(root ::= "{" ("RE" | "STOP")* "}")", schema = R"({"enum": [1, 11, 111]})",
                             in_tokens = payload;
    (void)words();
    struct held {
        owned<riffle_constraint> one, another;
    };
    const auto make = [](held& h) {
        for (int which = 0; which < 3; ++which) {
            riffle_problem why = no_problem();
            riffle_constraint* const made =
                which == 0   ? riffle_constraint_new_gbnf(words(), grammar.data(), grammar.size(), &why)
                : which == 1 ? riffle_constraint_new_json_schema(words(), schema.data(), schema.size(), &why)
                             : riffle_constraint_new_token_trie(words(), in_tokens.data(), in_tokens.size(), "action", &why);
            if (const status s = hold(h.one, made, why); !s.ok()) return s;
            h.another.handle.reset(riffle_constraint_clone(h.one.get()));
            if (!h.another.handle) return status(status_code::out_of_memory);
        }
        return status();
    };
    fail_each_allocation([] { return held(); }, make, [&](held& h, const outcome&) { EXPECT_TRUE(make(h).ok()); },
                         [](held& h) { EXPECT_NE(h.another.get(), nullptr); });
}

TEST(FailingAllocation, OfAChainForC) {
    static const owned<riffle_constraint> within = [] {
        owned<riffle_constraint> c;
        riffle_problem why = no_problem();
        const std::string grammar = R"(root ::= "RE" ("PLY" | "PLY_THREAD"))";
        EXPECT_TRUE(hold(c, riffle_constraint_new_gbnf(words(), grammar.data(), grammar.size(), &why), why).ok());
        return c;
    }();
    static const std::vector<float> row(tokens().size(), 0.5f);
    struct held {
        owned<riffle_chain> chain, copy;
        riffle_token token = -1;
    };
    const auto use = [](held& h) {
        riffle_problem why = no_problem();
        riffle_chain* const made =
            riffle_chain_new(R"(repeat_penalty=1.1;top_k=5;seed=4;grammar=root ::= "{" "}")", words(), nullptr, &why);
        if (const status s = hold(h.chain, made, why); !s.ok()) return s;
        const riffle_token prompt[] = {0, 1, 2, 3};
        if (const status s = code(riffle_chain_prompt(h.chain.get(), prompt, 4)); !s.ok()) return s;
        if (const status s = code(riffle_chain_sample(h.chain.get(), row.data(), row.size(), &h.token)); !s.ok()) return s;
        EXPECT_EQ(h.token, 0);
        if (const status s = code(riffle_chain_set_constraint(h.chain.get(), within.get())); !s.ok()) return s;
        h.copy.handle.reset(riffle_chain_clone(h.chain.get()));
        if (!h.copy.handle) return status(status_code::out_of_memory);
        if (const status s = code(riffle_chain_sample(h.copy.get(), row.data(), row.size(), &h.token)); !s.ok()) return s;
        riffle_constraint_state state{};
        state.struct_size = sizeof state;
        if (const status s = code(riffle_chain_constraint_state(h.copy.get(), &state)); !s.ok()) return s;
        EXPECT_GT(state.legal_count, 0u);
        EXPECT_EQ(riffle_chain_allows(h.copy.get(), 5), 0);
        riffle_token forced[4];
        std::size_t count = 0;
        if (const status s = code(riffle_chain_forced_run(h.copy.get(), forced, 4, &count)); !s.ok()) return s;
        return code(riffle_chain_rewind(h.copy.get(), 1));
    };
    fail_each_allocation([] { return held(); }, use, [&](held& h, const outcome&) { EXPECT_TRUE(use(h).ok()); },
                         [](held& h) { EXPECT_TRUE(h.token == 1 || h.token == 6) << h.token; });
}

TEST(FailingAllocation, OfAStreamForC) {
    (void)words();
    struct held {
        owned<riffle_stream> stream;
        std::string shown;
    };
    const auto use = [](held& h) {
        static const char* const stops[] = {"STOP"};
        h.shown.clear();
        riffle_problem why = no_problem();
        if (const status s = hold(h.stream, riffle_stream_new(words(), stops, 1, nullptr, &why), why); !s.ok()) return s;
        for (const riffle_token token : {1, 2, 3}) {
            const char* bytes = nullptr;
            std::size_t size = 0;
            if (const status s = code(riffle_stream_push(h.stream.get(), token, &bytes, &size)); !s.ok()) return s;
            h.shown.append(bytes, size);
        }
        return status();
    };
    fail_each_allocation([] { return held(); }, use, [&](held& h, const outcome&) { EXPECT_TRUE(use(h).ok()); },
                         [](held& h) {
                             EXPECT_EQ(h.shown, "REPLY");
                             EXPECT_EQ(riffle_stream_stopped(h.stream.get()), 0);
                         });
}

}  // namespace
}  // namespace riffle_tests::failing_token_tries
