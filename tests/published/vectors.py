#!/usr/bin/env python3
"""Golden vectors for samplers, in double precision, from the published definitions and not from riffle's code.

usage: tests/published/vectors.py > tests/published/vectors.txt

Needs Python 3.9 or newer, and nothing beside its standard library. The same file comes out every time (another libm may
change the last of the 17 digits in a line `out`).

Each function below is one sampler as its paper, or the program that made it known, defines it; the comment at its head
says which. Points common to all:
  - Masked tokens (-inf) do not count: probabilities, entropies, deviations and lengths are over the legal ones. (In
    transformers, vLLM and text-generation-webui, which see the whole row, they count where its length enters; in
    llama.cpp and koboldcpp they have left the list.)
  - A truncation that would leave nothing leaves the best token.
  - No case decides near a threshold, so rounding cannot show: rows that would are drawn again (TooClose).
"""
import math
import random
import struct
import sys

INF = math.inf
GAP = 5e-4     # the least relative distance of a decision from its threshold
NOISE = 2e-5   # decisions survive this much noise on the logits


class TooClose(Exception):
    """The case decides too near to a threshold: another row must be drawn."""


# --- tools ------------------------------------------------------------------------------------------------------------

def legal(logits):
    return [i for i in range(len(logits)) if logits[i] != -INF]


def softmax(logits):
    """Probabilities by id; masked tokens get 0."""
    greatest = max(logits)
    weights = [0.0 if l == -INF else math.exp(l - greatest) for l in logits]
    total = math.fsum(weights)
    return [w / total for w in weights]


def log_softmax(logits):
    greatest = max(logits)
    log_total = greatest + math.log(math.fsum(0.0 if l == -INF else math.exp(l - greatest) for l in logits))
    return [l - log_total for l in logits]


def entropy(probabilities):
    """In nats."""
    return -math.fsum(p * math.log(p) for p in probabilities if p > 0)


def ranked(logits):
    """Legal ids, the best first, the lower id among equals."""
    return sorted(legal(logits), key=lambda i: (-logits[i], i))


def keep_apart(a, b, scale=None):
    if scale is None:
        scale = max(abs(a), abs(b), 1e-300)
    if abs(a - b) <= GAP * scale:
        raise TooClose


def best(logits, count):
    """The `count` best, and at least one; the cut must not separate equal logits, or nearly equal ones."""
    order = ranked(logits)
    count = max(1, min(count, len(order)))
    if count < len(order) and logits[order[count - 1]] - logits[order[count]] < 1 / 128:
        raise TooClose
    return sorted(order[:count])


def at_least(logits, probabilities, bound):
    """Ids of probability >= bound, the best alone where there is none."""
    for i in legal(logits):
        keep_apart(probabilities[i], bound)
    kept = [i for i in legal(logits) if probabilities[i] >= bound]
    return kept if kept else best(logits, 1)


# --- truncations: logits -> ids that survive --------------------------------------------------------------------------

# BlinkDL's notes on sampling for RWKV; exllamav2's top_a_cpu (exllamav2_ext/cpp/sampling.cpp) and
# text-generation-webui's TopALogitsWarper (modules/sampler_hijack.py): p >= a * (greatest p)^2.
def top_a(logits, a):
    probabilities = softmax(logits)
    return at_least(logits, probabilities, a * max(probabilities) ** 2)


# N. N. Minh and others 2024, arXiv 2407.01082: p >= p_base * (greatest p).
def min_p(logits, m):
    probabilities = softmax(logits)
    return at_least(logits, probabilities, m * max(probabilities))


# Hewitt, Manning, Liang 2022, arXiv 2210.15191 (they write p > epsilon); transformers' EpsilonLogitsWarper has >=.
def epsilon_cutoff(logits, epsilon):
    return at_least(logits, softmax(logits), epsilon)


# The same paper: eta = min(epsilon, sqrt(epsilon) * exp(-entropy)). The code of transformers' EtaLogitsWarper agrees
# (its docstring, with the exponential under the root, does not).
def eta_cutoff(logits, epsilon):
    probabilities = softmax(logits)
    by_entropy = math.sqrt(epsilon) * math.exp(-entropy(probabilities))
    keep_apart(epsilon, by_entropy)
    return at_least(logits, probabilities, min(epsilon, by_entropy))


# p-less sampling, arXiv 2509.23234: p >= sum of p^2.
def p_less(logits):
    probabilities = softmax(logits)
    return at_least(logits, probabilities, math.fsum(p * p for p in probabilities))


# The same paper's p-less-norm: p >= (n * sum of p^2 - 1) / (n - 1).
def p_less_norm(logits):
    probabilities = softmax(logits)
    n = len(legal(logits))
    if n == 1:
        return legal(logits)
    return at_least(logits, probabilities, (n * math.fsum(p * p for p in probabilities) - 1) / (n - 1))


# Holtzman and others 2019, arXiv 1904.09751: the shortest prefix, the best first, whose mass reaches p.
def top_p(logits, p):
    probabilities = softmax(logits)
    mass = 0.0
    for count, i in enumerate(ranked(logits), 1):
        mass += probabilities[i]
        if count < len(legal(logits)):
            keep_apart(mass, p)
        if mass >= p:
            return best(logits, count)
    return best(logits, len(logits))


