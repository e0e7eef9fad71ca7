#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How far back rollback and rewind reach, in tokens.
RIFFLE_LOCAL inline constexpr std::size_t rollback_depth = 128;

/// The tokens a chain has accepted, newest last: one ring for every stage that looks back. Beside each token stands a
/// hash of everything up to it, so a mark can prove that the chain still stands behind the tokens it was made behind.
class history {
public:
    /// A token that was accepted, and how.
    struct entry {
        token_id token;             ///< as accept or prompt was given it
        bool generated;             ///< moved the draw position (accept), or did not (prompt)
        std::uint64_t prefix_hash;  ///< hash of this and all earlier entries
    };

    history() noexcept = default;
    /// A copy on the heap. When there is no room everything is forgotten, and lost() says so.
    history(const history& other) noexcept { *this = other; }
    /// Copies into the memory this one has, where it fits; memory of a caller is never left for the heap, and never
    /// shared. When there is no room everything is forgotten, and lost() says so.
    history& operator=(const history& other) noexcept {
        if (this == &other) return *this;
        clear();
        lost_ = other.lost_;
        if (!borrowed_ && other.capacity_ > capacity_) {
            release();
            lost_ |= !allocate(other.capacity_);
        }
        if (other.remembered() > capacity_) {
            lost_ = true;
            return *this;
        }
        written_ = other.written_;
        oldest_ = other.oldest_;
        first_kept_ = other.first_kept_;
        whole_from_ = other.whole_from_;
        hash_of_none_ = other.hash_of_none_;
        for (std::size_t back = other.remembered(); back-- > 0;) slot(written_ - 1 - back) = other.recent(back);
        return *this;
    }
    /// Leaves the other one empty and without memory.
    history(history&& other) noexcept { swap(other); }
    /// The two trade tokens and memory.
    history& operator=(history&& other) noexcept {
        swap(other);
        return *this;
    }
    ~history() { release(); }

    /// Whether assigning `other` asks the heap for nothing, and forgets nothing.
    bool has_room_for(const history& other) const noexcept {
        return other.remembered() <= capacity_ && (borrowed_ || other.capacity_ <= capacity_);
    }
    /// It found no memory for what it should remember; clear() starts anew.
    bool lost() const noexcept { return lost_; }
    /// Accepted tokens in all; the ring remembers the newest of them.
    std::size_t written() const noexcept { return written_; }
    /// How many of the newest tokens recent() can be asked for.
    std::size_t remembered() const noexcept { return written_ - oldest_; }
    /// How many tokens the ring has room for.
    std::size_t capacity() const noexcept { return capacity_; }
    /// The entry `back` tokens from the newest (0 = newest); back < remembered().
    const entry& recent(std::size_t back) const noexcept { return ring_[place_of(written_ - 1 - back)]; }
    /// Asks memory for the `count` newest entries, a few lines at most, ahead of their use.
    void fetch_recent(std::size_t count) const noexcept {
        constexpr std::size_t most = 128, of_line = 4;
        for (std::size_t back = 0; back < count && back < most; back += of_line) RIFFLE_PREFETCH(&recent(back));
    }
    /// Calls visit(token) for the `count` newest, the newest first; count <= remembered(). (It steps an index,
    /// where recent() divides for each token.)
    template <class Visit>
    void each_recent(std::size_t count, Visit visit) const noexcept {
        if (count == 0) return;
        for (std::size_t i = place_of(written_); count > 0; --count) {
            i = (i ? i : capacity_) - 1;
            visit(ring_[i].token);
        }
    }
    /// Whether [memory, memory + bytes) touches the ring.
    bool overlaps(const void* memory, std::size_t bytes) const noexcept {
        return share_bytes(ring_, history::bytes(capacity_), memory, bytes);
    }
    /// Hash of all that was accepted.
    std::uint64_t prefix_hash() const noexcept { return remembered() > 0 ? recent(0).prefix_hash : hash_of_none_; }
    /// What that is where nothing is remembered: 0, or else what forget() has left.
    std::uint64_t hash_of_none() const noexcept { return hash_of_none_; }

