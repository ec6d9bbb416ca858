using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index.Entries;

namespace Faster.Tests.Index.Entries;

/// <summary>Where the entries of one small store lie.</summary>
/// <param name="kind">In buckets, or in chunks.</param>
/// <param name="device">The device of the chunks; null for one in memory.</param>
internal sealed class EntryMaker(EntryKind kind, Device? device = null) : IEntryIndexMaker
{
    private const int ChunkCount = 512;

    private object? _world;

    /// <summary>What a plan of the store says of its entries.</summary>
    public IEntryIndexMaker? OfPlan => kind == EntryKind.Buckets ? null : this;

    /// <summary>
    /// The index of chunks, which is disposed of before the store; null if the entries lie in buckets.
    /// </summary>
    public ChunkWorld? World() => (ChunkWorld?)_world;

    public ITierIndex Make(EpochTable epochs, Func<long> begin)
    {
        var world = new ChunkWorld(epochs, ChunkCount, begin, kind == EntryKind.StagedChunks, device: device);
        _world = world;
        return world.Index;
    }
}
