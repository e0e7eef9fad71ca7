// riffle for C: what its functions answer, and that tokens and texts are those of C++.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/c_api.hpp>

namespace riffle_tests::c_use {
namespace {

using namespace riffle;

struct free_handle {
    void operator()(riffle_vocabulary* h) const { riffle_vocabulary_free(h); }
    void operator()(riffle_constraint* h) const { riffle_constraint_free(h); }
    void operator()(riffle_chain* h) const { riffle_chain_free(h); }
    void operator()(riffle_stream* h) const { riffle_stream_free(h); }
};
template <class Handle>
using owned = std::unique_ptr<Handle, free_handle>;

const std::vector<std::string> pieces{"yes", "no", " ", "y", "e", "s", "n", "o", "{", "}", "\"a\"", ":", "1", "RE", "PLY",
                                      "STOP", "\xF0\x9F", "\x98\x80", "</s>", "<call>"};
owned<riffle_vocabulary> some_words() {
    std::vector<riffle_token_text> tokens;
    for (const std::string& piece : pieces) {
        const std::uint32_t roles = piece == "</s>" ? riffle_control | riffle_end_of_generation : piece == "<call>" ? riffle_control : riffle_text;
        tokens.push_back({piece.data(), piece.size(), roles});
    }
    riffle_problem problem{};
    problem.struct_size = sizeof problem;
    owned<riffle_vocabulary> made(riffle_vocabulary_new(tokens.data(), tokens.size(), &problem));
    EXPECT_NE(made, nullptr) << problem.sentence;
    EXPECT_EQ(problem.code, riffle_ok);
    return made;
}
riffle_problem no_problem() {
    riffle_problem problem{};
    problem.struct_size = sizeof problem;
    return problem;
}
std::vector<float> some_row(int seed) {
    std::vector<float> row(pieces.size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::sin(float(i * 7 + std::size_t(seed) * 13)) * 3;
    return row;
}

TEST(ForC, HasVocabularies) {
    const auto words = some_words();
    EXPECT_EQ(riffle_vocabulary_size(words.get()), pieces.size());
    std::size_t size = 9;
    EXPECT_EQ(std::string(riffle_vocabulary_piece(words.get(), 16, &size), 2), "\xF0\x9F");
    EXPECT_EQ(size, 2u);
    EXPECT_EQ(riffle_vocabulary_piece(words.get(), 99, &size), nullptr);
    EXPECT_EQ(size, 0u);
    EXPECT_EQ(riffle_vocabulary_piece(nullptr, 0, nullptr), nullptr);
    EXPECT_EQ(riffle_vocabulary_size(nullptr), 0u);
    riffle_vocabulary_free(nullptr);
    riffle_problem problem = no_problem();
    EXPECT_EQ(riffle_vocabulary_new(nullptr, 3, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_bad_argument);
    const riffle_token_text odd{nullptr, 4, 0};
    EXPECT_EQ(riffle_vocabulary_new(&odd, 1, &problem), nullptr);
    EXPECT_EQ(riffle_vocabulary_new(&odd, 1, nullptr), nullptr);
    EXPECT_EQ(riffle_version(), RIFFLE_VERSION_MAJOR * 10000 + RIFFLE_VERSION_MINOR * 100 + RIFFLE_VERSION_PATCH);
}

TEST(ForC, GivesTheTokensOfCpp) {
    const auto words = some_words();
    vocabulary same;
    for (const std::string& piece : pieces) same.add(piece);
    for (const int numbers : {riffle_reproducible, riffle_llama}) {
        const riffle_chain_options options{sizeof options, numbers, 0};
        riffle_problem problem = no_problem();
        const char* const settings = "top_k=8;top_p=0.9;temp=0.8;repeat_penalty=1.2;seed=7";
        const owned<riffle_chain> chain(riffle_chain_new(settings, words.get(), &options, &problem));
        ASSERT_NE(chain, nullptr) << problem.sentence;
        chain_settings read;
        ASSERT_TRUE(read.read(settings));
        basic_dynamic_chain<reproducible> ours;
        basic_dynamic_chain<llama_exact> exact;
        ASSERT_TRUE(read.build(ours, &same).ok());
        ASSERT_TRUE(read.build(exact, &same).ok());
        const riffle_token prompt[] = {1, 2, 3};
        EXPECT_EQ(riffle_chain_prompt(chain.get(), prompt, 3), riffle_ok);
        ours.prompt(prompt);
        exact.prompt(prompt);
        for (int i = 0; i < 50; ++i) {
            const std::vector<float> row = some_row(i);
            riffle_token token = -7, looked_at = -7;
            if (numbers == riffle_reproducible) {
                EXPECT_EQ(riffle_chain_peek(chain.get(), row.data(), row.size(), &looked_at), riffle_ok);
            }
            ASSERT_EQ(riffle_chain_sample(chain.get(), row.data(), row.size(), &token), riffle_ok);
            EXPECT_EQ(token, numbers == riffle_llama ? exact.sample(row) : ours.sample(row));
            if (numbers == riffle_reproducible) {
                EXPECT_EQ(looked_at, token);
            }
        }
    }
}

TEST(ForC, HasConstraints) {
    const auto words = some_words();
    const std::string gbnf = R"(root ::= "yes" | "no")", schema = R"({"const": {"a": 1}})",
                      payload = R"({"modelId":"m","descriptors":[{"path":"action","leaves":[{"name":"REPLY","tokens":[13,14]},
                                    {"name":"STOP","tokens":[15]}]}]})";
    riffle_problem problem = no_problem();
    const owned<riffle_constraint> answer(riffle_constraint_new_gbnf(words.get(), gbnf.data(), gbnf.size(), &problem));
    const owned<riffle_constraint> object(riffle_constraint_new_json_schema(words.get(), schema.data(), schema.size(), &problem));
    const owned<riffle_constraint> action(
        riffle_constraint_new_token_trie(words.get(), payload.data(), payload.size(), nullptr, &problem));
    ASSERT_TRUE(answer && object && action) << problem.sentence;
    const owned<riffle_chain> chain(riffle_chain_new("temp=1.5;seed=3", words.get(), nullptr, &problem));
    ASSERT_NE(chain, nullptr) << problem.sentence;
    const std::vector<float> row = some_row(1);
    riffle_constraint_state state{};
    state.struct_size = sizeof state;
    ASSERT_EQ(riffle_chain_constraint_state(chain.get(), &state), riffle_ok);
    EXPECT_EQ(state.is_set, 0);
    EXPECT_EQ(state.legal_count, SIZE_MAX);
    const auto said = [&](const owned<riffle_constraint>& by) {
        EXPECT_EQ(riffle_chain_set_constraint(chain.get(), by.get()), riffle_ok);
        std::string all;
        for (int i = 0; i < 20; ++i) {
            riffle_token token = -1;
            riffle_constraint_state now{};
            now.struct_size = sizeof now;
            riffle_chain_constraint_state(chain.get(), &now);
            if (now.is_finished) break;
            EXPECT_EQ(riffle_chain_sample(chain.get(), row.data(), row.size(), &token), riffle_ok) << riffle_chain_problem(chain.get());
            if (token < 0) break;
            all += pieces[std::size_t(token)];
        }
        return all;
    };
    for (int i = 0; i < 10; ++i) {
        const std::string one = said(answer);
        EXPECT_TRUE(one == "yes" || one == "no") << one;
    }
    EXPECT_EQ(said(object).find("{"), 0u);
    const std::string value = said(action);
    EXPECT_TRUE(value == "REPLY" || value == "STOP") << value;
    EXPECT_EQ(riffle_chain_leaf_name(chain.get()), value);
    ASSERT_EQ(riffle_chain_restart_constraint(chain.get()), riffle_ok);
    EXPECT_STREQ(riffle_chain_leaf_name(chain.get()), "");
    EXPECT_EQ(riffle_chain_allows(chain.get(), 13), 1);
    EXPECT_EQ(riffle_chain_allows(chain.get(), 0), 0);
    EXPECT_EQ(riffle_chain_accept(chain.get(), 0), riffle_stage_failed);
    EXPECT_STRNE(riffle_chain_problem(chain.get()), "");
    ASSERT_EQ(riffle_chain_accept(chain.get(), 13), riffle_ok);
    EXPECT_STREQ(riffle_chain_problem(chain.get()), "");
    riffle_token run[4];
    std::size_t count = 0;
    ASSERT_EQ(riffle_chain_forced_run(chain.get(), run, 4, &count), riffle_ok);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(run[0], 14);
    ASSERT_EQ(riffle_chain_rewind(chain.get(), 1), riffle_ok);
    EXPECT_EQ(riffle_chain_allows(chain.get(), 15), 1);
    EXPECT_NE(riffle_chain_rewind(chain.get(), 1), riffle_ok);  // behind its beginning
    ASSERT_EQ(riffle_chain_clear_constraint(chain.get()), riffle_ok);
    EXPECT_EQ(riffle_chain_allows(chain.get(), 0), 1);
    riffle_constraint_free(riffle_constraint_clone(answer.get()));
}

