using System.Runtime.CompilerServices;
using Faster.Analytics;
using Faster.Analytics.History;
using Faster.Analytics.Scans;
using Faster.Compaction.Batches;
using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.LogSessions.Pending;
using Faster.Operations;
using Faster.Probes;

namespace Faster.Engines.Tiered.Scans;

/// <summary>
/// Returns the records of one key, newest first: those of the hot log, and then those of the cold log that were moved
/// before (docs/internals/tiered-past.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Both chains are of one moment, at which no record of the key at or above Begin had left the hot log.</item>
/// <item>Of a record that is in both logs only the one of the hot log is returned.</item>
/// </list>
/// <para>Not thread-safe; runs once.</para>
/// </remarks>
/// <param name="hot">The hot log.</param>
/// <param name="cold">The cold log.</param>
/// <param name="moved">The part of the hot log whose records may have copies.</param>
/// <param name="key">The key.</param>
/// <param name="hash">The key's hash.</param>
internal sealed class TieredHistory(
    LogSource hot, LogSource cold, MovedPart moved, CapturedKey key, ulong hash) : IDisposable
{
    private readonly HashSet<Content> _copied = []; // of hot records that may have copies
    private LogPins.Pin? _hotPin, _coldPin;
    private PinnedChain _hotChain, _coldChain;
    private long _copiesFrom, _until;

    /// <summary>Captures the chains, and pins both logs. Blocks while it reads the cold index.</summary>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public void Capture()
    {
        hot.Guard.Enter();
        try
        {
            while (!TryCapture()) Dispose();
        }
        finally
        {
            hot.Guard.Leave();
        }
    }

    /// <summary>Enumerates the records, after <see cref="Capture"/>.</summary>
    public async IAsyncEnumerable<RecordVersion<T>> RunAsync<T>(
        RecordDecoder<T> decode, [EnumeratorCancellation] CancellationToken ct)
    {
        // A record whose value has moved hides what is older in the hot log, and not its copy.
        var above = new KeyHistory(hot, key, hash, _hotChain);
        while (await above.MoveNextAsync(ct).ConfigureAwait(false) && IsWhole(above, _hotChain))
        {
            bool mayHaveCopy = above.Current.LowestAddress < _until && !above.Current.View.IsDelta;
            if (mayHaveCopy) _ = _copied.Add(ContentOf(hot, above));
            yield return above.Of(decode(above.Current.View));
        }

        var below = new KeyHistory(cold, key, hash, _coldChain);
        Content? last = null;
        for (bool mayBeCopy = !(Probe.On && Probe.Has(SeededBug.HistoryHasCopies));
            await below.MoveNextAsync(ct).ConfigureAwait(false) && IsWhole(below, _coldChain);)
        {
            Content content = ContentOf(cold, below);
            mayBeCopy = mayBeCopy && below.Current.Address >= _copiesFrom && _copied.Contains(content);
            if (mayBeCopy || content == last) continue;
            last = content;
            yield return below.Of(decode(below.Current.View));
        }
    }

    /// <summary>Releases the logs. Idempotent.</summary>
    public void Dispose()
    {
        _coldPin?.Dispose();
        _hotPin?.Dispose();
    }

    private static bool IsWhole(KeyHistory history, in PinnedChain chain) =>
        history.Current.LowestAddress >= chain.Pin.Address;

    private static Content ContentOf(LogSource source, KeyHistory history)
    {
        RecordView view = history.Current.View;
        return view.IsTombstone
            ? new Content(IsTombstone: true, 0, 0, 0)
            : new Content(false, view.Expiry, view.Value.Length, KeyHash.Of(view.Value, source.Tier.Seed));
    }

    // The copies are known from their content: the cold log does not say where its records come from.
    private bool TryCapture()
    {
        _hotPin = ScannedLogs.Pin(hot.Log);
        _coldPin = ScannedLogs.Pin(cold.Log);
        long ofCold = FindChain(cold);
        (_copiesFrom, _until) = moved.Now; // later than the chain below: what that has of it is noted
        long ofHot = FindChain(hot), now = hot.Core.Clock.Now;
        _hotChain = new PinnedChain(ofHot, _hotPin, now);
        _coldChain = new PinnedChain(ofCold, _coldPin, now);
        Probe.Point(ProbePoint.RegionMarker);
        return (Probe.On && Probe.Has(SeededBug.HistoryIgnoresTruncation))
            || (hot.Log.BeginAddress == _hotPin.Address && cold.Log.BeginAddress == _coldPin.Address);
    }

    private unsafe long FindChain(LogSource source)
    {
        EpochTable epochs = source.Core.Epochs;
        EpochSlot* slot = epochs.Acquire("a key's history");
        try
        {
            return ChainStart.Of(source.Tier, slot, hash);
        }
        finally
        {
            epochs.Release(slot);
        }
    }

    /// <summary>What tells whether two records of a key may be one record and its copy.</summary>
    private readonly record struct Content(bool IsTombstone, long Expiry, int Length, ulong Hash);
}
