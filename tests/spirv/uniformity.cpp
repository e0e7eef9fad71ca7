// Portable modules have barriers only where all invocations come by a word of shared memory: what other shading
// languages can be told is the same for all (WGSL's workgroupUniformLoad).

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chain/random_stages.hpp"
#include "spirv/instruction_codes.hpp"
#include "spirv/known_stages.hpp"

namespace riffle_tests::spirv_uniformity {
namespace {

using namespace riffle;
using interpreting::code;

struct instruction {
    code what{};
    std::vector<std::uint32_t> operands;  ///< with the result and its type
};

/// A module, as far as it takes to ask what its barriers depend on.
class conditions_of_barriers {
public:
    explicit conditions_of_barriers(std::span<const std::uint32_t> words) {
        for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
            const auto rest = words.subspan(at + 1, (words[at] >> 16) - 1);
            all_.push_back({code(words[at] & 0xffff), {rest.begin(), rest.end()}});
        }
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const auto& operands = all_[i].operands;
            if (all_[i].what == code::Label) places_[operands[0]] = i;
            else if (operands.size() > 1) places_[operands[1]] = i;  // where it has a result; others are not asked for
        }
        find_functions();
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].what == code::SelectionMerge || all_[i].what == code::LoopMerge) look_at(i);
    }
    std::size_t count = 0, not_shared = 0;  ///< of branches with barriers inside; by something else than a shared word

private:
    bool has_barrier(std::size_t from, std::size_t to) const {
        for (std::size_t i = from; i < to; ++i) {
            if (all_[i].what == code::ControlBarrier) return true;
            if (all_[i].what == code::FunctionCall && with_barriers_.contains(all_[i].operands[2])) return true;
        }
        return false;
    }
    /// Functions come ahead of those that call them.
    void find_functions() {
        std::size_t begin = 0;
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (all_[i].what == code::Function) begin = i;
            if (all_[i].what == code::FunctionEnd && has_barrier(begin, i))
                with_barriers_.insert(all_[begin].operands[1]);
        }
    }
    void look_at(std::size_t merge) {
        const std::uint32_t end = all_[merge].operands[0];
        std::size_t branch = merge + 1;  // that of a loop comes behind its condition, and leads out of it
        const auto leaves = [&](const instruction& i) {
            return i.what == code::BranchConditional && (i.operands[1] == end || i.operands[2] == end);
        };
        if (all_[merge].what == code::LoopMerge)
            while (!leaves(all_[branch])) ++branch;
        if (!has_barrier(branch, places_.at(end))) return;
        ++count;
        if (!is_shared(all_[branch].operands[0])) ++not_shared;
    }
    bool is_shared(std::uint32_t id) const {
        const instruction& i = all_[places_.at(id)];
        constexpr std::uint32_t workgroup = 4;
        switch (i.what) {
        case code::INotEqual:
        case code::Load: return is_shared(i.operands[2]);
        case code::Variable: return i.operands[2] == workgroup;
        default: return false;
        }
    }

    std::vector<instruction> all_;
    std::map<std::uint32_t, std::size_t> places_;
    std::set<std::uint32_t> with_barriers_;
};

TEST(PortableModule, HasBarriersOnlyWhereASharedWordSaysSo) {
    random_integers random(3);
    for (int n = 0; n < 100; ++n) {
        dynamic_chain chain;
        const auto push = [&](const auto& stage) { std::visit([&](const auto& s) { (void)chain.push(s); }, stage); };
        for (std::size_t i = 1 + random.below(5); i > 0; --i) push(random_stage(random));
        push(random_selector(random));
        const auto groups = std::uint32_t(random.below(2));
        const known_stages portable(chain, {.module = {.portable = true}, .groups_a_row = groups});
        if (!portable.plan.is_useful()) continue;
        const conditions_of_barriers found(portable.words());
        EXPECT_GT(found.count, 0u);
        EXPECT_EQ(found.not_shared, 0u) << n;
        const known_stages usual(chain, {});
        EXPECT_GT(conditions_of_barriers(usual.words()).not_shared, 0u) << "it finds nothing";
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_uniformity
