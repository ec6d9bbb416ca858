using System.Numerics;
using Faster.Invariants;
using Faster.Memory;
using Faster.OperationLogs;
using Faster.Persistence;

namespace Faster.Engines.Bullet.Back;

/// <summary>The root in two copies, and with it the areas of the region.</summary>
/// <remarks>
/// <para>A write replaces one copy, fences, replaces the other, and fences. So at any time one copy is whole: a power
/// cut loses at most the root that was being written. The first copy is read unless it is not whole; then the second
/// one is either equal, or the last one that was durable. So damage of one copy loses nothing, where two pages in turn
/// would go back to an older root without a sign.</para>
/// <para>Not thread-safe: the caller writes one root at a time.</para>
/// </remarks>
/// <param name="region">The region.</param>
/// <param name="identity">Its identity.</param>
internal sealed unsafe class RootPages(PersistentRegion region, ulong identity)
{
    private const int ChecksumAt = 0, HeadsAt = 4, AreasAt = 6, RoundAt = 8, LifeAt = 16, LengthsAt = 24;
    private const int HeadBytes = 16;

    /// <summary>Writes a root durably.</summary>
    /// <param name="root">The root.</param>
    /// <param name="lengths">The region's length after it was made, and after each growth.</param>
    public void Write(BackRoot root, ReadOnlySpan<long> lengths)
    {
        Invariant.Check(
            root.Heads.Count <= LogPlace.MostLogs && lengths.Length is > 0 and <= BackLayout.MaxAreas,
            $"a root has {root.Heads.Count} heads and {lengths.Length} areas");
        for (int copy = 0; copy < 2; copy++)
        {
            Fill(PageOf(copy), root, lengths);
            region.Flush(BackLayout.RootsAt + (copy * BackLayout.PageBytes), BackLayout.PageBytes);
            region.Fence();
        }
    }

    /// <summary>Reads the root.</summary>
    /// <param name="lengths">The region's length after it was made, and after each growth.</param>
    /// <exception cref="DamagedDataException">Neither copy is whole.</exception>
    public BackRoot Read(out long[] lengths)
    {
        byte* page = IsWhole(PageOf(0)) ? PageOf(0) : PageOf(1);
        if (!IsWhole(page))
            BackLayout.ThrowDamaged(region.Name, BackLayout.RootsAt, "both copies of its root have a wrong checksum");
        lengths = new ReadOnlySpan<long>(page + LengthsAt, *(ushort*)(page + AreasAt)).ToArray();
        var heads = new LogMark[*(ushort*)(page + HeadsAt)];
        byte* at = page + LengthsAt + (lengths.Length * sizeof(long));
        for (int i = 0; i < heads.Length; i++, at += HeadBytes)
            heads[i] = new LogMark(*(long*)at, *(uint*)(at + sizeof(long)));
        return new BackRoot(*(long*)(page + RoundAt), *(long*)(page + LifeAt), heads);
    }

    private byte* PageOf(int copy) => region.Pointer + BackLayout.RootsAt + (copy * BackLayout.PageBytes);

    private void Fill(byte* page, BackRoot root, ReadOnlySpan<long> lengths)
    {
        new Span<byte>(page, BackLayout.PageBytes).Clear();
        *(ushort*)(page + HeadsAt) = (ushort)root.Heads.Count;
        *(ushort*)(page + AreasAt) = (ushort)lengths.Length;
        *(long*)(page + RoundAt) = root.Round;
        *(long*)(page + LifeAt) = root.Life;
        lengths.CopyTo(new Span<long>(page + LengthsAt, lengths.Length));
        byte* at = page + LengthsAt + (lengths.Length * sizeof(long));
        foreach (LogMark head in root.Heads)
        {
            *(long*)at = head.Position;
            *(uint*)(at + sizeof(long)) = head.Checksum;
            at += HeadBytes;
        }

        *(uint*)(page + ChecksumAt) = Compute(page);
    }

    private bool IsWhole(byte* page) => *(ushort*)(page + AreasAt) is > 0 and <= BackLayout.MaxAreas
        && *(ushort*)(page + HeadsAt) <= LogPlace.MostLogs && *(uint*)(page + ChecksumAt) == Compute(page);

    private uint Compute(byte* page)
    {
        uint crc = BitOperations.Crc32C(uint.MaxValue, identity);
        crc = BitOperations.Crc32C(crc, *(uint*)(page + HeadsAt));
        int end = LengthsAt + (*(ushort*)(page + AreasAt) * sizeof(long)) + (*(ushort*)(page + HeadsAt) * HeadBytes);
        return ~Crc32C.Add(crc, new ReadOnlySpan<byte>(page + RoundAt, end - RoundAt));
    }
}
