#pragma once
// The forms of llama.cpp's samplers one after the other, without what riffle's chains put around them.
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

namespace riffle_tests {

using namespace riffle;

inline constexpr std::int32_t longest_window = 300;

template <class Spec>
concept stateful = requires { typename exact::form<Spec>::state; };

class link {
public:
    virtual ~link() = default;
    virtual status_code apply(candidates& c, exact::form_context& x) = 0;
    virtual void accept(token_id) {}
    virtual void reset() {}
    virtual void save() {}
    virtual void restore() {}
    virtual std::unique_ptr<link> clone() const = 0;
};

template <class Spec>
class link_of : public link {
public:
    using form = exact::form<Spec>;
    explicit link_of(Spec spec) : spec_(std::move(spec)) {}
    status_code apply(candidates& c, exact::form_context& x) override { return form::apply(spec_, c, x); }
    std::unique_ptr<link> clone() const override { return std::make_unique<link_of>(*this); }

private:
    Spec spec_;
};

template <stateful Spec>
class link_of<Spec> : public link {
public:
    using form = exact::form<Spec>;
    explicit link_of(Spec spec) : spec_(std::move(spec)), state_(spec_) {}
    status_code apply(candidates& c, exact::form_context& x) override { return form::apply(spec_, state_, c, x); }
    void accept(token_id token) override {
        if constexpr (requires { form::accept(spec_, state_, token); }) form::accept(spec_, state_, token);
    }
    void reset() override { form::reset(spec_, state_); }
    void save() override { mark_ = form::save(state_); }
    void restore() override { form::restore(spec_, state_, mark_); }
    std::unique_ptr<link> clone() const override { return std::make_unique<link_of>(*this); }

private:
    static_assert(std::is_trivially_copyable_v<typename form::mark>);
    Spec spec_;
    typename form::state state_;
    typename form::mark mark_{};
};

class chain_of_forms {
public:
    chain_of_forms() { EXPECT_TRUE(tokens_.reserve(longest_window)); }
    chain_of_forms(const chain_of_forms& other) : tokens_(other.tokens_), saved_tokens_(other.saved_tokens_) {
        for (const auto& l : other.links_) links_.push_back(l->clone());
    }
    chain_of_forms(chain_of_forms&&) = default;
    chain_of_forms& operator=(chain_of_forms&&) = default;
    ~chain_of_forms() = default;

    template <class Spec>
    void add(Spec spec) {
        links_.push_back(std::make_unique<link_of<Spec>>(std::move(spec)));
    }
    status_code apply(candidates& c) {
        const context past(tokens_, {}, slots_.data(), lengths_.data());
        exact::form_context x{past, memory_};
        for (const auto& l : links_)
            if (const auto failure = l->apply(c, x); failure != status_code::ok) return failure;
        return status_code::ok;
    }
    void accept(token_id token) {
        tokens_.push(token, true);
        for (const auto& l : links_) l->accept(token);
    }
    void reset() {
        tokens_.clear();
        for (const auto& l : links_) l->reset();
    }
    void save() {
        saved_tokens_ = tokens_;
        for (const auto& l : links_) l->save();
    }
    void restore() {
        tokens_ = saved_tokens_;
        for (const auto& l : links_) l->restore();
    }

private:
    history tokens_, saved_tokens_;
    exact::workspace memory_;
    std::vector<token_counts::slot> slots_ = std::vector<token_counts::slot>(token_counts::slots_for(longest_window));
    std::vector<std::int32_t> lengths_ = std::vector<std::int32_t>(longest_window);
    std::vector<std::unique_ptr<link>> links_;
};

}  // namespace riffle_tests
