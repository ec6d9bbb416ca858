using System.Runtime.CompilerServices;
using Faster.Ycsb.Engines.Tables;

namespace Faster.Ycsb.Engines.Chaining;

/// <summary>A <see cref="ChainingTable"/> as workers use it.</summary>
internal readonly unsafe struct ChainingWords(ChainingTable table) : IWordTable
{
    /// <inheritdoc/>
    public static string Name => "The chaining table";

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long* Find(long key) => table.Find(key);

    /// <inheritdoc/>
    public void Insert(long key, long word) => table.Insert(key, word);
}
