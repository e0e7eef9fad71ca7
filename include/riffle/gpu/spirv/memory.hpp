#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/values.hpp>
#include <riffle/math/config.hpp>

// What a shader remembers. A variable or an element stands for its value wherever a value is wanted: every such use is
// a load, every assignment a store.
//
// g++ and clang disagree whether `array[index] = value` looks at its index or at its value first while they compile, so
// where both write instructions the value is given a name: modules are to be the same words from every compiler.

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// A place in memory that holds one value of type T.
template <class T>
class place {
public:
    constexpr place() noexcept = default;
    constexpr place(assembler& code, std::uint32_t pointer) noexcept : code_(&code), pointer_(pointer) {}
    constexpr operator T() const noexcept { return T::template load<T>(*code_, pointer_); }
    constexpr T load() const noexcept { return T::template load<T>(*code_, pointer_); }
    constexpr void store(const T& value) const noexcept { code_->emit_only(op::Store, pointer_, value.id(*code_)); }

protected:
    assembler* code_ = nullptr;
    std::uint32_t pointer_ = 0;
};

/// One that nobody but the invocation sees: what it has loaded or stored there, it need not load again in a block.
template <class T>
class own_place : public place<T> {
public:
    using place<T>::place;
    constexpr operator T() const noexcept { return load(); }
    constexpr T load() const noexcept {
        if (const std::uint32_t known = this->code_->remembered(this->pointer_)) return {*this->code_, known};
        const T value = place<T>::load();
        this->code_->remember(this->pointer_, value.id(*this->code_));
        return value;
    }
    constexpr void store(const T& value) const noexcept {
        place<T>::store(value);
        this->code_->remember(this->pointer_, value.is_constant() ? 0 : value.id(*this->code_));
    }
};

/// A variable of the function that is being written.
template <class T>
class variable : public own_place<T> {
public:
    constexpr explicit variable(assembler& code) noexcept
        : own_place<T>(code, code.local_variable(T::pointer_in(code, storage::Function))) {}
    constexpr variable(assembler& code, const T& first) noexcept : variable(code) { this->store(first); }
    variable(const variable&) = delete;
    constexpr variable& operator=(const variable& other) noexcept { return *this = other.load(); }
    constexpr variable& operator=(const T& value) noexcept {
        this->store(value);
        return *this;
    }
};

/// A variable of the invocation, which every function sees.
template <class T>
class private_variable : public own_place<T> {
public:
    /// To be declared before use.
    constexpr private_variable() noexcept = default;
    constexpr explicit private_variable(assembler& code) noexcept { declare(code); }
    constexpr private_variable(assembler& code, const T& first) noexcept : private_variable(code) {
        this->store(first);
    }
    constexpr void declare(assembler& code) noexcept {
        this->code_ = &code;
        this->pointer_ = code.private_variable(T::type);
    }
    private_variable(const private_variable&) = delete;
    constexpr private_variable& operator=(const private_variable& other) noexcept { return *this = other.load(); }
    constexpr private_variable& operator=(const T& value) noexcept {
        this->store(value);
        return *this;
    }
};

/// What a buffer may be used for.
enum class access { read, write };

/// An element of an array, in storage `Where`.
template <class T, storage Where, access Allowed = access::write>
class element : public place<T> {
public:
    using place<T>::place;
    element(const element&) = delete;
    /// Of the value that lies there.
    constexpr const element& operator=(const element& other) const noexcept
        requires(Allowed == access::write)
    {
        return *this = other.load();
    }
    constexpr const element& operator=(const T& value) const noexcept
        requires(Allowed == access::write)
    {
        this->store(value);
        return *this;
    }
    /// Atomic in no order with other memory; each returns what was there before. Only integers have them: sums of
    /// floats would depend on who comes first.
    constexpr u32 add(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics)
    {
        return atomically(op::AtomicIAdd, value);
    }
    constexpr u32 raise(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics)
    {
        return atomically(op::AtomicUMax, value);
    }
    constexpr u32 lower(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics)
    {
        return atomically(op::AtomicUMin, value);
    }
    constexpr u32 set_bits(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics)
    {
        return atomically(op::AtomicOr, value);
    }

