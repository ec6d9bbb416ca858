using System.Runtime.CompilerServices;
using Faster.Ycsb.Engines.Tables;

namespace Faster.Ycsb.Engines.Bare;

/// <summary>A <see cref="BareTable"/> as workers use it.</summary>
internal readonly unsafe struct BareWords(BareTable table) : IWordTable
{
    /// <inheritdoc/>
    public static string Name => "The bare table";

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long* Find(long key) => table.Find(key, table.HashOf(key));

    /// <inheritdoc/>
    public void Insert(long key, long word) => table.Insert(key, word);
}
