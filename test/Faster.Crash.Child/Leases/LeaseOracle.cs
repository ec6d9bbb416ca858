using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Crash.Ledgers;
using Faster.Engines;

namespace Faster.Crash.Leases;

/// <summary>What must be true of a recovered store of leases.</summary>
/// <remarks>
/// It holds exactly the operations up to the session's recovered point, which is no lower than any that was
/// acknowledged: no value that has expired by the store's clock, and each that has not, whole and with its exact
/// expiry. If the clock was set back to before the crash, what expired in between may be gone or not; what had expired
/// when the last of these operations was executed is gone.
/// </remarks>
public static class LeaseOracle
{
    /// <summary>Judges the store at the time at which it was opened, and at two later times.</summary>
    /// <param name="store">The recovered store.</param>
    /// <param name="plan">What was done.</param>
    /// <param name="notes">What was noted before the crash.</param>
    /// <param name="time">The store's clock, which this moves.</param>
    /// <param name="note">Takes notes of the clock's moves, or null.</param>
    /// <returns>What is wrong, or null; and the recovered serial number.</returns>
    public static async Task<(string? Wrong, long Serial)> JudgeAsync(
        FasterStore store, LeasePlan plan, LedgerNotes notes, LeaseTime time, Action<string>? note = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(notes);
        ArgumentNullException.ThrowIfNull(time);
        CommitPoint? point = store.Recovery?.Sessions.FirstOrDefault(p => p.SessionName == LeasePlan.Session);
        long serial = point?.SerialNumber ?? 0;
        if (serial < notes.Committed)
            return ($"recovered up to {serial}, but {notes.Committed} was acknowledged", serial);
        var model = new LeaseModel(plan, notes, serial);
        using var session = new EntrySession(store.StartSession());
        long latest = Math.Max(notes.LatestTime, time.Milliseconds);
        string? ofScan = await OfScanAsync(store.Analytics.ScanAsync(null, Lease), model, latest).ConfigureAwait(false);
        if (ofScan is not null) return (ofScan, serial);
        foreach (TimeSpan step in new[] { TimeSpan.Zero, TimeSpan.FromMinutes(20), TimeSpan.FromHours(20) })
        {
            note?.Invoke(LedgerNotes.ClockOf((time.Now + step).ToUnixTimeMilliseconds(), serial));
            time.Now += step;
            string? wrong = Enumerable.Range(0, LeasePlan.Keys)
                .Select(key => OfKey(
                    key, model.Find(key), session.Read(key), notes.LatestTime,
                    Math.Max(time.Milliseconds, serial == 0 ? 0 : notes.TimeOf(serial))))
                .FirstOrDefault(static wrong => wrong is not null);
            if (wrong is not null) return ($"At {time.Milliseconds}, {serial} operations recovered: {wrong}", serial);
        }

        return (null, serial);
    }

    private static string? OfKey(int key, (byte[] Value, long Expiry)? state, byte[]? found, long latest, long now)
    {
        if (state is not { } value) return found is null ? null : $"key {key} was deleted, or never written";
        if (found is null) return value.Expiry > Math.Max(latest, now) ? $"key {key} is lost{Until(value)}" : null;
        if (value.Expiry <= now) return $"key {key} is read{Until(value)}";
        return found.AsSpan().SequenceEqual(value.Value) ? null : $"key {key} is a mixture{Until(value)}";
    }

    private static string Until((byte[] Value, long Expiry) value) =>
        $": {value.Value.Length} bytes that expire at {value.Expiry}";

    /// <summary>
    /// Judges a scan: each record that it shows has the right expiry, and each key that is live beyond a time is shown
    /// once.
    /// </summary>
    /// <param name="scan">The keys, and when they expire.</param>
    /// <param name="model">What the store holds.</param>
    /// <param name="latest">The time.</param>
    /// <returns>What is wrong, or null.</returns>
    internal static async Task<string?> OfScanAsync(
        IAsyncEnumerable<(int Key, long Expiry)> scan, LeaseModel model, long latest)
    {
        HashSet<int> shown = [];
        await foreach ((int key, long expiry) in scan.ConfigureAwait(false))
        {
            if (model.Find(key) is not { } value || value.Expiry != expiry)
                return $"a scan shows key {key} until {expiry}, not {model.Find(key)?.Expiry}";
            if (!shown.Add(key)) return $"a scan shows key {key} twice";
        }

        foreach (int key in Enumerable.Range(0, LeasePlan.Keys))
        {
            if (!shown.Contains(key) && model.Find(key) is { } value && value.Expiry > latest)
                return $"a scan does not show key {key}{Until(value)}";
        }

        return null;
    }

    /// <summary>The key and the expiry of a scanned record.</summary>
    internal static (int Key, long Expiry) Lease(RecordView record) => (
        BitConverter.ToInt32(record.Key), record.ExpiresAt?.ToUnixTimeMilliseconds() ?? long.MaxValue);
}