# T. Bricken's tail-free sampling. centred = 0: koboldcpp's sample_tail_free, and llama.cpp until October 2024: the
# tokens ahead of the first whose running share of the second differences exceeds z. centred = 1:
# text-generation-webui's TailFreeLogitsWarper and exllamav2's tfs_cpu: one token more, and never the last.
def tail_free(logits, z, centred):
    order = ranked(logits)
    n = len(order)
    if z >= 1 or n <= 2:
        return sorted(order)
    probabilities = softmax(logits)
    p = [probabilities[i] for i in order]
    bends = [abs((p[i] - p[i + 1]) - (p[i + 1] - p[i + 2])) for i in range(n - 2)]
    total = math.fsum(bends)
    flat = max(p) - min(p) < 1e-12
    if not flat and total < 1e-3:
        raise TooClose
    bends = [1 / (n - 2)] * (n - 2) if flat else [b / total for b in bends]
    running, share = [], 0.0
    for b in bends:
        share += b
        running.append(share)
    for share in running:
        keep_apart(share, z)
    if centred:
        within = 0
        while within < n - 2 and running[within] <= z:
            within += 1
        return best(logits, min(1 + within, n - 1))
    for i in range(n - 2):
        if running[i] > z and i >= 1:
            return best(logits, i)
    return sorted(order)


# Potraghloo and others 2025, arXiv 2509.02510. renorm = 0: transformers' TopHLogitsWarper and the authors' code: the
# longest prefix whose partial sum of -p log p is within alpha * H(p). renorm = 1: the paper's text: the longest prefix
# whose entropy as a distribution of its own is. (Both programs look at the 100 best, more than any row here has.)
def top_h(logits, alpha, renorm):
    probabilities = softmax(logits)
    bound = alpha * entropy(probabilities)
    partial = mass = 0.0
    kept = 0
    for count, i in enumerate(ranked(logits), 1):
        partial -= probabilities[i] * math.log(probabilities[i])
        mass += probabilities[i]
        value = partial / mass + math.log(mass) if renorm else partial
        if count > 1 or not renorm:
            keep_apart(value, bound)
        if value > bound and count > 1:
            break
        kept = count
        if value > bound:
            break
    return best(logits, kept)


# Min-k sampling, arXiv 2604.11012; vLLM pull request 48142: the greatest of (l_i - l_(i+1)) / range / i is the cliff; k
# is its rank, at least floor(tau / range); ties of the k-th stay. The range is that of the legal logits (there a -inf
# makes it infinite).
def min_k(logits, tau):
    order = ranked(logits)
    n = len(order)
    if n == 1:
        return order
    sorted_logits = [logits[i] for i in order]
    span = sorted_logits[0] - sorted_logits[-1] + 1e-8
    gaps = [(sorted_logits[i] - sorted_logits[i + 1]) / span / (i + 1) for i in range(n - 1)]
    greatest = max(gaps)
    cliff = gaps.index(greatest) + 1
    if sorted_logits[0] != sorted_logits[-1]:
        for i, gap in enumerate(gaps):
            if i + 1 != cliff:
                keep_apart(gap, greatest)
    ratio = tau / span
    if ratio < n + 1:
        if ratio and abs(ratio - round(ratio)) < 1e-2:
            raise TooClose
        least = math.floor(ratio)
    else:
        least = n
    k = min(n, max(cliff, least, 1))
    return sorted(i for i in order if logits[i] >= sorted_logits[k - 1])


# Meister and others 2022, arXiv 2202.00666: nearest surprise to the entropy first, until the mass exceeds p.
def typical(logits, p):
    probabilities = softmax(logits)
    h = entropy(probabilities)
    score = {i: abs(-math.log(probabilities[i]) - h) for i in legal(logits)}
    order = sorted(legal(logits), key=lambda i: (score[i], i))
    mass = 0.0
    for count, i in enumerate(order, 1):
        mass += probabilities[i]
        if count < len(order):
            keep_apart(mass, p)
        if mass > p:
            if count < len(order) and score[order[count]] - score[i] < 2e-3 * max(1.0, score[i]):
                raise TooClose
            return sorted(order[:count])
    return sorted(order)


# p-e-w's XTC, text-generation-webui pull request 6335, once its coin has fired: of the tokens that reach the threshold
# only the least likely stays.
def xtc_fired(logits, threshold):
    probabilities = softmax(logits)
    order = ranked(logits)
    for i in order:
        keep_apart(probabilities[i], threshold)
    reached = sum(1 for i in order if probabilities[i] >= threshold)
    if reached < 2:
        return sorted(order)
    if logits[order[reached - 2]] - logits[order[reached - 1]] < 1 / 128:
        raise TooClose
    return sorted(order[reached - 1:])


