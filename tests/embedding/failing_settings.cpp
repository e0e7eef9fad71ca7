// Settings that are read and built where one allocation fails: std::bad_alloc comes out, or a status, and neither the
// settings nor the chain have changed.

#include <string>
#include <tuple>

#include <riffle/settings.hpp>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_settings {
namespace {

using namespace riffle;

const vocabulary& words() {
    static const vocabulary all = [] {
        vocabulary v;
        for (const char* piece : {"a", "b\n", ":", "and ", "\"", "</s>"}) v.add(piece);
        v.add("<end>", token_role::end_of_generation);
        return v;
    }();
    return all;
}
constexpr const char* long_text =
    "samplers=penalties;dry;top_k;temperature; dry_multiplier=0.8; dry_sequence_breaker=and then some more, and more;"
    "dry_sequence_breaker=:; logit_bias=3+1.5,4-2,5+1,6+1,7+1; suppress=8,9,10; ignore_eos; top_k=7; seed=5; min_p=0.1";

chain_settings begun() {
    chain_settings s;
    EXPECT_TRUE(s.read("top_k=5; dry_sequence_breaker=a text that no string has room for; logit_bias=1+1"));
    EXPECT_FALSE(s.read("nonsense=1"));
    return s;
}
/// Whatever a text can change.
auto contents(const chain_settings& s) {
    std::string breakers, biases;
    for (const auto& b : s.dry_breakers) breakers += b + "|";
    for (const auto& b : s.biases) biases += std::to_string(b.token) + ":" + std::to_string(b.bias) + "|";
    return std::tuple(s.top_k, s.seed, s.min_p, s.dry_multiplier, s.ignore_eos, s.suppressed, s.samplers, breakers,
                      biases, s.problem());
}
constexpr auto looks = [](const chain_settings& s) { return contents(s); };

TEST(FailingAllocation, OfATextThatIsRead) {
    fail_each_allocation(begun, throwing([](chain_settings& s) { EXPECT_TRUE(s.read(long_text)); }), looks);
    fail_each_allocation(begun, throwing([](chain_settings& s) {
                             EXPECT_FALSE(s.read("topk=3;tmp=1;sampler_seq=kxzt%;top_k=many;--nothing of that sort"));
                         }),
                         looks);
}
TEST(FailingAllocation, OfMetadataThatIsRead) {
    const auto read = [](chain_settings& s) {
        (void)s.read_metadata("general.sampling.sequence", "penalties;dry;top_k;top_p;nonsense;temperature");
    };
    fail_each_allocation(begun, throwing(read), looks);
    fail_each_allocation(begun, throwing([](chain_settings& s) {
                             EXPECT_FALSE(s.read_metadata("general.sampling.top_k", "as many as there are"));
                         }),
                         looks);
}
TEST(FailingAllocation, OfSettingsThatAreAssigned) {
    chain_settings other;
    ASSERT_TRUE(other.read(long_text));
    fail_each_allocation(begun, throwing([&](chain_settings& s) { s = other; }), looks);
    fail_each_allocation(begun, throwing([](chain_settings& s) {
                             chain_settings copy = s;
                             s.top_k = copy.top_k;
                         }),
                         looks);
}

TEST(FailingAllocation, OfAChainThatIsBuilt) {
    chain_settings s;
    ASSERT_TRUE(s.read(long_text));
    (void)words();
    const auto built = [&](dynamic_chain& c) { return s.build(c, &words()); };
    const auto with_a_stage = [] {
        dynamic_chain c;
        c.push(not_twice{});
        return c;
    };
    for (const std::size_t stages : {0u, 1u}) {
        const auto make = [&] { return stages == 0 ? dynamic_chain() : with_a_stage(); };
        dynamic_chain expected = make();
        ASSERT_TRUE(built(expected).ok());
        const std::size_t size = expected.view().size();
        const auto tokens = next_tokens(expected);
        fail_each_allocation(
            make, built,
            [&](dynamic_chain& c, const outcome&) {
                EXPECT_EQ(c.view().size(), stages);
                EXPECT_TRUE(built(c).ok());
                EXPECT_EQ(next_tokens(c), tokens);
            },
            [&](dynamic_chain& c) {
                EXPECT_EQ(c.view().size(), size);
                EXPECT_EQ(next_tokens(c), tokens);
            });
    }
}

}  // namespace
}  // namespace riffle_tests::failing_settings
