#pragma once
// What a token trie means, slowly: a list of token lists, each with a name, and a list of the tokens that have come.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

namespace riffle_tests {

struct slow_leaf {
    std::string name;
    std::vector<riffle::token_id> tokens;
};

class slow_trie {
public:
    explicit slow_trie(std::vector<slow_leaf> leaves) : leaves_(std::move(leaves)) {}

    /// The tokens that go on with a leaf.
    std::set<riffle::token_id> going_on(const std::vector<riffle::token_id>& so_far) const {
        std::set<riffle::token_id> found;
        for (const slow_leaf& leaf : leaves_)
            if (leaf.tokens.size() > so_far.size() && std::equal(so_far.begin(), so_far.end(), leaf.tokens.begin()))
                found.insert(leaf.tokens[so_far.size()]);
        return found;
    }
    /// The smallest name of the leaves that these tokens are.
    std::optional<std::string> leaf(const std::vector<riffle::token_id>& so_far) const {
        std::optional<std::string> smallest;
        for (const slow_leaf& leaf : leaves_)
            if (!leaf.tokens.empty() && leaf.tokens == so_far && (!smallest || leaf.name < *smallest))
                smallest = leaf.name;
        return smallest;
    }
    const std::vector<slow_leaf>& leaves() const { return leaves_; }
    /// As a payload.
    std::string payload() const {
        std::string all = R"({"modelId":"m","descriptors":[{"path":"action","leaves":[)";
        for (std::size_t i = 0; i < leaves_.size(); ++i) {
            all += (i ? R"(,{"name":")" : R"({"name":")") + leaves_[i].name + R"(","tokens":[)";
            for (std::size_t t = 0; t < leaves_[i].tokens.size(); ++t)
                all += (t ? "," : "") + std::to_string(leaves_[i].tokens[t]);
            all += "]}";
        }
        return all + "]}]}";
    }

private:
    std::vector<slow_leaf> leaves_;
};

}  // namespace riffle_tests