# Tang and others 2024, arXiv 2411.07641: within n standard deviations of the greatest; that of the population, as in
# llama.cpp and koboldcpp (torch.std in Python ports divides by one less).
def top_n_sigma(logits, n):
    values = [logits[i] for i in legal(logits)]
    mean = math.fsum(values) / len(values)
    sigma = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values))
    bound = max(values) - n * sigma
    for x in values:
        if x != max(values) or sigma:
            keep_apart(x, bound, max(1.0, abs(bound), max(values) - min(values)))
    return [i for i in legal(logits) if logits[i] >= bound]


# Basu and others 2020, arXiv 2007.14966, algorithm 1, as in llama.cpp: the exponent s of Zipf's law by least squares
# over the m best, then the k best with k = (e * 2^mu / (1 - N^-e))^(1/s), e = s - 1, N the size of the vocabulary.
def mirostat(logits, mu, m, n_vocab):
    probabilities = softmax(logits)
    p = [probabilities[i] for i in ranked(logits)]
    products = squares = 0.0
    for i in range(min(m, len(p)) - 1):
        t = math.log((i + 2) / (i + 1))
        b = math.log(p[i] / p[i + 1])
        products += t * b
        squares += t * t
    s = products / squares
    e = s - 1
    if s < 0.25 or abs(e) < 0.05:
        raise TooClose
    k = (e * 2.0 ** mu / (1 - float(n_vocab) ** -e)) ** (1 / s)
    if k < len(p) + 1 and abs(k - round(k)) < max(5e-3, 2e-3 * k):
        raise TooClose
    return best(logits, max(1, int(min(k, 1e9))))


# The same paper's algorithm 2: a surprise -log2 p of at most mu.
def mirostat_v2(logits, mu):
    probabilities = softmax(logits)
    for i in legal(logits):
        keep_apart(-math.log2(probabilities[i]), mu, max(1.0, mu))
    return best(logits, max(1, sum(1 for i in legal(logits) if -math.log2(probabilities[i]) <= mu)))


# Paulus, Xiong, Socher 2017, arXiv 1705.04304, section 2.5; fairseq; transformers' NoRepeatNGramLogitsProcessor.
def no_repeat_ngram(logits, history, n):
    banned = set()
    if len(history) + 1 >= n:
        end = history[len(history) - (n - 1):]
        for first in range(len(history) - n + 1):
            if history[first:first + n - 1] == end:
                banned.add(history[first + n - 1])
    kept = [i for i in legal(logits) if i not in banned]
    if not kept:
        raise TooClose
    return kept


# vLLM's allowed_token_ids.
def allowed_tokens(logits, allowed):
    return [i for i in legal(logits) if i in allowed]


# Lee and others 2022, arXiv 2206.04624, p_t = max(omega, p * lambda^(t - 1)), anew at each sentence; step by step as
# TensorRT-LLM's computeToppDecay: behind the reset token the first p, behind any other max(p * decay, least).
def factual_nucleus_shares(history, p, decay, p_min, reset):
    shares = [p]
    for token in history:
        shares.append(p if token == reset else max(shares[-1] * decay, p_min))
    return shares


# --- maps: logits -> logits -------------------------------------------------------------------------------------------

# kalomaze's quadratic sampling with a curve: koboldcpp's sample_temperature and text-generation-webui's
# QuadraticSamplingLogitsWarper have the same formula.
def quadratic(logits, factor, curve):
    greatest = max(logits)
    k, s = (3 - curve) / 2, (curve - 1) / 2
    return [l if l == -INF else greatest - k * factor * (l - greatest) ** 2 + s * factor * (l - greatest) ** 3
            for l in logits]


# kalomaze's dynamic temperature; llama.cpp's temp_ext: T = lo + (hi - lo) * (entropy / log n)^exponent.
def dynamic_temperature(logits, temperature, delta, exponent):
    n = len(legal(logits))
    if n < 2:
        return list(logits)
    low, high = max(0.0, temperature - delta), temperature + delta
    t = low + (high - low) * (entropy(softmax(logits)) / math.log(n)) ** exponent
    if t < 0.05:
        raise TooClose
    return [l if l == -INF else l / t for l in logits]


# transformers' EncoderRepetitionPenaltyLogitsProcessor: each id of the source once.
def encoder_repetition_penalty(logits, history, penalty):
    out = list(logits)
    for i in set(history):
        if logits[i] != -INF:
            out[i] = logits[i] / penalty if logits[i] < 0 else logits[i] * penalty
    return out


# transformers' ExponentialDecayLengthPenalty (since November 2022, with |l|). A banned end stays banned (there it
# becomes NaN).
def exponential_length_penalty(logits, start, factor, generated, eos):
    out = list(logits)
    if generated > start and logits[eos] != -INF:
        out[eos] = logits[eos] + abs(logits[eos]) * (factor ** (generated - start) - 1)
    return out


# Sanchez and others 2023, arXiv 2306.17806; transformers' UnbatchedClassifierFreeGuidanceLogitsProcessor: from the
# log-probabilities of both rows, b + scale * (a - b).
def cfg(logits, other, scale):
    a, b = log_softmax(logits), log_softmax(other)
    return [-INF if logits[i] == -INF else b[i] + scale * (a[i] - b[i]) for i in range(len(logits))]


