using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations.Merging;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Merging;

/// <summary>A record's copy with all deltas of its key, as compaction makes it where updates merge.</summary>
internal struct ProbedCollapse(long above, byte[] value, bool isDelta, HeldDeltas seals)
    : ICollapse
{
    public static int ValueSize => 0;

    public static bool LatchesUpdates => false;

    public static bool LatchesReads => false;

    public static bool Merges => true;

    public readonly bool IsAwaited => false;

    public readonly long Above => above;

    public readonly ulong Flags => 0;

    public long Expiry { readonly get; init; } = RecordExpiry.Never;

    /// <summary>Called before values are merged; may throw.</summary>
    public Action? BeforeMerge { readonly get; init; }

    /// <summary>Hears of the outcome when the collapse has waited; or null.</summary>
    public Look? Told { readonly get; init; }

    /// <summary>Releases the delta that the collapse has sealed when it fails after it has waited.</summary>
    public Action<long>? Release { readonly get; init; }

    public readonly ReadOnlySpan<byte> Value => value;

    public readonly bool IsDelta => isDelta;

    public readonly bool IsLarge => false;

    public readonly HeldDeltas HeldDeltas => seals;

    public long Sealed { readonly get; set; }

    public readonly int Length
    {
        set { }
    }

    public readonly void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
    {
        BeforeMerge?.Invoke();
        ProbedValue.Merge(older, newer, merged);
    }

    public readonly void Capture() { }

    public readonly void Complete(Status status, Exception? error)
    {
        if (Told is not null) Told.Status = status;
        if (error is not null && Sealed != 0) Release?.Invoke(Sealed);
    }
}
