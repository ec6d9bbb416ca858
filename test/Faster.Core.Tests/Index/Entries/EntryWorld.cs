using Faster.Contracts;
using Faster.Epochs;
using Faster.HashChunks;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log.Records;

namespace Faster.Tests.Index.Entries;

/// <summary>An index of either kind, for tests that hold for both.</summary>
internal sealed class EntryWorld : IDisposable
{
    private readonly Func<EntrySession> _start;
    private readonly HashIndex? _buckets;

    private const int ChunkCount = 8;

    /// <summary>Makes an empty index: one bucket, or eight chunks of eight entries.</summary>
    /// <param name="kind">The kind of the index.</param>
    /// <param name="coldBegin">Entries of chunks that lead below it count as none.</param>
    public EntryWorld(EntryKind kind, long coldBegin = 1)
    {
        if (kind == EntryKind.Buckets)
        {
            _buckets = new HashIndex(Epochs, 1);
            _start = () => EntrySession.Of<HashEntries>(Epochs, _buckets);
        }
        else
        {
            Chunks = new ChunkWorld(Epochs, ChunkCount, () => coldBegin, stagesAll: kind == EntryKind.StagedChunks);
            _start = () => EntrySession.Of<ChunkEntries>(Epochs, Chunks.Index);
        }
    }

    public EpochTable Epochs { get; } = new();

    /// <summary>The index of chunks; null if it is the other one.</summary>
    public ChunkWorld? Chunks { get; }

    /// <summary>Some hash: each number has an entry of its own, up to 32 of them; four lie in one chunk.</summary>
    public static ulong Hash(int number) => HashBits.HashOf(number / 4, ChunkCount, (uint)number);

    public EntrySession Start() => _start();

    /// <summary>Chunks become immutable and go to disk; buckets have nothing of the kind.</summary>
    public void Age() => Chunks?.Age();

    public void Dispose()
    {
        Chunks?.Dispose();
        _buckets?.Dispose();
    }
}

/// <summary>Where the entries of an index lie.</summary>
public enum EntryKind
{
    /// <summary>In the buckets of a hash index.</summary>
    Buckets,

    /// <summary>In records that hold some entries each.</summary>
    Chunks,

    /// <summary>In such records, of which each has a copy in memory when it leaves memory.</summary>
    StagedChunks,
}