# mode 0: O'Brien and Lewis 2023, arXiv 2309.09117, (1 + beta) * expert - beta * amateur on logits as they are. mode 1:
# Li and others 2022, arXiv 2210.15097, log p of the expert - log p of the amateur (beta unused). Both only where the
# expert's logit reaches log(alpha) + its greatest.
def contrastive(logits, other, alpha, beta, mode):
    bound = max(logits) + math.log(alpha)
    for i in legal(logits):
        keep_apart(logits[i], bound, max(1.0, abs(bound)))
    a, b = log_softmax(logits), log_softmax(other)
    out = []
    for i in range(len(logits)):
        if logits[i] == -INF or logits[i] < bound:
            out.append(-INF)
        elif mode:
            out.append(a[i] - b[i])
        else:
            out.append((1 + beta) * logits[i] - beta * other[i])
    return out


# MrJackSpade's adaptive-p; llama.cpp pull request 17927. Given the weighted sum and the total weight of the
# probabilities accepted so far.
def adaptive_p(logits, target, weighted_sum, total_weight):
    probabilities = softmax(logits)
    wanted = min(1.0, max(0.0, target))
    if total_weight != 0:
        wanted = min(1.0, max(0.0, 2 * wanted - weighted_sum / total_weight))
    out = []
    for i in range(len(logits)):
        x = abs(probabilities[i] - wanted) / 0.3
        out.append(-INF if logits[i] == -INF else 5 - 10 * x * x / (1 + x))
    return out


# transformers' SequenceBiasLogitsProcessor, and with -inf its NoBadWordsLogitsProcessor: the bias goes to the last
# token of a sequence where the context ends with those before it. (A sequence one longer than the context counts, as in
# vLLM's bad words; transformers overlooks it.)
def banned_sequences(logits, history, sequences):
    out = list(logits)
    for tokens, bias in sequences:
        before_last = len(tokens) - 1
        if history[len(history) - before_last:] == tokens[:-1] and before_last <= len(history):
            out[tokens[-1]] += bias
    return out


# vLLM's min_tokens; transformers' MinNewTokensLengthLogitsProcessor.
def min_tokens(logits, count, generated, ends):
    return [-INF if i in ends and generated < count else l for i, l in enumerate(logits)]


# --- others -----------------------------------------------------------------------------------------------------------

# turboderp's skew (exllamav2_ext/cpp/ext_sampling.cpp): the draw u becomes u^exp(-skew), and the token is the one in
# which the running probability, the best token first, reaches it. So the running probability C of a drawn token becomes
# C^exp(skew): the distribution of the drawn token.
def skewed(logits, amount):
    probabilities = softmax(logits)
    shares = [0.0] * len(logits)
    running = before = 0.0
    for i in ranked(logits):
        running = min(1.0, running + probabilities[i])
        shares[i] = running ** math.exp(amount) - before ** math.exp(amount)
        before = running
    return shares


# exllamav2's banned strings and koboldcpp's banned phrases (koboldcpp pull request 1153): when the text ends with a
# phrase, letters alike in either case, it goes back to the token in which the phrase began, and that token is banned
# at that place: behind exactly that text. Answers the rewind after each tried token, and the ids that are legal at
# the end. `tried(text, legal ids)` chooses.
def phrase_ban(pieces, phrases, steps, tried):
    def legal_behind(text):
        return [t for t in range(len(pieces)) if (tuple(text), t) not in banned]

    text, banned, tokens, rewinds = [], set(), [], []
    for _ in range(steps):
        choices = legal_behind(text)
        if not choices:
            raise TooClose
        tokens.append(tried(text, choices))
        text.append(tokens[-1])
        spelled = "".join(pieces[t] for t in text).lower()
        new = len(pieces[text[-1]])
        begins = [end - len(phrase) for phrase in phrases for end in range(len(spelled) - new + 1, len(spelled) + 1)
                  if spelled[:end].endswith(phrase.lower())]
        back = 0
        if begins:
            place, length = 0, 0
            while length + len(pieces[text[place]]) <= min(begins):
                length += len(pieces[text[place]])
                place += 1
            back = len(text) - place
            banned.add((tuple(text[:place]), text[place]))
            text = text[:place]
        rewinds.append(back)
    if not legal_behind(text):
        raise TooClose
    return tokens, rewinds, legal_behind(text)


# --- rows -------------------------------------------------------------------------------------------------------------

KINDS = ["wide", "peaked", "tied", "masked", "smooth", "flat_head", "flat", "heavy_masked", "low", "two_tops"]


def grid(x):
    """A multiple of 1/64, which binary32 holds exactly."""
    return round(x * 64) / 64


def is_binary32(x):
    return x == -INF or struct.unpack("f", struct.pack("f", x))[0] == x