TEST(ForC, HasConstraintsOfSettings) {
    const auto words = some_words();
    for (const char* settings : {R"(temp=1;grammar=root ::= "yes")", R"(json_schema={"const": {"a": 1}};top_k=3)"}) {
        riffle_problem problem = no_problem();
        owned<riffle_chain> chain(riffle_chain_new(settings, words.get(), nullptr, &problem));
        ASSERT_NE(chain, nullptr) << problem.sentence;
        riffle_token token = -1;
        const std::vector<float> row(pieces.size(), 0.0f);
        ASSERT_EQ(riffle_chain_sample(chain.get(), row.data(), row.size(), &token), riffle_ok);
        EXPECT_TRUE(token == 0 || token == 3 || token == 8) << token;
        EXPECT_EQ(riffle_chain_new(settings, nullptr, nullptr, &problem), nullptr);
    }
    riffle_problem problem = no_problem();
    EXPECT_EQ(riffle_chain_new("grammar=root ::= (", words.get(), nullptr, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_cannot_be_read);
    EXPECT_EQ(problem.line, 1u);
    EXPECT_NE(std::string(problem.sentence), "");
}

TEST(ForC, SaysWhatIsWrong) {
    const auto words = some_words();
    riffle_problem problem = no_problem();
    EXPECT_EQ(riffle_chain_new("topk_k=3", words.get(), nullptr, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_cannot_be_read);
    EXPECT_NE(std::string(problem.sentence).find("topk_k"), std::string::npos);
    EXPECT_EQ(riffle_chain_new(nullptr, words.get(), nullptr, &problem), nullptr);
    riffle_chain_options options{sizeof options, 77, 0};
    EXPECT_EQ(riffle_chain_new("temp=1", words.get(), &options, &problem), nullptr);
    options.struct_size = 0;
    EXPECT_EQ(riffle_chain_new("temp=1", words.get(), &options, &problem), nullptr);
    const std::string bad = "root ::= (";
    EXPECT_EQ(riffle_constraint_new_gbnf(words.get(), bad.data(), bad.size(), nullptr), nullptr);
    EXPECT_EQ(riffle_constraint_new_gbnf(words.get(), nullptr, 0, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_bad_argument);
    EXPECT_EQ(riffle_constraint_new_json_schema(words.get(), "{", 1, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_cannot_be_read);
    const std::string several = R"({"modelId":"m","descriptors":[{"path":"a","leaves":[{"name":"x","tokens":[1]}]},
                                   {"path":"b","leaves":[{"name":"y","tokens":[2]}]}]})";
    EXPECT_EQ(riffle_constraint_new_token_trie(words.get(), several.data(), several.size(), nullptr, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_invalid_parameter);
    EXPECT_EQ(riffle_constraint_new_token_trie(words.get(), several.data(), several.size(), "c", &problem), nullptr);
    const owned<riffle_constraint> b(riffle_constraint_new_token_trie(words.get(), several.data(), several.size(), "b", &problem));
    EXPECT_NE(b, nullptr);
    const owned<riffle_chain> chain(riffle_chain_new("temp=1", nullptr, nullptr, nullptr));
    ASSERT_NE(chain, nullptr);
    riffle_token token = 0;
    const float row[3] = {0, 1, 2};
    EXPECT_EQ(riffle_chain_sample(chain.get(), nullptr, 3, &token), riffle_bad_argument);
    EXPECT_STREQ(riffle_chain_problem(chain.get()), riffle_code_text(riffle_bad_argument));
    EXPECT_EQ(riffle_chain_sample(chain.get(), row, 3, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_sample(chain.get(), row, 0, &token), riffle_empty_row);
    EXPECT_EQ(token, -1);
    EXPECT_EQ(riffle_chain_accept(chain.get(), -5), riffle_not_a_token);
    EXPECT_EQ(riffle_chain_rewind(chain.get(), 5), riffle_rewind_too_far);
    EXPECT_EQ(riffle_chain_prompt(chain.get(), nullptr, 2), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_set_constraint(chain.get(), nullptr), riffle_bad_argument);
    for (std::int32_t code = -1; code < 110; ++code) EXPECT_STRNE(riffle_code_text(code), "");
    // NULL everywhere.
    EXPECT_EQ(riffle_chain_sample(nullptr, row, 3, &token), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_peek(nullptr, row, 3, &token), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_accept(nullptr, 1), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_prompt(nullptr, &token, 1), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_rewind(nullptr, 1), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_reset(nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_last_step(nullptr, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_set_constraint(nullptr, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_clear_constraint(nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_restart_constraint(nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_constraint_state(nullptr, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_chain_allows(nullptr, 1), 0);
    EXPECT_EQ(riffle_chain_forced_run(nullptr, nullptr, 0, nullptr), riffle_bad_argument);
    EXPECT_STREQ(riffle_chain_leaf_name(nullptr), "");
    EXPECT_STREQ(riffle_chain_problem(nullptr), riffle_code_text(riffle_bad_argument));
    EXPECT_EQ(riffle_chain_clone(nullptr), nullptr);
    EXPECT_EQ(riffle_constraint_clone(nullptr), nullptr);
    EXPECT_EQ(riffle_stream_clone(nullptr), nullptr);
    EXPECT_EQ(riffle_stream_new(nullptr, nullptr, 0, nullptr, &problem), nullptr);
    EXPECT_EQ(riffle_stream_push(nullptr, 0, nullptr, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_stream_flush(nullptr, nullptr, nullptr), riffle_bad_argument);
    EXPECT_EQ(riffle_stream_stopped(nullptr), -1);
    EXPECT_EQ(riffle_stream_reset(nullptr), riffle_bad_argument);
    riffle_chain_free(nullptr);
    riffle_constraint_free(nullptr);
    riffle_stream_free(nullptr);
}

TEST(ForC, KnowsProgramsOfOtherVersions) {
    // A program whose structs are shorter gets what it knows, and not a byte more.
    struct {
        std::size_t struct_size;
        std::int32_t rewind;
        char behind[8];
    } old{offsetof(riffle_step, finished), 7, "unhurt!"};
    const owned<riffle_chain> chain(riffle_chain_new("temp=1", nullptr, nullptr, nullptr));
    ASSERT_EQ(riffle_chain_last_step(chain.get(), reinterpret_cast<riffle_step*>(&old)), riffle_ok);
    EXPECT_EQ(old.rewind, 0);
    EXPECT_STREQ(old.behind, "unhurt!");
    // One whose structs are longer keeps what the library does not know.
    struct {
        riffle_step known;
        char more[8];
    } newer{{sizeof newer, 5, 5}, "unhurt!"};
    ASSERT_EQ(riffle_chain_last_step(chain.get(), &newer.known), riffle_ok);
    EXPECT_EQ(newer.known.rewind, 0);
    EXPECT_EQ(newer.known.struct_size, sizeof newer);
    EXPECT_STREQ(newer.more, "unhurt!");
    riffle_step none{};
    EXPECT_EQ(riffle_chain_last_step(chain.get(), &none), riffle_bad_argument);
    riffle_problem small{};
    small.struct_size = offsetof(riffle_problem, sentence) + 10;
    std::memset(small.sentence, 'x', sizeof small.sentence);
    EXPECT_EQ(riffle_chain_new("nonsense=1", nullptr, nullptr, &small), nullptr);
    EXPECT_EQ(small.sentence[9], '\0');
    EXPECT_EQ(small.sentence[10], 'x');
    EXPECT_EQ(std::strlen(small.sentence), 9u);
    small.struct_size = offsetof(riffle_problem, sentence);
    small.sentence[0] = 'x';
    EXPECT_EQ(riffle_chain_new("nonsense=1", nullptr, nullptr, &small), nullptr);
    EXPECT_EQ(small.sentence[0], 'x');
    // Options of an older program: what it does not know is 0.
    const riffle_chain_options short_options{offsetof(riffle_chain_options, numerics), 77, 77};
    EXPECT_NE(owned<riffle_chain>(riffle_chain_new("temp=1", nullptr, &short_options, nullptr)), nullptr);
    const auto words = some_words();
    const riffle_stream_options half{offsetof(riffle_stream_options, drop_first_blank), riffle_replace, 0, 1, 1};
    const owned<riffle_stream> stream(riffle_stream_new(words.get(), nullptr, 0, &half, nullptr));
    const char* bytes = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(riffle_stream_push(stream.get(), 2, &bytes, &size), riffle_ok);
    EXPECT_EQ(std::string(bytes, size), " ");
    riffle_constraint_state state{};
    state.struct_size = offsetof(riffle_constraint_state, is_finished);
    state.leaf = 77;
    ASSERT_EQ(riffle_chain_constraint_state(chain.get(), &state), riffle_ok);
    EXPECT_EQ(state.is_complete, 1);
    EXPECT_EQ(state.leaf, 77);
}

TEST(ForC, CutsSentencesBetweenCharacters) {
    std::string schema = R"({"properties":{"a)";
    for (int i = 0; i < 400; ++i) schema += "\xC3\xA9";
    schema += R"(":{"type":"nonsense"}}})";
    const auto words = some_words();
    for (std::size_t room = 1; room < 60; ++room) {
        riffle_problem problem = no_problem();
        problem.struct_size -= sizeof problem.sentence - 100 - room;
        EXPECT_EQ(riffle_constraint_new_json_schema(words.get(), schema.data(), schema.size(), &problem), nullptr);
        const std::size_t size = std::strlen(problem.sentence);
        EXPECT_LE(size, 100 + room - 1);
        EXPECT_GE(size, 100 + room - 2);
        EXPECT_TRUE(riffle::detail::is_utf8(text(problem.sentence, size)));
    }
}

TEST(ForC, TakesAWholePromptOrNone) {
    const owned<riffle_chain> chain(riffle_chain_new("repeat_penalty=5;temp=0", nullptr, nullptr, nullptr));
    const float row[3] = {2.0f, 1.5f, 1.0f};
    riffle_token token = -1;
    const riffle_token bad[] = {0, 1, -1}, good[] = {0};
    EXPECT_EQ(riffle_chain_prompt(chain.get(), bad, 3), riffle_not_a_token);
    EXPECT_STRNE(riffle_chain_problem(chain.get()), "");
    ASSERT_EQ(riffle_chain_peek(chain.get(), row, 3, &token), riffle_ok);
    EXPECT_EQ(token, 0);
    const float none[1] = {-std::numeric_limits<float>::infinity()};
    EXPECT_EQ(riffle_chain_sample(chain.get(), none, 1, &token), riffle_no_legal_token);
    EXPECT_EQ(riffle_chain_prompt(chain.get(), good, 1), riffle_ok);  // whatever came before
    EXPECT_STREQ(riffle_chain_problem(chain.get()), "");
    EXPECT_EQ(riffle_chain_prompt(chain.get(), nullptr, 0), riffle_ok);
    ASSERT_EQ(riffle_chain_peek(chain.get(), row, 3, &token), riffle_ok);
    EXPECT_EQ(token, 1);
}

TEST(ForC, AcceptsWithRemarks) {  // adaptive_p says that it did not choose the token, and takes it
    const auto words = some_words();
    const std::string gbnf = R"(root ::= "no" "yes")";
    const owned<riffle_constraint> by(riffle_constraint_new_gbnf(words.get(), gbnf.data(), gbnf.size(), nullptr));
    const owned<riffle_chain> chain(riffle_chain_new("temp=1;adaptive_target=0.4", words.get(), nullptr, nullptr));
    ASSERT_EQ(riffle_chain_set_constraint(chain.get(), by.get()), riffle_ok);
    EXPECT_EQ(riffle_chain_accept(chain.get(), 1), riffle_ok);
    EXPECT_EQ(riffle_chain_allows(chain.get(), 0), 1);
    EXPECT_EQ(riffle_chain_accept(chain.get(), 1), riffle_stage_failed);
    riffle_step last{sizeof last, 7, 7};
    EXPECT_EQ(riffle_chain_last_step(chain.get(), nullptr), riffle_bad_argument);
    EXPECT_STRNE(riffle_chain_problem(chain.get()), "");
    EXPECT_EQ(riffle_chain_last_step(chain.get(), &last), riffle_ok);
    EXPECT_EQ(last.finished, 0);
    EXPECT_STREQ(riffle_chain_problem(chain.get()), "");
    std::size_t count = 7;
    EXPECT_EQ(riffle_chain_forced_run(chain.get(), nullptr, 3, &count), riffle_bad_argument);
    EXPECT_STRNE(riffle_chain_problem(chain.get()), "");
    EXPECT_EQ(riffle_chain_forced_run(chain.get(), nullptr, 0, &count), riffle_ok);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(riffle_chain_clear_constraint(chain.get()), riffle_ok);
    EXPECT_EQ(riffle_chain_allows(chain.get(), -5), 0);
}

TEST(ForC, DrawsWhereItLooksWithLlamasNumerics) {
    const riffle_chain_options options{sizeof options, riffle_llama, 0};
    const owned<riffle_chain> chain(riffle_chain_new("temp=3;seed=3", nullptr, &options, nullptr));
    chain_settings read;
    ASSERT_TRUE(read.read("temp=3;seed=3"));
    basic_dynamic_chain<llama_exact> same;
    ASSERT_TRUE(read.build(same).ok());
    for (int i = 0; i < 20; ++i) {
        const std::vector<float> row = some_row(i);
        riffle_token token = -1;
        ASSERT_EQ(riffle_chain_peek(chain.get(), row.data(), row.size(), &token), riffle_ok);
        EXPECT_EQ(token, same.peek(row));
        ASSERT_EQ(riffle_chain_sample(chain.get(), row.data(), row.size(), &token), riffle_ok);
        EXPECT_EQ(token, same.sample(row));
    }
}

TEST(ForC, SplitsTextsAsTheModelDoes) {
    const riffle_token_text tokens[] = {{"xa", 2, 0}, {"b", 1, 0}, {"", 0, 0}, {"x", 1, 0}};
    static int asked = 0;
    const auto tokenise = [](const void* model, const char* bytes, size_t size, riffle_token* into, size_t capacity) -> size_t {
        EXPECT_EQ(*static_cast<const int*>(model), 7);
        EXPECT_EQ(std::string(bytes, size), "b");
        ++asked;
        if (capacity > 0) into[0] = 1;
        return 1;
    };
    const int model = 7;
    const owned<riffle_vocabulary> words(riffle_vocabulary_new_with_tokeniser(tokens, 4, tokenise, &model, nullptr));
    ASSERT_NE(words, nullptr);
    const owned<riffle_chain> chain(
        riffle_chain_new("dry_multiplier=0.8;dry_sequence_breakers=ab;temp=1", words.get(), nullptr, nullptr));
    ASSERT_NE(chain, nullptr);
    riffle_token token = -1;
    const float row[4] = {1, 2, 3, 4};
    EXPECT_EQ(riffle_chain_sample(chain.get(), row, 4, &token), riffle_ok);
    EXPECT_GT(asked, 0);
    std::size_t size = 9;
    EXPECT_NE(riffle_vocabulary_piece(words.get(), 2, &size), nullptr);
    EXPECT_EQ(size, 0u);
    const riffle_token_text empty[] = {{nullptr, 0, 0}};
    const owned<riffle_vocabulary> nothing(riffle_vocabulary_new(empty, 1, nullptr));
    EXPECT_NE(riffle_vocabulary_piece(nothing.get(), 0, &size), nullptr);
}

TEST(ForC, HasStreams) {
    const auto words = some_words();
    const char* const stops[] = {"no", ""};
    const owned<riffle_stream> stream(riffle_stream_new(words.get(), stops, 2, nullptr, nullptr));
    ASSERT_NE(stream, nullptr);
    const char* bytes = nullptr;
    std::size_t size = 0;
    const auto pushed = [&](riffle_token token) {
        EXPECT_EQ(riffle_stream_push(stream.get(), token, &bytes, &size), riffle_ok);
        return std::string(bytes, size);
    };
    EXPECT_EQ(pushed(0), "yes");
    EXPECT_EQ(pushed(16), "");
    EXPECT_EQ(pushed(17), "\xF0\x9F\x98\x80");
    EXPECT_EQ(pushed(18), "");
    EXPECT_EQ(pushed(6), "");
    const owned<riffle_stream> copy(riffle_stream_clone(stream.get()));
    EXPECT_EQ(riffle_stream_stopped(stream.get()), -1);
    EXPECT_EQ(pushed(7), "");
    EXPECT_EQ(riffle_stream_stopped(stream.get()), 0);
    ASSERT_EQ(riffle_stream_flush(copy.get(), &bytes, &size), riffle_ok);
    EXPECT_EQ(std::string(bytes, size), "n");
    ASSERT_EQ(riffle_stream_reset(stream.get()), riffle_ok);
    EXPECT_EQ(pushed(2), " ");
    const riffle_stream_options options{sizeof options, riffle_drop, 1, 1, 0};
    const owned<riffle_stream> other(riffle_stream_new(words.get(), nullptr, 0, &options, nullptr));
    ASSERT_EQ(riffle_stream_push(other.get(), 2, &bytes, &size), riffle_ok);
    EXPECT_EQ(size, 0u);
    ASSERT_EQ(riffle_stream_push(other.get(), 19, &bytes, &size), riffle_ok);
    EXPECT_EQ(std::string(bytes, size), "<call>");
    const owned<riffle_stream> fresh(riffle_stream_new(words.get(), nullptr, 0, nullptr, nullptr));
    ASSERT_EQ(riffle_stream_flush(fresh.get(), &bytes, &size), riffle_ok);
    EXPECT_NE(bytes, nullptr);
    ASSERT_EQ(riffle_stream_push(fresh.get(), 16, &bytes, &size), riffle_ok);  // half a character
    EXPECT_NE(bytes, nullptr);
    EXPECT_EQ(size, 0u);
    const char* const no_text[] = {"\x97"};
    riffle_problem problem = no_problem();
    EXPECT_EQ(riffle_stream_new(words.get(), no_text, 1, nullptr, &problem), nullptr);
    EXPECT_NE(std::string(problem.sentence).find("UTF-8"), std::string::npos);
    const riffle_stream_options any_bytes{sizeof any_bytes, riffle_keep, 0, 0, 0};
    EXPECT_NE(owned<riffle_stream>(riffle_stream_new(words.get(), no_text, 1, &any_bytes, nullptr)), nullptr);
    const char* const null_among[] = {"no", nullptr};
    EXPECT_EQ(riffle_stream_new(words.get(), null_among, 2, nullptr, &problem), nullptr);
    EXPECT_EQ(problem.code, riffle_bad_argument);
    const riffle_stream_options odd{sizeof odd, 9, 0, 0, 0};
    EXPECT_EQ(riffle_stream_new(words.get(), nullptr, 0, &odd, nullptr), nullptr);
}

TEST(ForC, OutlivesItsVocabularyAndItsOriginals) {
    owned<riffle_chain> copy;
    owned<riffle_stream> stream;
    {
        const auto words = some_words();
        const std::string gbnf = R"(root ::= "yes"+)";
        const owned<riffle_constraint> by(riffle_constraint_new_gbnf(words.get(), gbnf.data(), gbnf.size(), nullptr));
        const owned<riffle_chain> chain(riffle_chain_new("dry_multiplier=0.8;temp=1", words.get(), nullptr, nullptr));
        ASSERT_NE(chain, nullptr);
        ASSERT_EQ(riffle_chain_set_constraint(chain.get(), by.get()), riffle_ok);
        copy.reset(riffle_chain_clone(chain.get()));
        stream.reset(riffle_stream_new(words.get(), nullptr, 0, nullptr, nullptr));
    }
    riffle_token token = -1;
    const std::vector<float> row = some_row(2);
    ASSERT_EQ(riffle_chain_sample(copy.get(), row.data(), row.size(), &token), riffle_ok);
    EXPECT_TRUE(token == 0 || token == 3);
    const char* bytes = nullptr;
    std::size_t size = 0;
    ASSERT_EQ(riffle_stream_push(stream.get(), 0, &bytes, &size), riffle_ok);
    EXPECT_EQ(std::string(bytes, size), "yes");
}

}  // namespace
}  // namespace riffle_tests::c_use