    /// Room for `capacity` tokens; keeps what is remembered. False when the heap gives none.
    [[nodiscard]] RIFFLE_NOINLINE bool reserve(std::size_t capacity) noexcept {
        if (capacity <= capacity_) return true;
        history grown;
        if (!grown.allocate(capacity)) return false;
        move_into(grown);
        return true;
    }
    /// Bytes of a ring for `capacity` tokens; the greatest std::size_t where it cannot count them.
    static constexpr std::size_t bytes(std::size_t capacity) noexcept {
        return saturating::product(capacity, sizeof(entry));
    }
    /// Moves into memory of the caller, bytes(capacity) long and aligned for entries; keeps what is remembered.
    RIFFLE_NOINLINE void use(void* memory, std::size_t capacity) noexcept {
        history placed;
        placed.ring_ = static_cast<entry*>(memory);
        placed.capacity_ = capacity;
        placed.borrowed_ = true;
        move_into(placed);
    }

    /// Takes a token as the newest. In a full ring it overwrites the oldest; there must be room for one.
    RIFFLE_NOINLINE void push(token_id token, bool generated) noexcept {
        const std::uint64_t prefix_hash = mix(this->prefix_hash(), token, generated);
        slot(written_++) = {token, generated, prefix_hash};
        if (remembered() > capacity_) oldest_ = written_ - capacity_;
    }
    /// What the next push overwrites, for a push that may have to be undone as if it had never been.
    struct overwritten_end {
        entry next{};            ///< what stands in its place
        std::size_t oldest = 0;  ///< the first token that is remembered, counted from the beginning
    };
    /// For restore_end, asked ahead of the push.
    overwritten_end end_to_restore() const noexcept { return {ring_[place_of(written_)], oldest_}; }
    /// Undoes the newest push, given what end_to_restore said ahead of it.
    void restore_end(const overwritten_end& end) noexcept {
        slot(--written_) = end.next;
        oldest_ = end.oldest;
    }
    /// Whether `count` tokens can be taken back and leave the `window` newest of the rest, and the hash of all before.
    /// The ring is made to keep rollback_depth tokens more than that. A window of -1 looks at everything.
    bool can_pop(std::size_t count, std::int32_t window) const noexcept {
        if (count > rollback_depth || count > remembered()) return false;
        if (count == 0 || oldest_ == 0 || written_ - count >= whole_from()) return true;
        return window >= 0 && remembered() >= count + std::size_t(window) + 1;
    }
    /// Takes the newest token back. Asks nothing: can_pop does.
    void pop() noexcept {
        --written_;
        if (written_ < whole_from_) whole_from_ = written_;
    }
    /// Forgets all tokens, and that any were lost; the memory stays.
    void clear() noexcept {
        written_ = oldest_ = offset_ = first_kept_ = whole_from_ = 0;
        hash_of_none_ = 0;
        lost_ = false;
    }
    /// Takes `count` tokens out of the text, from the `first` on, as if they had not been accepted; but hashes stay
    /// those of all that was accepted. There must be as many. O(remembered).
    void forget(std::size_t first, std::size_t count) noexcept {
        if (count == 0) return;
        const std::size_t behind = first + count;
        if (first <= oldest_ && behind > oldest_) hash_of_none_ = slot(behind - 1).prefix_hash;
        if (first > oldest_)
            for (std::size_t i = first; i > oldest_; --i) slot(i - 1 + count) = slot(i - 1);
        else oldest_ = behind > oldest_ ? first : oldest_ - count;
        first_kept_ = oldest_;
        written_ -= count;
        offset_ += count;
        whole_from_ = written_;
    }
    /// The shortest text that was seen as it is now, for all that is remembered of it: nothing has been overwritten
    /// since. uncountable where something has.
    std::size_t whole_from() const noexcept { return oldest_ == first_kept_ ? whole_from_ : uncountable; }
    /// Forgets all tokens, and lost() is true until clear().
    void lose() noexcept {
        clear();
        lost_ = true;
    }
    /// Becomes a text of `written` tokens, of which as many of the newest are remembered as fit: next_oldest() gives
    /// the entries, `remembered` of them, the oldest first. `hash_of_none` is the hash ahead of those, `whole_from`
    /// what whole_from() is then, where all of them fit.
    template <class Next>
    void load(std::size_t written, std::size_t remembered, std::uint64_t hash_of_none, std::size_t whole_from,
              Next next_oldest) noexcept {
        clear();
        written_ = written;
        hash_of_none_ = hash_of_none;
        const std::size_t fit = remembered < capacity_ ? remembered : capacity_;
        oldest_ = written - fit;
        first_kept_ = whole_from == uncountable ? uncountable : written - remembered;
        whole_from_ = whole_from;
        for (std::size_t i = written - remembered; i < written; ++i) {
            const entry one = next_oldest();
            if (i >= oldest_) slot(i) = one;
        }
    }

private:
    /// Where the entry of an index lies. (forget() gives entries other indices and leaves them where they are.)
    std::size_t place_of(std::size_t index) const noexcept { return (index + offset_) % capacity_; }
    entry& slot(std::size_t index) noexcept { return ring_[place_of(index)]; }
    static constexpr std::uint64_t mix(std::uint64_t prefix_hash, token_id token, bool generated) noexcept {
        // splitmix64's finaliser over the running value: collisions of 64 bits only
        std::uint64_t h =
            prefix_hash + 0x9E3779B97F4A7C15u + (std::uint64_t{std::uint32_t(token)} << 1 | std::uint64_t{generated});
        h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
        h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
        return h ^ (h >> 31);
    }
    bool allocate(std::size_t capacity) noexcept {
        const std::size_t size = bytes(capacity);
        ring_ = size <= largest_object ? static_cast<entry*>(::operator new(size, std::nothrow)) : nullptr;
        capacity_ = ring_ ? capacity : 0;
        borrowed_ = false;
        return ring_ != nullptr;
    }
    void release() noexcept {
        if (!borrowed_) ::operator delete(ring_);
        ring_ = nullptr;
        capacity_ = 0;
    }
    void move_into(history& to) noexcept {
        const std::size_t keep = remembered() < to.capacity_ ? remembered() : to.capacity_;
        to.lost_ = lost_;
        to.written_ = written_;
        to.hash_of_none_ = hash_of_none_;
        to.oldest_ = written_ - keep;
        to.first_kept_ = oldest_ == first_kept_ && keep == remembered() ? to.oldest_ : uncountable;
        to.whole_from_ = whole_from_;
        for (std::size_t back = 0; back < keep; ++back) to.slot(written_ - 1 - back) = recent(back);
        swap(to);
    }
    void swap(history& other) noexcept {
        const auto exchange = [](auto& a, auto& b) {
            const auto t = a;
            a = b;
            b = t;
        };
        exchange(ring_, other.ring_);
        exchange(capacity_, other.capacity_);
        exchange(written_, other.written_);
        exchange(oldest_, other.oldest_);
        exchange(offset_, other.offset_);
        exchange(first_kept_, other.first_kept_);
        exchange(whole_from_, other.whole_from_);
        exchange(hash_of_none_, other.hash_of_none_);
        exchange(borrowed_, other.borrowed_);
        exchange(lost_, other.lost_);
    }

    entry* ring_ = nullptr;
    std::size_t capacity_ = 0, written_ = 0, oldest_ = 0;
    std::size_t offset_ = 0;      ///< of places to indices: how many tokens were forgotten
    std::size_t first_kept_ = 0;  ///< what oldest_ is where nothing was overwritten
    std::size_t whole_from_ = 0;  ///< how long the text was at the last forget(), or where it was shorter since
    std::uint64_t hash_of_none_ = 0;
    bool borrowed_ = false, lost_ = false;
};

}  // namespace riffle