def draw_row(rng, kind):
    n = rng.randint(5, 40)
    if kind == "wide":
        row = [grid(rng.gauss(0, 2.2)) for _ in range(n)]
    elif kind == "peaked":
        row = [grid(rng.gauss(-2, 1.0)) for _ in range(n)]
        row[rng.randrange(n)] = grid(rng.uniform(4.0, 7.0))
    elif kind == "tied":
        values = [grid(rng.uniform(-4, 4)) for _ in range(rng.randint(3, 6))]
        row = [rng.choice(values) for _ in range(n)]
    elif kind == "masked":
        row = [grid(rng.gauss(0, 2.0)) for _ in range(n)]
        for i in rng.sample(range(n), max(1, n // 4)):
            row[i] = -INF
    elif kind == "smooth":
        a, b = rng.uniform(0.8, 2.0), rng.uniform(-3, 12)
        row = [grid(b - a * math.log(i + 1) + rng.uniform(-0.05, 0.05)) for i in range(n)]
        rng.shuffle(row)
    elif kind == "flat_head":
        equal = rng.randint(2, max(2, n // 2))
        row = [grid(3.0)] * equal + [grid(rng.uniform(-4, 1.5)) for _ in range(n - equal)]
        rng.shuffle(row)
    elif kind == "flat":
        row = [grid(rng.uniform(-3, 3))] * n
    elif kind == "heavy_masked":
        row = [-INF] * n
        for i in rng.sample(range(n), min(n, rng.randint(3, 6))):
            row[i] = grid(rng.uniform(-3, 3))
    elif kind == "low":
        row = [grid(rng.gauss(-20, 1.5)) for _ in range(n)]
    else:
        row = [grid(rng.gauss(-3, 1.5)) for _ in range(n)]
        for i in rng.sample(range(n), 2):
            row[i] = grid(rng.uniform(3.0, 5.0))
    return row


def noisy(rng, rows):
    """With the same noise on equal values of a row, so that ties stay ties."""
    out = []
    for row in rows:
        noise = {v: rng.uniform(-NOISE, NOISE) for v in set(row)}
        out.append([v if v == -INF else v + noise[v] for v in row])
    return out


# --- the cases of samplers that know logits, a second row or a history ------------------------------------------------

def named(**parameters):
    return parameters


# name, function, takes a second row, takes a history, parameter sets, kinds of rows that are left out
TABLE = [
    ("top_a", top_a, 0, 0, [named(a=x) for x in (0.125, 0.25, 0.5, 0.0625, 1.0, 0.03125)], ()),
    ("tail_free", tail_free, 0, 0,
     [named(z=x, centred=c) for x in (0.9375, 0.75, 0.5, 0.96875, 0.25) for c in (0, 1)], ()),
    ("epsilon_cutoff", epsilon_cutoff, 0, 0, [named(epsilon=x / 4096) for x in (4, 16, 64, 200, 1, 3000)], ()),
    ("eta_cutoff", eta_cutoff, 0, 0, [named(epsilon=x / 4096) for x in (4, 16, 64, 200, 400, 1000)], ()),
    ("p_less", p_less, 0, 0, [named()], ("flat",)),
    ("p_less_norm", p_less_norm, 0, 0, [named()], ()),
    ("top_h", top_h, 0, 0, [named(alpha=x, renorm=c) for x in (0.40625, 0.25, 0.625, 0.875, 0.5) for c in (0, 1)], ()),
    ("min_k", min_k, 0, 0, [named(tau=x) for x in (3.0, 0.0, 10.0, 25.0, 60.0)], ()),
    ("typical", typical, 0, 0, [named(p=x) for x in (0.5, 0.90625, 0.25, 0.75, 0.96875)], ()),
    ("xtc_fired", xtc_fired, 0, 0, [named(threshold=x) for x in (0.09375, 0.0625, 0.03125, 0.125, 0.25)], ()),
    ("top_n_sigma", top_n_sigma, 0, 0, [named(n=x) for x in (1.0, 1.5, 2.0, 0.5, 0.75)], ("flat",)),
    ("min_p", min_p, 0, 0, [named(m=x) for x in (0.0625, 0.125, 0.25, 0.5, 0.015625)], ()),
    ("top_p", top_p, 0, 0, [named(p=x) for x in (0.90625, 0.75, 0.5, 0.96875, 0.25)], ()),
    ("mirostat", mirostat, 0, 0,
     [named(mu=a, m=b, n_vocab=c) for a, b, c in ((3.0, 100, 40), (2.0, 5, 40), (4.0, 100, 32000), (1.5, 10, 1000),
                                                  (5.0, 8, 128000), (2.5, 100, 100))], ("flat",)),
    ("mirostat_v2", mirostat_v2, 0, 0, [named(mu=x) for x in (3.0, 2.0, 4.5, 6.0, 0.5)], ()),
    ("no_repeat_ngram", no_repeat_ngram, 0, 1, [named(n=x) for x in (2, 3, 2, 4, 1, 3)], ()),
    ("quadratic", quadratic, 0, 0,
     [named(factor=a, curve=b) for a, b in ((0.25, 1.0), (0.5, 1.0), (1.5, 1.0), (0.0625, 1.0), (0.25, 1.5),
                                            (0.5, 3.0), (0.25, 2.0), (1.0, 4.0), (0.125, 2.5), (2.0, 1.0))], ()),
    ("dynamic_temperature", dynamic_temperature, 0, 0,
     [named(temperature=a, delta=b, exponent=c) for a, b, c in ((1.0, 0.5, 1.0), (0.75, 0.25, 1.0), (1.0, 1.0, 1.0),
                                                                (1.5, 1.25, 2.0), (0.875, 0.5, 0.5))], ()),
    ("encoder_repetition_penalty", encoder_repetition_penalty, 0, 1,
     [named(penalty=x) for x in (1.25, 1.5, 0.75, 1.125, 2.0)], ()),
    ("exponential_length_penalty", exponential_length_penalty, 0, 0, None, ()),
    ("cfg", cfg, 1, 0, [named(scale=x) for x in (1.5, 2.0, 1.0, 3.0, 0.5, 1.25)], ()),
    ("contrastive", contrastive, 1, 0,
     [named(alpha=a, beta=b, mode=c) for a, b, c in ((0.125, 0.5, 0), (0.0625, 1.0, 0), (0.125, 0.0, 1),
                                                     (0.25, 0.5, 0), (0.03125, 0.0, 1), (0.5, 0.25, 0))], ()),
    ("adaptive_p", adaptive_p, 0, 0,
     [named(target=a, weighted_sum=b, total_weight=c) for a, b, c in
      ((0.5, 5.0, 10.0), (0.5, 6.5, 10.0), (0.25, 1.5, 10.0), (0.75, 2.0, 8.0), (0.5, 0.0, 0.0), (0.25, 9.0, 10.0),
       (1.0, 4.0, 10.0), (0.0, 0.0, 1.0), (0.375, 3.25, 7.5))], ()),
]
MAPS = ("quadratic", "dynamic_temperature", "encoder_repetition_penalty", "exponential_length_penalty", "cfg",
        "contrastive", "adaptive_p")
EACH = 10
TWICE_AS_MANY = ("tail_free", "top_h", "quadratic", "contrastive")  # two variants, or more parameters


def case(name, kind, pairs, row=(), other=(), history=(), ids=None, out=None):
    """`pairs` of parameter names and values."""
    return name, kind, list(pairs), list(row), list(other), list(history), ids, out


def cases_of_table():
    """Rows drawn until their case is clear: nowhere near a threshold, and for most of them neither everything nor a
    single token left."""
    cases = []
    for name, function, second, with_history, parameter_sets, left_out in TABLE:
        rng = random.Random("riffle-" + name)
        kinds = [k for k in KINDS if k not in left_out]
        is_map = name in MAPS
        wanted = 2 * EACH if name in TWICE_AS_MANY else EACH
        made = trivial = turns = 0
        while made < wanted:
            kind = kinds[made % len(kinds)]
            turns += 1
            if turns > 4000:  # this kind cannot be clear: the ordinary one
                kind = "wide"
            if turns > 20000:
                sys.exit("no row for " + name)
            row = draw_row(rng, kind)
            n = len(row)
            if name == "exponential_length_penalty":
                parameters = named(start=rng.choice((0, 4, 10)), factor=rng.choice((1.0625, 1.5, 0.75, 1.03125)),
                                   generated=rng.choice((0, 4, 5, 12, 20)), eos=rng.randrange(n))
                if made % 3 and parameters["generated"] <= parameters["start"]:
                    continue
            else:  # turns against the kinds of rows, so that all meet all
                parameters = parameter_sets[(made + made // len(kinds)) % len(parameter_sets)]
            arguments = {"logits": row, **parameters}
            other, history = [], []
            if second:
                other = [-INF if l == -INF else grid(0.6 * l + rng.gauss(0, 1.5)) for l in row]
                arguments["other"] = other
            if with_history:
                if name == "no_repeat_ngram":
                    alphabet = rng.sample(range(n), min(n - 1, 3))
                    history = [rng.choice(alphabet) for _ in range(rng.choice((1, 6, 12, 24)))]
                else:
                    history = [rng.randrange(n) for _ in range(rng.randint(1, 2 * n))]
                arguments["history"] = history
            try:
                found = function(**arguments)
                for _ in range(12):
                    shaken = noisy(rng, [row] + ([other] if second else []))
                    again = function(**{**arguments, "logits": shaken[0], **({"other": shaken[1]} if second else {})})
                    if is_map:
                        same = [l == -INF for l in again] == [l == -INF for l in found]
                    else:
                        same = again == found
                    if not same:
                        raise TooClose
            except TooClose:
                continue
            if not is_map:
                boring = found == legal(row) or (len(found) == 1 and name != "no_repeat_ngram")
                if boring and kind != "flat" and trivial >= wanted // 4 and turns < 3000:
                    continue
                if (made % 2 == 0 and len(found) < 3 and turns < 2500
                        and kind not in ("peaked", "two_tops", "flat", "heavy_masked")):
                    continue
                trivial += boring
            elif name == "contrastive" and turns < 3000 and sum(l != -INF for l in found) < 2:
                continue
            assert is_map or (found and found == sorted(set(found)) and set(found) <= set(legal(row)))
            ids, out = (None, found) if is_map else (found, None)
            cases.append(case(name, kind, parameters.items(), row, other, history, ids, out))
            made += 1
            turns = 0
    return cases


# --- the cases of those that know more --------------------------------------------------------------------------------

def cases_of_factual_nucleus():
    rng = random.Random("riffle-factual_nucleus")
    cases = []
    parameter_sets = [named(p=a, decay=b, p_min=c) for a, b, c in
                      ((0.90625, 0.875, 0.25), (0.75, 0.5, 0.125), (0.9375, 1.0, 0.3125), (0.5, 0.9375, 0.75),
                       (0.96875, 0.96875, 0.5))]
    while len(cases) < 2 * EACH:
        row = draw_row(rng, KINDS[len(cases) % len(KINDS)])
        parameters = dict(parameter_sets[(len(cases) + len(cases) // 5) % len(parameter_sets)],
                          reset=rng.randrange(len(row)))
        history = [parameters["reset"] if rng.random() < 0.15 else rng.randrange(len(row))
                   for _ in range(rng.choice((0, 1, 3, 8, 20, 40)))]
        shares = factual_nucleus_shares(history, **parameters)
        try:
            ids = top_p(row, shares[-1])
        except TooClose:
            if KINDS[len(cases) % len(KINDS)] != "flat":
                continue
            row[0] += 1.0
            try:
                ids = top_p(row, shares[-1])
            except TooClose:
                continue
        cases.append(case("factual_nucleus", KINDS[len(cases) % len(KINDS)], parameters.items(), row, history=history,
                          ids=ids, out=shares))
    return cases


def cases_of_banned_sequences():
    rng = random.Random("riffle-banned_sequences")
    cases = []
    while len(cases) < EACH:
        kind = KINDS[len(cases)]
        row = draw_row(rng, kind)
        alphabet = rng.sample(range(len(row)), 3)
        history = [rng.choice(alphabet) for _ in range(rng.choice((0, 1, 2, 6, 20)))]
        sequences, pairs = [], []
        for _ in range(rng.randint(1, 6)):
            tokens = [rng.choice(alphabet) for _ in range(rng.choice((1, 2, 2, 3, 3)))]
            if any(tokens == earlier for earlier, _ in sequences):  # a mapping in transformers: the later one wins
                continue
            bias = rng.choice((-INF, -2.5, 1.25, 0.75, -INF))
            sequences.append((tokens, bias))
            pairs += [("token", t) for t in tokens] + [("bias", bias)]
        out = banned_sequences(row, history, sequences)
        if max(out) == -INF or (len(cases) % 3 and out == row):
            continue
        cases.append(case("banned_sequences", kind, pairs, row, history=history, out=out))
    return cases


def cases_of_min_tokens():
    rng = random.Random("riffle-min_tokens")
    cases = []
    for count, generated in ((3, 0), (3, 2), (3, 3), (3, 4), (1, 0), (0, 0), (20, 19), (20, 20)):
        row = draw_row(rng, "wide")
        ends = sorted(rng.sample(range(len(row)), rng.randint(1, 3)))
        pairs = [("count", count), ("generated", generated)] + [("end", e) for e in ends]
        cases.append(case("min_tokens", "wide", pairs, row, out=min_tokens(row, count, generated, ends)))
    return cases


def cases_of_allowed_tokens():
    rng = random.Random("riffle-allowed_tokens")
    cases = []
    for kind in ("wide", "masked", "tied", "flat", "low"):
        row = draw_row(rng, kind)
        allowed = sorted(rng.sample(range(len(row)), rng.randint(3, len(row))))
        ids = allowed_tokens(row, allowed)
        assert ids
        cases.append(case("allowed_tokens", kind, [("token", t) for t in allowed], row, ids=ids))
    return cases


def cases_of_skew():
    rng = random.Random("riffle-skew")
    cases = []
    for kind, amount in (("wide", 0.0), ("wide", 0.5), ("tied", -0.5), ("masked", 1.0), ("smooth", -1.0),
                         ("flat", 0.75), ("flat_head", -0.25), ("low", 2.0)):
        row = draw_row(rng, kind)
        cases.append(case("skew", kind, [("amount", amount)], row, out=skewed(row, amount)))
    return cases


def cases_of_phrase_ban():
    rng = random.Random("riffle-phrase_ban")
    vocabularies = [
        (["a", "b", "c", "ab", "ba", "abc"], ["abc"]),
        (["a", "b", "ab", "aa", "bb"], ["aab", "bba", "abab"]),
        (["_a", "_tap", "es", "try", "T", "ap", "estry", "_", "x"], ["tapestry", "_a_tap"]),
        (["A", "a", "b", "B", "xa", "bx", "xabx"], ["ab"]),
    ]
    cases = []
    while len(cases) < 3 * len(vocabularies):
        pieces, phrases = vocabularies[len(cases) % len(vocabularies)]

        def tried(text, choices):  # half of the time a token that goes on with a phrase, where there is one
            spelled = "".join(pieces[t] for t in text).lower()
            onwards = [t for t in choices if any(
                phrase[:k] == (spelled + pieces[t].lower())[-k:] for phrase in phrases
                for k in range(len(pieces[t]), len(phrase) + 1) if k <= len(spelled) + len(pieces[t]))]
            return rng.choice(onwards if onwards and rng.random() < 0.5 else choices)

        try:
            tokens, rewinds, ids = phrase_ban(pieces, phrases, 40, tried)
        except TooClose:
            continue
        if sum(r > 0 for r in rewinds) < 3 or max(rewinds) < 2:
            continue
        pairs = [("piece", p) for p in pieces] + [("phrase", p) for p in phrases]
        cases.append(case("phrase_ban", "text", pairs, history=tokens, ids=ids, out=[float(r) for r in rewinds]))
    return cases


# --- the file ---------------------------------------------------------------------------------------------------------

HEADER = """\
# Golden vectors for samplers; written by vectors.py, in double precision, from the published definitions.
# Lines that start with # and empty lines are comments. Every case is exactly these seven lines, in this order, words
# separated by single spaces:
#   case NAME NUMBER KIND            sampler, running number within the sampler (from 0), kind of row (a word)
#   params N name value ...          N pairs; numbers are exactly representable in binary32; names may repeat
#   logits N v ...                   the row, id = position; -inf = illegal token
#   logits2 N v ...                  second row (cfg: unconditional; contrastive: amateur); N = 0 when there is none
#   history N id ...                 token ids, oldest first (no_repeat_ngram, banned_sequences: context;
#                                    encoder_repetition_penalty: the prompt; factual_nucleus: generated tokens;
#                                    phrase_ban: the tokens tried); N = 0 when there is none
#   ids N id ...                     truncations: surviving ids, ascending;  N = -1 for maps
#   out N v ...                      maps: resulting logits, 17 digits, -inf possible;  N = 0 for truncations
#                                    skew: the probability of each token to be drawn; factual_nucleus: the share p
#                                    before each token of the history and after the last; phrase_ban: the rewind that
#                                    each tried token leads to
# Read values as words and convert with strtod (operator>> to a double does not take -inf). Finite input logits are
# multiples of 1/64. No decision is nearer than 5e-4 (relative) to its threshold and none changes under noise of 2e-5
# on the logits (equal for equal logits); no cut of a sorted list separates equal logits.
# Masked tokens do not count: probabilities, entropies, means, list lengths are over the n legal tokens.
# If nothing would survive the best token stays.
# params: top_a a | tail_free z centred(0 llama.cpp/koboldcpp, 1 webui/exllamav2) | epsilon_cutoff epsilon |
#   eta_cutoff epsilon | p_less - | p_less_norm - | top_h alpha renorm(0 transformers partial sum, 1 paper) |
#   min_k tau | typical p | xtc_fired threshold (the draw has fired) | top_n_sigma n (population sigma) | min_p m |
#   top_p p | mirostat mu m n_vocab (kept set of version 1) | mirostat_v2 mu (kept set) | no_repeat_ngram n |
#   quadratic factor curve | dynamic_temperature temperature delta exponent | encoder_repetition_penalty penalty |
#   exponential_length_penalty start factor generated eos (generated = tokens produced so far) |
#   cfg scale (log-softmax of both rows first; softmax-equivalent to raw logits up to a constant) |
#   contrastive alpha beta mode(0 raw logits (1+beta)e - beta a; 1 ln p_e - ln p_a) |
#   adaptive_p target weighted_sum total_weight | factual_nucleus p decay p_min reset |
#   banned_sequences (token ... bias) ..., a bias ends a sequence | min_tokens count generated end ... |
#   allowed_tokens token ... | skew amount | phrase_ban piece ... phrase ..., _ for a space
"""


def word(x):
    if isinstance(x, str):
        return x
    if x == -INF:
        return "-inf"
    if isinstance(x, int):
        return str(x)
    return repr(x) if x != int(x) else "%d" % x


def long_word(x):
    return "-inf" if x == -INF else "%.17g" % x


def line(key, items, count=None):
    return " ".join([key, str(len(items) if count is None else count)] + items)


def main():
    sys.stdout.write(HEADER)
    cases = (cases_of_table() + cases_of_factual_nucleus() + cases_of_banned_sequences() + cases_of_min_tokens()
             + cases_of_allowed_tokens() + cases_of_skew() + cases_of_phrase_ban())
    last, number = None, 0
    for name, kind, pairs, row, other, history, ids, out in cases:
        assert all(is_binary32(x) for x in row + other + [v for _, v in pairs if not isinstance(v, str)])
        number = 0 if name != last else number + 1
        last = name
        print()
        print("case", name, number, kind)
        print(line("params", [w for key, value in pairs for w in (key, word(value))], len(pairs)))
        print(line("logits", [word(x) for x in row]))
        print(line("logits2", [word(x) for x in other]))
        print(line("history", [str(x) for x in history]))
        print(line("ids", [], -1) if ids is None else line("ids", [str(x) for x in ids]))
        print(line("out", [] if out is None else [long_word(x) for x in out]))


if __name__ == "__main__":
    main()
