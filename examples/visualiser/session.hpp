#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "chosen_stages.hpp"
#include "language_model.hpp"
#include "made_chain.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// All that stands behind the page: a row of logits, a text so far, a chain. Every change and every question is a
/// request, an object with a member `do`; every answer is an object, with a member `problem` where the request could
/// not be met, and nothing has changed then; `notes` has sentences about a request that was met. The same requests have
/// the same answers, whether the page asks or a program at a terminal: that is what its test compares.
class session {
public:
    session();
    session(const session&) = delete;  // stages point at the vocabulary
    session& operator=(const session&) = delete;

    json answer(const json& request);
    /// Request and answer as JSON texts. Bytes of an answer that are no character become U+FFFD.
    std::string answer_to(const std::string& request);

private:
    // ---- requests, by what they are for
    json catalogue(const json&);
    json learn(const json& request);       ///< a model of a text
    json tokens(const json& request);      ///< the texts of the tokens that rows are of
    json row(const json& request);         ///< a row of the user's own; with `begin`, the first of a file
    json sparse_row(const json& request);  ///< tokens with their log-probabilities, the others illegal
    json chain(const json& request);       ///< all stages, anew
    json set(const json& request);         ///< one parameter; answers the value that it has then
    json read_settings(const json& request);
    json write_settings(const json&);
    json step(const json& request);   ///< what the chain does with the row, taken apart
    json draw(const json& request);   ///< many draws at this place
    json go_on(const json& request);  ///< chooses tokens and writes them
    json go_back(const json&);
    json begin(const json& request);  ///< the text that the model goes on with

    // ---- what they share
    std::string use(std::vector<chosen_stage> stages);
    std::string begin_over(riffle::vocabulary texts, std::size_t row_size);
    void look_at(std::vector<float> row);
    json look_at_own(std::vector<float> row, bool is_first);
    void renew_row();
    json written_text() const;

    riffle::vocabulary texts_;  ///< of the tokens; may be more than a row has logits, or fewer
    std::unique_ptr<surroundings> around_ = std::make_unique<surroundings>();  ///< stages point into it
    std::unique_ptr<language_model> model_;                                    ///< null where rows are the user's own
    std::vector<float> row_;
    std::vector<riffle::token_logprob> ranking_;  ///< of the row as it is

    text_so_far text_;
    std::vector<chosen_stage> stages_;
    riffle::dynamic_chain chain_;
};

}  // namespace visualiser
