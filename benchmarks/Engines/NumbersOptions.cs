namespace Faster.Workload.Engines;

/// <summary>How a store of numbers is opened for measurements in memory.</summary>
internal static class NumbersOptions
{
    /// <summary>Memory for every record and a fitting index, so that nothing leaves the mutable region.</summary>
    public static StoreOptions For(long keys)
    {
        const long BytesPerKey = 96;
        const long Least = 64L << 20;
        var budget = new ByteSize(Math.Max(Least, keys * BytesPerKey));

        // A commit on closing would take time, and change what a recovery finds.
        return new StoreOptions { MemoryBudget = budget, ExpectedKeys = keys, CommitOnDispose = false };
    }

    /// <summary>As above, with memory for a log of a length besides, nearly all of it mutable.</summary>
    public static StoreOptions For(long keys, long logBytes)
    {
        const double FullestMutable = 0.8;
        StoreOptions options = For(keys);
        return options with
        {
            MemoryBudget = new ByteSize(options.MemoryBudget.Bytes + (long)(logBytes / FullestMutable)),
        };
    }
}
