#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <llama.h>
#include <memory>
#include <utility>

#include <riffle/core/candidates.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/token_array.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// llama_sampler_name, which asks a function that may be missing.
inline const char* name_of(const llama_sampler* sampler) noexcept {
    return sampler && sampler->iface->name ? llama_sampler_name(sampler) : "";
}
inline bool is_called(const llama_sampler* sampler, const char* name) noexcept {
    return std::strcmp(name_of(sampler), name) == 0;
}
/// Whether it is a llama.cpp chain: by its table of functions, since anyone may call a sampler "chain".
RIFFLE_LOCAL inline bool is_chain(const llama_sampler* sampler) noexcept {
    RIFFLE_TRY {
        static const auto* const table = [] {
            llama_sampler* const any = llama_sampler_chain_init(llama_sampler_chain_default_params());
            const auto* const found = any->iface;
            llama_sampler_free(any);
            return found;
        }();
        return sampler->iface == table;
    }
    RIFFLE_CATCH { return false; }  // no memory for a chain to compare with: the next call looks again
}
/// Calls visit(sampler) for a sampler, or for those in a llama.cpp chain; stops at the first for which it is true.
template <class Visit>
bool any_of_chain(llama_sampler* sampler, Visit visit) noexcept {
    if (!is_chain(sampler)) return visit(sampler);
    for (int i = 0; i < int(llama_sampler_chain_n(sampler)); ++i)
        if (any_of_chain(llama_sampler_chain_get(sampler, i), visit)) return true;
    return false;
}
/// A name without the mark that newer versions put ahead of it: ?off, +on the backend, -not there.
inline const char* plain_name(const llama_sampler* sampler) noexcept {
    const char* const name = name_of(sampler);
    return *name == '?' || *name == '+' || *name == '-' ? name + 1 : name;
}
/// Whether applying it changes it. Of samplers that are not llama.cpp's own nobody knows.
inline bool changes_when_applied(llama_sampler* sampler) noexcept {
    return any_of_chain(sampler, [](const llama_sampler* s) {
        for (const char* const still : {"greedy", "top-k", "top-p", "min-p", "typical", "temp", "temp-ext", "grammar",
                                        "penalties", "top-n-sigma", "dry", "logit-bias", "infill"})
            if (std::strcmp(plain_name(s), still) == 0) return false;
        return true;
    });
}

struct free_sampler {
    void operator()(llama_sampler* s) const noexcept { llama_sampler_free(s); }
};

/// A llama_sampler that can go back 128 tokens, which llama.cpp's cannot: clones are kept of it as it was a while ago,
/// and the tokens since, to be accepted once more. One that draws changes when it is applied too, so it is cloned at
/// every token; another one at every 16th. Copies share what is kept, which nobody changes.
class held_sampler {
public:
    explicit held_sampler(llama_sampler* sampler) noexcept : sampler_(sampler) {
        if (!sampler) return;
        interval_ = changes_when_applied(sampler) ? 1 : longest_interval;
        save();
    }
    /// Empty where the sampler cannot be cloned.
    held_sampler(const held_sampler& other) noexcept
        : sampler_(clone(other.get())), interval_(other.interval_), accepted_(other.accepted_), newest_(other.newest_),
          tokens_(other.tokens_), saved_(other.saved_) {}
    held_sampler(held_sampler&&) noexcept = default;
    held_sampler& operator=(const held_sampler& other) noexcept {
        if (this != &other) *this = held_sampler(other);
        return *this;
    }
    held_sampler& operator=(held_sampler&&) noexcept = default;
    ~held_sampler() = default;

    llama_sampler* get() const noexcept { return sampler_.get(); }
    std::uint64_t accepted() const noexcept { return accepted_; }

