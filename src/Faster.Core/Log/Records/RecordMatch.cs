using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using Faster.Contracts;

namespace Faster.Log.Records;

/// <summary>Compares header and key of a record in one step, as hits do. Thread-safe: a pure function.</summary>
/// <remarks>
/// On x86-64 both are loaded at once. Each half is read whole, because it lies at a multiple of 8; so a header that
/// another session changes is seen before or after the change.
/// <para>What a hit computes from a record waits in the processor for the record's cache line, and with it all hits
/// behind: the fewer such instructions, the more hits wait for memory at the same time.</para>
/// </remarks>
internal static unsafe class RecordMatch
{
    /// <summary>Returns whether a record has a key, and a header that is another one in all bits of a mask.</summary>
    /// <param name="record">The record.</param>
    /// <param name="key">The key. Compared only if the header allows it: otherwise there may be none.</param>
    /// <param name="header">The header that is wanted.</param>
    /// <param name="mask">The bits that count.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Is<TKey>(byte* record, scoped TKey key, ulong header, ulong mask)
        where TKey : struct, IKey, allows ref struct
    {
        if (TKey.IsWord && Sse41.IsSupported)
        {
            return Sse41.TestZ(Difference(record, key, header), MaskOf(mask));
        }

        return ((RecordHeader.Read(record) ^ header) & mask) == 0 && key.Matches(record + RecordHeader.Size);
    }

    /// <summary>
    /// The bits in which a record's header and key are other ones; a match has none of <see cref="MaskOf"/>. For keys
    /// that are words.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Difference<TKey>(byte* record, scoped TKey key, ulong header)
        where TKey : struct, IKey, allows ref struct =>
        Vector128.Create(header, key.Word) ^ Vector128.Load((ulong*)record);

    /// <summary>The bits that count: some of the header, all of the key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> MaskOf(ulong header) => Vector128.Create(header, ulong.MaxValue);
}
