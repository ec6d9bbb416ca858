using Faster.Epochs;

namespace Faster.Index.Entries;

/// <summary>Makes the index of a tier whose entries do not lie in the buckets of its own hash index.</summary>
internal interface IEntryIndexMaker
{
    /// <summary>Makes an empty index, before the tier's first session.</summary>
    /// <param name="epochs">The epochs of the store, in which its users find and change entries.</param>
    /// <param name="begin">Returns Begin of the log that the entries lead to; once the tier is made.</param>
    ITierIndex Make(EpochTable epochs, Func<long> begin);
}
