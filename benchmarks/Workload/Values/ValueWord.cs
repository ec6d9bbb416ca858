using System.Runtime.CompilerServices;

namespace Faster.Workload;

/// <summary>
/// The first eight bytes of every value: they tell the key that the value belongs to, and what was done to it.
/// </summary>
/// <remarks>
/// The upper half is the key; the lower half is 0 when loaded, a mark after a blind update, and grows by one with each
/// read-modify-write. So every read can be checked against its key, whatever was done before, and the whole state of a
/// store can be computed from the key streams.
/// </remarks>
internal static class ValueWord
{
    private const int KeyShift = 32;
    private const int MarkShift = 28;
    private const int Marks = 14;

    /// <summary>The value that a key is loaded with.</summary>
    public static long Of(long key) => key << KeyShift;

    /// <summary>The key that a value tells.</summary>
    public static long KeyOf(long word) => word >> KeyShift;

    /// <summary>What was done to a value since it was loaded.</summary>
    public static uint StateOf(long word) => (uint)word;

    /// <summary>
    /// The mark that blind updates of the n-th cell of a load leave: above any count of read-modify-writes, and not
    /// that of the cell before.
    /// </summary>
    public static long MarkOf(int cell) => (long)((cell % Marks) + 1) << MarkShift;

    /// <summary>The word of a value of any size.</summary>
    public static long Of<TValue>(ref TValue value)
        where TValue : unmanaged => Unsafe.ReadUnaligned<long>(ref Unsafe.As<TValue, byte>(ref value));

    /// <summary>Sets the word of a value of any size.</summary>
    public static void Set<TValue>(ref TValue value, long word)
        where TValue : unmanaged => Unsafe.WriteUnaligned(ref Unsafe.As<TValue, byte>(ref value), word);
}
