using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Epochs;
using Faster.Index.Entries;

namespace Faster.HashChunks;

/// <summary>Makes a tier's index of hash chunks.</summary>
/// <param name="plan">The division of its memory.</param>
/// <param name="device">The device of the chunk log, which the caller owns.</param>
/// <param name="identity">The identity of the device's blocks.</param>
/// <param name="onFault">Called with errors that have no other recipient.</param>
internal sealed class ChunkIndexMaker(
    ChunkIndexPlan plan, Device device, BlockIdentity identity, Action<Exception> onFault) : IEntryIndexMaker
{
    /// <inheritdoc/>
    public ITierIndex Make(EpochTable epochs, Func<long> begin) =>
        new ChunkIndex(epochs, plan, device, identity, begin, onFault);
}
