using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace Faster.Contracts;

/// <summary>
/// Computes the upper half of a 64 × 64 → 128-bit product, in one instruction where the processor supports it.
/// </summary>
/// <remarks>
/// A caller that needs both halves multiplies twice: an intrinsic that returns both stores one of them in memory.
/// Thread-safe.
/// </remarks>
internal static class WideProduct
{
    /// <summary>Returns the upper 64 bits of the product.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong High(ulong a, ulong b)
    {
        if (Bmi2.X64.IsSupported) return Bmi2.X64.MultiplyNoFlags(a, b);
        if (ArmBase.Arm64.IsSupported) return ArmBase.Arm64.MultiplyHigh(a, b);
        return Math.BigMul(a, b, out _);
    }
}
