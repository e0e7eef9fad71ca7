// riffle for C: any sequence of calls, with handles and without, in any order.

#include <cstring>
#include <string>
#include <vector>

#include <riffle/riffle.h>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

/// What a program has: some of each handle, or none.
class program {
public:
    explicit program(input in) : in_(in) {}
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() {
        for (auto*& c : chains_) riffle_chain_free(c);
        for (auto*& c : constraints_) riffle_constraint_free(c);
        for (auto*& s : streams_) riffle_stream_free(s);
        for (auto*& v : vocabularies_) riffle_vocabulary_free(v);
    }
    void run() {
        for (int i = 0; i < 60 && !in_.empty(); ++i) call();
    }

private:
    template <class Handle>
    Handle*& any(Handle* (&all)[2]) {
        return all[in_.below(2)];
    }
    riffle_problem* problem() {
        if (in_.below(4) == 0) return nullptr;
        problem_.struct_size = in_.below(4) == 0 ? in_.below(600) : sizeof problem_;
        return &problem_;
    }
    void must_be_code(std::int32_t code) { must(code >= riffle_ok && code <= riffle_not_built_in, "a call answers a code"); }
    void make_vocabulary() {
        static const char* const pieces[] = {"a", "b", "ab", "\"", "{", "}", "\xC3", "\xA9", "stop", "</s>"};
        std::vector<riffle_token_text> tokens;
        for (const char* piece : pieces) tokens.push_back({piece, std::strlen(piece), piece[0] == '<' ? 3u : 0u});
        if (in_.below(8) == 0) tokens.push_back({nullptr, in_.below(2), in_.byte()});
        riffle_vocabulary*& v = any(vocabularies_);
        riffle_vocabulary_free(v);
        v = riffle_vocabulary_new(in_.below(16) == 0 ? nullptr : tokens.data(), in_.below(16) == 0 ? 0 : tokens.size(), problem());
    }
    void make_constraint() {
        static const char* const texts[] = {"root ::= \"a\" [ab]*", "root ::= (", "{\"enum\": [\"ab\", {}]}", "{", "",
                                            R"({"modelId":"m","descriptors":[{"path":"p","leaves":[{"name":"x","tokens":[0,1]},{"name":"y","tokens":[0]}]}]})",
                                            R"({"modelId":"m","descriptors":[]})"};
        const char* const text = texts[in_.below(7)];
        const riffle_vocabulary* const v = any(vocabularies_);
        riffle_constraint*& c = any(constraints_);
        riffle_constraint_free(c);
        const std::size_t size = std::strlen(text);
        switch (in_.below(3)) {
        case 0: c = riffle_constraint_new_gbnf(v, text, size, problem()); break;
        case 1: c = riffle_constraint_new_json_schema(v, text, size, problem()); break;
        default: c = riffle_constraint_new_token_trie(v, text, size, in_.below(2) ? nullptr : "p", problem());
        }
    }
    void make_chain() {
        static const char* const texts[] = {"top_k=3;temp=0.7", "temp=0", "grammar=root ::= \"ab\"+", "json_schema={\"type\": \"object\"}",
                                            "mirostat=2", "nonsense", "repeat_penalty=1.3;dry_multiplier=1;xtc_probability=0.5", "infill;temp=1"};
        riffle_chain_options options{in_.below(8) == 0 ? in_.below(20) : sizeof options, std::int32_t(in_.below(3)), 0};
        riffle_chain*& c = any(chains_);
        riffle_chain_free(c);
        c = riffle_chain_new(texts[in_.below(8)], any(vocabularies_), in_.below(2) ? nullptr : &options, problem());
    }
    void call() {
        riffle_chain*& chain = any(chains_);
        riffle_token token = -3;
        switch (in_.below(18)) {
        case 0: return make_vocabulary();
        case 1: return make_constraint();
        case 2: return make_chain();
        case 3: {
            riffle_chain* const copy = riffle_chain_clone(chain);
            riffle_chain_free(chain);
            chain = copy;
            return;
        }
        case 4: {
            const std::vector<float> row = in_.row();
            return must_be_code(riffle_chain_sample(chain, row.data(), row.size(), in_.below(9) ? &token : nullptr));
        }
        case 5: {
            const std::vector<float> row(10, 0.5f);
            const std::int32_t code = riffle_chain_peek(chain, row.data(), row.size(), &token);
            must_be_code(code);
            if (chain) must((code == riffle_ok) == (token >= 0), "there is a token, or a code that says why not");
            if (code == riffle_ok) must(riffle_chain_allows(chain, token) == 1, "the token is legal");
            return;
        }
        case 6: return must_be_code(riffle_chain_accept(chain, std::int32_t(in_.below(14)) - 1));
        case 7: return must_be_code(riffle_chain_rewind(chain, in_.below(5)));
        case 8: return must_be_code(riffle_chain_reset(chain));
        case 9: return must_be_code(riffle_chain_set_constraint(chain, any(constraints_)));
        case 10: return must_be_code(riffle_chain_clear_constraint(chain));
        case 11: return must_be_code(riffle_chain_restart_constraint(chain));
        case 12: {
            riffle_constraint_state state{};
            state.struct_size = in_.below(64);
            must_be_code(riffle_chain_constraint_state(chain, &state));
            riffle_step step{};
            step.struct_size = in_.below(24);
            return must_be_code(riffle_chain_last_step(chain, &step));
        }
        case 13: {
            riffle_token run[5];
            std::size_t count = 99;
            must_be_code(riffle_chain_forced_run(chain, run, 5, &count));
            if (chain) must(count <= 5, "no more tokens are written than there is room for");
            for (std::size_t i = 0; chain && i < count; ++i)
                must(riffle_chain_accept(chain, run[i]) == riffle_ok, "a forced token is accepted");
            must(riffle_chain_leaf_name(chain) != nullptr && riffle_chain_problem(chain) != nullptr, "a text is there");
            return;
        }
        case 14: {
            const riffle_token prompt[] = {1, 2, std::int32_t(in_.below(12)) - 1};
            return must_be_code(riffle_chain_prompt(chain, prompt, in_.below(4)));
        }
        case 15: {
            const char* const stops[] = {"ab", "", nullptr, "stop"};
            riffle_stream_options options{in_.below(8) ? sizeof options : in_.below(20), std::int32_t(in_.below(4)), in_.below(2) != 0,
                                          in_.below(2) != 0, in_.below(2) != 0};
            riffle_stream*& s = any(streams_);
            riffle_stream_free(s);
            s = riffle_stream_new(any(vocabularies_), stops, in_.below(5), in_.below(2) ? nullptr : &options, problem());
            return;
        }
        case 16: {
            riffle_stream*& s = any(streams_);
            riffle_stream* const copy = riffle_stream_clone(s);
            riffle_stream_free(s);
            s = copy;
            return must_be_code(riffle_stream_reset(any(streams_)));
        }
        default: {
            const char* bytes = nullptr;
            std::size_t size = 0;
            riffle_stream* const s = any(streams_);
            must_be_code(in_.below(4) ? riffle_stream_push(s, std::int32_t(in_.below(14)) - 1, &bytes, &size) : riffle_stream_flush(s, &bytes, &size));
            for (std::size_t i = 0; i < size; ++i) text_ += bytes[i];
            (void)riffle_stream_stopped(s);
        }
        }
    }

    input in_;
    riffle_problem problem_{};
    riffle_vocabulary* vocabularies_[2] = {};
    riffle_constraint* constraints_[2] = {};
    riffle_chain* chains_[2] = {};
    riffle_stream* streams_[2] = {};
    std::string text_;
};

}  // namespace

void c_interface(input in) { program(in).run(); }

}  // namespace riffle_tests::fuzz
