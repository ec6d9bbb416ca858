using Faster.Persistence;

namespace Faster.Engines.Bullet.Back;

/// <summary>
/// The back of Bullet: a hash table in memory that outlives the process, changed by batches that are whole or not at
/// all (paper 001 §2.2, §3).
/// </summary>
/// <remarks>
/// <para>Each entry has the number of the change that it holds, and a change that is not newer is passed over: so
/// applying a change twice, or after a later one, does nothing.</para>
/// <para>The table is divided by hash into parts. Thread-safe: any number of threads read; one thread at a time holds a
/// part and changes it; <see cref="WriteRoot"/> is called by one thread at a time; <see cref="Dispose"/> is the last
/// call.</para>
/// </remarks>
internal sealed class BackTable : IDisposable
{
    private readonly PersistentRegion _region;
    private readonly RootPages _roots;
    private readonly BackPart[] _parts;
    private readonly long[] _lengths;

    private BackTable(PersistentRegion region, BackHeader header, RootPages roots, BackRoot root, long[] lengths)
    {
        (_region, Header, _roots, Root, _lengths) = (region, header, roots, root, lengths);
        _parts = [.. Enumerable.Range(0, header.Shape.Parts)
            .Select(part => new BackPart(region, header, part, lengths))];
    }

    /// <summary>What the region is.</summary>
    public BackHeader Header { get; }

    /// <summary>What the engine keeps beside the parts.</summary>
    public BackRoot Root { get; private set; }

    /// <summary>The parts, by number.</summary>
    public ReadOnlySpan<BackPart> Parts => _parts;

    /// <summary>How full it is.</summary>
    public BackFigures Figures
    {
        get
        {
            var sum = new BackFigures();
            foreach (BackPart part in _parts)
            {
                long heap = 0;
                foreach ((long begin, long end) in part.Space.Areas) heap += end - begin;
                sum = new BackFigures(
                    sum.Entries + Word(part, BackLayout.EntriesAt),
                    sum.Tombstones + Word(part, BackLayout.TombstonesAt),
                    sum.Buckets + Word(part, BackLayout.BucketsAt), sum.HeapBytes + heap,
                    sum.FreeBytes + (Word(part, BackLayout.FreePagesAt) * BackLayout.PageBytes));
            }

            return sum;
        }
    }

    /// <summary>
    /// Opens the back in a region, recovers its last batches, and takes in what the region has grown by; makes it where
    /// there is none. Takes the region over, unless it throws.
    /// </summary>
    /// <param name="region">The region, of zeros if it is new.</param>
    /// <param name="shape">How to divide a new one.</param>
    /// <param name="schema">What keys and values are.</param>
    /// <param name="identity">The number of a new one, which no other region has.</param>
    /// <exception cref="DamagedDataException">The region is damaged.</exception>
    /// <exception cref="StoreOpenException">It has other keys or values, or batches that are not atomic.</exception>
    /// <exception cref="LimitExceededException">It is too small, or has grown too often.</exception>
    public static BackTable Open(PersistentRegion region, BackShape shape, string schema, ulong identity)
    {
        if (BackHeader.IsMissing(region)) Make(region, shape, schema, identity);
        BackHeader header = BackHeader.Read(region);
        Check(region, header, shape, schema);
        var roots = new RootPages(region, header.Identity);
        BackRoot root = roots.Read(out long[] lengths);
        if (lengths[^1] > region.Length)
        {
            BackLayout.ThrowDamaged(
                region.Name, region.Length, $"it has {region.Length} bytes, and had {lengths[^1]}: it was cut");
        }

        region.Flush(0, BackLayout.PartsAt); // a process that was killed may have left them in the system's cache
        lengths = Grow(region, roots, root, lengths, header.Shape);
        var table = new BackTable(region, header, roots, root, lengths);
        foreach (BackPart part in table._parts) part.FlushNext();
        region.Fence();
        foreach (BackPart part in table._parts) part.Recover();
        region.Fence();
        foreach (BackPart part in table._parts) part.Prepare();
        return table;
    }

    /// <summary>The part of a hash.</summary>
    public BackPart PartOf(ulong hash) => _parts[Header.Shape.PartOf(hash)];

    /// <inheritdoc cref="BackReader.TryRead"/>
    public bool TryRead(ulong hash, ReadOnlySpan<byte> key, BackValue value) => PartOf(hash).TryRead(hash, key, value);

    /// <summary>Begins a scan of all keys that have a value.</summary>
    public BackScan Scan() => new(_region, _parts);

    /// <summary>Replaces the root durably.</summary>
    public void WriteRoot(BackRoot root)
    {
        _roots.Write(root, _lengths);
        Root = root;
    }

    /// <summary>
    /// Checks all of it: each block is in one place, and all counts agree. Holds one part after another.
    /// </summary>
    /// <exception cref="DamagedDataException">Something is wrong.</exception>
    public void Verify()
    {
        foreach (BackPart part in _parts)
        {
            using BackBatch held = part.Begin(0);
            new BackVerifier(_region, part.Space).Run();
        }
    }

    /// <summary>Releases the region.</summary>
    public void Dispose() => _region.Dispose();

    // All is durable before the word that makes it a region of this kind: what a crash leaves is made again.
    private static void Make(PersistentRegion region, BackShape shape, string schema, ulong identity)
    {
        if (region.Length < shape.MinBytes)
        {
            throw new LimitExceededException(
                $"'{region.Name}' has {region.Length} bytes, and the back needs {shape.MinBytes} at least. Open the "
                + "store with more Capacity.");
        }

        var header = new BackHeader(identity, shape, schema);
        long length = region.Length / BackLayout.PageBytes * BackLayout.PageBytes;
        var space = new PartSpace(shape, 0, [length]);
        if (WordOf(region, space.Page + BackLayout.AreasAt) != 0)
            BackLayout.ThrowDamaged(region.Name, 0, "it has parts, but no header");
        header.Write(region);
        new RootPages(region, identity).Write(BackRoot.Empty, [length]);
        BackHeader.Complete(region);
        region.Fence();
    }

    private static void Check(PersistentRegion region, BackHeader header, BackShape shape, string schema)
    {
        if (header.Schema != schema)
        {
            throw new StoreOpenException(
                $"The back in '{region.Name}' has the types {header.Schema}, and the store has {schema}. Open it with "
                + "the types that it was made with.");
        }

        if (header.Shape.WithRedo != shape.WithRedo)
        {
            throw new StoreOpenException(
                $"The batches of the back in '{region.Name}' are {(header.Shape.WithRedo ? "" : "not ")}atomic. "
                + "Open it as it was made.");
        }
    }

    private static long[] Grow(
        PersistentRegion region, RootPages roots, BackRoot root, long[] lengths, BackShape shape)
    {
        long length = region.Length / BackLayout.PageBytes * BackLayout.PageBytes;
        if (length - lengths[^1] < (long)shape.Parts * BackLayout.PageBytes) return lengths;
        if (lengths.Length == BackLayout.MaxAreas)
        {
            throw new LimitExceededException(
                $"'{region.Name}' has grown {lengths.Length - 1} times, which is the limit. Open the store with the "
                + $"Capacity of {lengths[^1]} bytes, and export it to a new one.");
        }

        long[] grown = [.. lengths, length];
        roots.Write(root, grown);
        return grown;
    }

    private long Word(BackPart part, int at) => WordOf(_region, part.Space.Page + at);

    private static unsafe long WordOf(PersistentRegion region, long offset) =>
        Volatile.Read(ref *(long*)(region.Pointer + offset));
}