    /// Puts a value in its place.
    constexpr u32 exchange(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics)
    {
        return atomically(op::AtomicExchange, value);
    }
    /// As add, of a word by which work groups wait for each other: what the invocations of a group did to buffers
    /// before a buffer_barrier and this is done for those that read of it here, and behind their next buffer_barrier.
    constexpr u32 add_in_order(const u32& value) const noexcept
        requires(Allowed == access::write && T::has_atomics && Where == storage::StorageBuffer)
    {
        return atomically(op::AtomicIAdd, value, acquire_release | uniform_memory);
    }

private:
    constexpr u32 atomically(op code, const u32& value, std::uint32_t semantics = relaxed) const noexcept {
        assembler& to = *this->code_;
        constexpr scope seen_by = Where == storage::Workgroup ? scope::Workgroup : scope::Device;
        const std::uint32_t by = to.constant(scalar::integer, std::uint32_t(seen_by)),
                            order = to.constant(scalar::integer, semantics), operand = value.id(to);
        return {to, to.emit_scalar(code, scalar::integer, this->pointer_, by, order, operand)};
    }
};

/// A storage buffer of descriptor set 0, seen as an array of T. Two may have one binding: words, and vectors of four.
template <class T, access Allowed = access::write>
class buffer {
public:
    /// To be assigned before use.
    constexpr buffer() noexcept = default;
    constexpr buffer(assembler& code, std::uint32_t binding,
                     buffer_use use = Allowed == access::read ? buffer_use::read : buffer_use::write) noexcept
        : code_(&code), id_(code.storage_buffer(T::type_in(code), T::bytes, binding, use)) {}
    constexpr element<T, storage::StorageBuffer, Allowed> operator[](const u32& index) const noexcept {
        const std::uint32_t pointer = T::pointer_in(*code_, storage::StorageBuffer),
                            member = code_->constant(scalar::integer, 0), at = index.id(*code_);
        return {*code_, code_->emit_of_type(op::AccessChain, pointer, id_, member, at)};
    }
    /// Of an array of vectors of four: a component of one, by its number among the components of all.
    constexpr element<u32, storage::StorageBuffer> component(const u32& index) const noexcept {
        const std::uint32_t pointer = code_->pointer_type(storage::StorageBuffer, scalar::integer),
                            member = code_->constant(scalar::integer, 0), vector = (index >> 2u).id(*code_),
                            within = (index & 3u).id(*code_);
        return {*code_, code_->emit_of_type(op::AccessChain, pointer, id_, member, vector, within)};
    }

private:
    assembler* code_ = nullptr;
    std::uint32_t id_ = 0;
};

/// An array that the work group shares: of as many elements as there are invocations in it, or of a fixed number.
template <class T>
class shared {
public:
    /// To be assigned before use: arrays cost every work group their memory.
    constexpr shared() noexcept = default;
    constexpr explicit shared(assembler& code) noexcept
        : code_(&code), id_(code.shared_array(T::type, code.elements_a_group())) {}
    constexpr shared(assembler& code, std::uint32_t length) noexcept
        : code_(&code), id_(code.shared_array(T::type, code.constant(scalar::integer, length))) {}
    constexpr element<T, storage::Workgroup> operator[](const u32& index) const noexcept {
        const std::uint32_t pointer = code_->pointer_type(storage::Workgroup, T::type), at = index.id(*code_);
        return {*code_, code_->emit_of_type(op::AccessChain, pointer, id_, at)};
    }

private:
    assembler* code_ = nullptr;
    std::uint32_t id_ = 0;
};

/// Two such arrays.
template <class T>
class shared_twice {
public:
    /// To be assigned before use.
    constexpr shared_twice() noexcept = default;
    constexpr explicit shared_twice(assembler& code) noexcept
        : code_(&code), id_(code.shared_arrays(T::type, 2, code.elements_a_group())) {}
    constexpr shared_twice(assembler& code, std::uint32_t length) noexcept
        : code_(&code), id_(code.shared_arrays(T::type, 2, code.constant(scalar::integer, length))) {}
    /// `which`: 0 or 1.
    constexpr element<T, storage::Workgroup> operator()(const u32& which, const u32& index) const noexcept {
        const std::uint32_t pointer = code_->pointer_type(storage::Workgroup, T::type), array = which.id(*code_),
                            at = index.id(*code_);
        return {*code_, code_->emit_of_type(op::AccessChain, pointer, id_, array, at)};
    }

private:
    assembler* code_ = nullptr;
    std::uint32_t id_ = 0;
};

/// The next word of the push constants.
template <class T>
constexpr T push_constant(assembler& code) noexcept {
    const std::uint32_t pointer = code.pointer_type(storage::PushConstant, T::type), block = code.push_constants(),
                        member = code.constant(scalar::integer, code.next_push_constant(T::type)),
                        at = code.emit_of_type(op::AccessChain, pointer, block, member);
    return {code, code.emit_scalar(op::Load, T::type, at)};
}

}  // namespace riffle::gpu::spirv
