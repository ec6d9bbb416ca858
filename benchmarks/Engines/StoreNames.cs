namespace Faster.Workload.Engines;

/// <summary>The names that our engines' results carry.</summary>
internal static class StoreNames
{
    /// <summary>How many keys a batch has.</summary>
    public const int BatchLength = 32;

    /// <summary>One call a key.</summary>
    public const string Single = "faster";

    /// <summary>Calls over spans of keys.</summary>
    public const string Batch = "faster-batch";

    /// <summary>One call a key, of a store in two tiers.</summary>
    public const string Tiered = "tiered";

    /// <summary>One call a key, each announced some calls earlier.</summary>
    public const string Prefetch = "faster-prefetch";

    /// <summary>One call a key, of a store that touches its memory when it opens.</summary>
    public const string Populated = "faster-populated";

    /// <summary>One call a key, over a log that is only appended to.</summary>
    public const string Append = "faster-append";

    /// <summary>One call a key, of a store with a merger.</summary>
    public const string Merging = "faster-merging";

    /// <summary>One call a key, of a store in two tiers with a merger.</summary>
    public const string TieredMerging = "tiered-merging";

    /// <summary>One call a key, of records that expire in an hour.</summary>
    public const string Expiring = "faster-expiring";

    /// <summary>A store whose every operation is durable.</summary>
    public const string SingleDurable = "faster-durable";

    /// <summary>The same in two tiers.</summary>
    public const string TieredDurable = "tiered-durable";

    /// <summary>One call per key, of records that never expire, where those of other sessions do.</summary>
    public const string Beside = "faster-beside-expiring";
}