    /// False where the sampler threw. The array that it points to afterwards begins where it did before.
    bool apply(candidates& c) const noexcept {
        token_data* const begin = c.data;
        llama_token_data_array array{};
        write(c, array);
        RIFFLE_TRY { llama_sampler_apply(get(), &array); }
        RIFFLE_CATCH { return false; }
        c = view(array);
        if (c.data != begin) std::memmove(static_cast<void*>(begin), c.data, c.size * sizeof(token_data));
        c.data = begin;
        return true;
    }
    /// Whether it leaves a candidate of that token as it is.
    bool takes(token_id token) const noexcept { return token >= 0 && !masks(get(), token); }
    /// Whether every grammar in it takes the token.
    bool can_accept(token_id token) const noexcept { return get() && grammars_take(token); }
    /// False where the sampler refused the token, and is as it was.
    bool accept(token_id token) noexcept {
        if (!can_accept(token)) return false;
        if (!give(token)) {  // it may have gone half of the way
            restore(accepted_);
            return false;
        }
        forget_newer();
        token_at(accepted_++) = token;
        newest_ = accepted_;
        if (accepted_ % interval_ == 0) save();
        return true;
    }
    void reset() noexcept {
        RIFFLE_TRY { llama_sampler_reset(get()); }
        RIFFLE_CATCH {}  // a grammar makes itself anew
        saved_ = {};
        accepted_ = newest_ = 0;
        save();
    }
    /// Back to where so many tokens had been accepted, and to what the sampler was just behind the last of them; false,
    /// and nothing done, where no clone is as old as that. Or forth again, as long as none has been accepted since.
    bool rollback(std::uint64_t accepted) noexcept {
        if (accepted > newest_) return false;
        return (accepted == accepted_ && interval_ > 1) || restore(accepted);
    }

private:
    /// Clones of what is behind other tokens now.
    void forget_newer() noexcept {
        if (accepted_ == newest_) return;
        for (saved& one : saved_)
            if (one.accepted > accepted_) one = {};
    }
    bool restore(std::uint64_t accepted) noexcept {
        const saved* from = nullptr;
        for (const saved& one : saved_)
            if (one.sampler && one.accepted <= accepted && (!from || one.accepted > from->accepted)) from = &one;
        owned back(from ? clone(from->sampler.get()) : nullptr);
        if (!back) return false;
        sampler_ = std::move(back);
        accepted_ = accepted;
        for (std::uint64_t i = from->accepted; i < accepted; ++i) give(token_at(i));
        return true;
    }

    static constexpr std::size_t longest_interval = 16;
    using owned = std::unique_ptr<llama_sampler, free_sampler>;
    struct saved {
        std::uint64_t accepted = 0;
        std::shared_ptr<const llama_sampler> sampler;
    };

    static bool masks(llama_sampler* s, token_id token) noexcept {
        llama_token_data one{token, 1.0f, 0.0f};
        llama_token_data_array array{&one, 1, -1, false};
        RIFFLE_TRY { llama_sampler_apply(s, &array); }
        RIFFLE_CATCH { return true; }  // the vocabulary has no such token
        return array.size == 0 || !(array.data[0].logit > illegal_logit);
    }
    /// Whether every grammar in it takes the token: it throws otherwise, and aborts at an early end.
    bool grammars_take(token_id token) const noexcept {
        return token >= 0 &&
               !any_of_chain(get(), [token](llama_sampler* s) { return is_called(s, "grammar") && masks(s, token); });
    }
    /// llama.cpp aborts where a sampler has a state and no way to clone it.
    static llama_sampler* clone(const llama_sampler* sampler) noexcept {
        const auto is_stuck = [](const llama_sampler* s) { return s->ctx && !s->iface->clone; };
        if (!sampler || any_of_chain(const_cast<llama_sampler*>(sampler), is_stuck)) return nullptr;
        RIFFLE_TRY { return llama_sampler_clone(sampler); }
        RIFFLE_CATCH { return nullptr; }
    }
    /// The n-th that was accepted. (By pointer, here and in save: where sizes have 32 bits, an array's own index would
    /// narrow n.)
    token_id& token_at(std::uint64_t n) noexcept { return tokens_.data()[n % tokens_.size()]; }
    /// Those of the last 128 tokens are needed, and one before.
    void save() noexcept {
        saved& place = saved_.data()[accepted_ / interval_ % (rollback_depth / interval_ + 2)];
        place = {};
        owned now(clone(get()));
        RIFFLE_TRY { place = {accepted_, std::shared_ptr<const llama_sampler>(now.release(), free_shared())}; }
        RIFFLE_CATCH {}  // the pointer was freed
    }
    struct free_shared {
        void operator()(const llama_sampler* s) const noexcept {
            if (s) llama_sampler_free(const_cast<llama_sampler*>(s));
        }
    };
    bool give(token_id token) noexcept {
        RIFFLE_TRY {
            llama_sampler_accept(get(), token);
            return true;
        }
        RIFFLE_CATCH { return false; }
    }

    owned sampler_;
    std::size_t interval_ = longest_interval;
    std::uint64_t accepted_ = 0;
    std::uint64_t newest_ = 0;  ///< so many were accepted before it went back
    std::array<token_id, rollback_depth + longest_interval> tokens_{};
    std::array<saved, rollback_depth + 2> saved_{};
};

}  // namespace riffle::llama::detail
