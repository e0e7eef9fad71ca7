#pragma once
#include <cstdint>

#include <riffle/math/config.hpp>

// The part of SPIR-V that riffle emits, by the names and numbers of the specification (Khronos, SPIR-V 1.3, section 3).

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

enum class op : std::uint16_t {
    Nop = 0,
    Extension = 10,
    ExtInstImport = 11,
    ExtInst = 12,
    MemoryModel = 14,
    EntryPoint = 15,
    ExecutionMode = 16,
    Capability = 17,
    TypeVoid = 19,
    TypeBool = 20,
    TypeInt = 21,
    TypeFloat = 22,
    TypeVector = 23,
    TypeArray = 28,
    TypeRuntimeArray = 29,
    TypeStruct = 30,
    TypePointer = 32,
    TypeFunction = 33,
    ConstantTrue = 41,
    ConstantFalse = 42,
    Constant = 43,
    SpecConstant = 50,
    SpecConstantComposite = 51,
    Function = 54,
    FunctionParameter = 55,
    FunctionEnd = 56,
    FunctionCall = 57,
    Variable = 59,
    Load = 61,
    Store = 62,
    AccessChain = 65,
    Decorate = 71,
    MemberDecorate = 72,
    VectorShuffle = 79,
    CompositeConstruct = 80,
    CompositeExtract = 81,
    ConvertFToS = 110,
    ConvertSToF = 111,
    Bitcast = 124,
    FNegate = 127,
    IAdd = 128,
    FAdd = 129,
    ISub = 130,
    FSub = 131,
    IMul = 132,
    FMul = 133,
    UDiv = 134,
    FDiv = 136,
    UMod = 137,
    IAddCarry = 149,
    ISubBorrow = 150,
    UMulExtended = 151,
    LogicalOr = 166,
    LogicalAnd = 167,
    LogicalNot = 168,
    Select = 169,
    IEqual = 170,
    INotEqual = 171,
    UGreaterThan = 172,
    SGreaterThan = 173,
    UGreaterThanEqual = 174,
    ULessThan = 176,
    SLessThan = 177,
    ULessThanEqual = 178,
    FOrdEqual = 180,
    FUnordNotEqual = 183,
    FOrdLessThan = 184,
    FOrdGreaterThan = 186,
    FOrdLessThanEqual = 188,
    FOrdGreaterThanEqual = 190,
    ShiftRightLogical = 194,
    ShiftLeftLogical = 196,
    BitwiseOr = 197,
    BitwiseXor = 198,
    BitwiseAnd = 199,
    Not = 200,
    ControlBarrier = 224,
    AtomicExchange = 229,
    AtomicIAdd = 234,
    AtomicUMin = 237,
    AtomicUMax = 239,
    AtomicOr = 241,
    LoopMerge = 246,
    SelectionMerge = 247,
    Label = 248,
    Branch = 249,
    BranchConditional = 250,
    Switch = 251,
    Return = 253,
    ReturnValue = 254,
    GroupNonUniformElect = 333,
    GroupNonUniformUMax = 357,
};

enum class capability : std::uint32_t {
    Shader = 1,
    GroupNonUniform = 61,
    GroupNonUniformArithmetic = 63,
    SignedZeroInfNanPreserve = 4466,
    RoundingModeRTE = 4467,
};

enum class execution_mode : std::uint32_t { LocalSize = 17, SignedZeroInfNanPreserve = 4461, RoundingModeRTE = 4462 };

enum class storage : std::uint32_t {
    Input = 1,
    Workgroup = 4,
    Private = 6,
    Function = 7,
    PushConstant = 9,
    StorageBuffer = 12,
};

enum class decoration : std::uint32_t {
    SpecId = 1,
    Block = 2,
    ArrayStride = 6,
    BuiltIn = 11,
    Aliased = 20,
    Coherent = 23,
    NonWritable = 24,
    NonReadable = 25,
    Binding = 33,
    DescriptorSet = 34,
    Offset = 35,
    NoContraction = 42,
};

enum class built_in : std::uint32_t { WorkgroupSize = 25, WorkgroupId = 26, LocalInvocationIndex = 29 };

/// Instructions of the set GLSL.std.450.
enum class extended : std::uint32_t {
    Exp = 27,
    Log = 28,
    UMin = 38,
    FMax = 40,
    UMax = 41,
    SMax = 42,
};

/// What a loop asks of the driver's compiler: not to be written out turn by turn, which multiplies the time it takes
/// (Mesa's lavapipe: three times) and brings nothing where the turns are not known.
inline constexpr std::uint32_t dont_unroll = 2;

/// The scopes and memory semantics that riffle's barriers and atomics name.
enum class scope : std::uint32_t { Device = 1, Workgroup = 2, Subgroup = 3 };
inline constexpr std::uint32_t relaxed = 0;
inline constexpr std::uint32_t acquire_release = 0x8;
inline constexpr std::uint32_t uniform_memory = 0x40;  ///< storage buffers
inline constexpr std::uint32_t workgroup_memory = 0x100;

inline constexpr std::uint32_t magic_number = 0x07230203;
/// 1.3: what Vulkan 1.1 takes, with StorageBuffer in its core.
inline constexpr std::uint32_t version = 0x00010300;

}  // namespace riffle::gpu::spirv
