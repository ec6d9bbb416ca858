using Faster.Contracts;
using Faster.Epochs;
using Faster.Index;
using Faster.Index.Entries;

namespace Faster.Tests.Index.Entries;

/// <summary>An index of either kind, for tests that hold for both.</summary>
internal sealed class EntryWorld<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly Func<EntrySession<TProbe>> _start;
    private readonly HashIndex<TProbe>? _buckets;

    /// <summary>Makes an empty index: one bucket, or eight chunks of four entries.</summary>
    /// <param name="kind">Which.</param>
    /// <param name="capacity">How many chunks may be written.</param>
    /// <param name="copiesTooEarly">A defect that chunks may have.</param>
    public EntryWorld(EntryKind kind, int capacity = 1 << 16, bool copiesTooEarly = false)
    {
        if (kind == EntryKind.Buckets)
        {
            _buckets = new HashIndex<TProbe>(Epochs, 1);
            _start = () => EntrySession<TProbe>.Of<HashEntries<TProbe>>(Epochs, _buckets);
        }
        else
        {
            Chunks = new ChunkIndex<TProbe>(Epochs, 3, capacity, copiesTooEarly);
            _start = () => EntrySession<TProbe>.Of<ChunkEntries<TProbe>>(Epochs, Chunks);
        }
    }

    public EpochTable<TProbe> Epochs { get; } = new();

    /// <summary>The index of chunks; null if it is the other one.</summary>
    public ChunkIndex<TProbe>? Chunks { get; }

    /// <summary>Some hash: each number has an entry of its own, up to 32 of them.</summary>
    public static ulong Hash(int number) => (ulong)number << (64 - 5);

    public EntrySession<TProbe> Start() => _start();

    /// <summary>Chunks become immutable and go to disk; buckets have nothing of the kind.</summary>
    public void Age() => Chunks?.Age();

    public void Dispose() => _buckets?.Dispose();
}

/// <summary>Where the entries of an index lie.</summary>
public enum EntryKind
{
    /// <summary>In the buckets of a hash index.</summary>
    Buckets,

    /// <summary>In records that hold some entries each.</summary>
    Chunks,
}
