#pragma once
#include <cstdint>
#include <span>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The samplers that settings can name.
enum class sampler_kind : std::uint8_t {
    dry,
    top_k,
    typical,
    top_p,
    min_p,
    temperature,
    xtc,
    infill,
    penalties,
    top_n_sigma,
    adaptive_p,
    // riffle's own from here on
    top_a,
    tail_free,
    epsilon_cutoff,
    eta_cutoff,
    p_less,
    top_h,
    min_k,
    quadratic,
    soft_cap,
    no_repeat_ngram,
    greedy,
    dist,
    gumbel,
};

/// A sampler's names: llama.cpp's canonical one first, where it has the sampler; then its aliases, and riffle's own.
/// Case does not matter in names; it does in letters, llama.cpp's characters for a sequence.
struct sampler_names {
    sampler_kind kind;
    char letter;  ///< 0 for none
    const char* names[4];

    bool has(text name) const noexcept {
        for (const char* known : names)
            if (known && same_name(name, known)) return true;
        return false;
    }
    static bool same_name(text a, text b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (lower(a[i]) != lower(b[i])) return false;
        return true;
    }

private:
    static char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }
};

/// All of them (llama.cpp 0.7.0, common/sampling.cpp, for the first eleven).
RIFFLE_LOCAL inline constexpr sampler_names known_samplers[] = {
    {sampler_kind::dry, 'd', {"dry"}},
    {sampler_kind::top_k, 'k', {"top_k", "top-k", "topk"}},
    {sampler_kind::typical, 'y', {"typ_p", "typ-p", "typp", "typ"}},
    {sampler_kind::top_p, 'p', {"top_p", "top-p", "topp", "nucleus"}},
    {sampler_kind::min_p, 'm', {"min_p", "min-p", "minp"}},
    {sampler_kind::temperature, 't', {"temperature", "temp"}},
    {sampler_kind::xtc, 'x', {"xtc"}},
    {sampler_kind::infill, 'i', {"infill"}},
    {sampler_kind::penalties, 'e', {"penalties"}},
    {sampler_kind::top_n_sigma, 's', {"top_n_sigma", "top-n-sigma", "topnsigma"}},
    {sampler_kind::adaptive_p, 'a', {"adaptive_p", "adaptive-p", "adaptivep"}},
    {sampler_kind::typical, 0, {"typical"}},
    {sampler_kind::top_a, 0, {"top_a", "top-a"}},
    {sampler_kind::tail_free, 0, {"tail_free", "tfs", "tfs_z"}},
    {sampler_kind::epsilon_cutoff, 0, {"epsilon_cutoff"}},
    {sampler_kind::eta_cutoff, 0, {"eta_cutoff"}},
    {sampler_kind::p_less, 0, {"p_less", "p-less"}},
    {sampler_kind::top_h, 0, {"top_h", "top-h"}},
    {sampler_kind::min_k, 0, {"min_k", "min-k"}},
    {sampler_kind::quadratic, 0, {"quadratic", "smoothing_factor"}},
    {sampler_kind::soft_cap, 0, {"soft_cap"}},
    {sampler_kind::no_repeat_ngram, 0, {"no_repeat_ngram", "no_repeat_ngram_size"}},
    {sampler_kind::greedy, 0, {"greedy"}},
    {sampler_kind::dist, 0, {"dist"}},
    {sampler_kind::gumbel, 0, {"gumbel"}},
};

/// llama.cpp's default sequence.
RIFFLE_LOCAL inline constexpr sampler_kind default_samplers[] = {
    sampler_kind::penalties, sampler_kind::dry,     sampler_kind::top_n_sigma,
    sampler_kind::top_k,     sampler_kind::typical, sampler_kind::top_p,
    sampler_kind::min_p,     sampler_kind::xtc,     sampler_kind::temperature,
};

}  // namespace riffle
