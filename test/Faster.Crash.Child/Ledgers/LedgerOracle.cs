using Faster.Contracts;
using Faster.Crash.Engine;
using Faster.Engines;

namespace Faster.Crash.Ledgers;

/// <summary>What must be true of a recovered ledger.</summary>
/// <remarks>
/// It holds the keys from some first one up to the session's recovered point, without a hole, each with its value, in
/// the log and through the index: nothing that was acknowledged or seen is missing at the upper end, and at the lower
/// end only what a truncation was requested for. Of an import it holds a prefix, or all of it if a commit has covered
/// it.
/// </remarks>
public static class LedgerOracle
{
    private const int Beyond = 40; // keys checked on both sides of what should be there

    /// <summary>Judges.</summary>
    /// <param name="store">The recovered store.</param>
    /// <param name="notes">What was noted before the crash.</param>
    /// <returns>What is wrong, or null; and the recovered serial number.</returns>
    public static async Task<(string? Wrong, long Serial)> JudgeAsync(FasterStore store, LedgerNotes notes)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(notes);
        CommitPoint? point = store.Recovery?.Sessions.FirstOrDefault(p => p.SessionName == LedgerPlan.Session);
        long serial = point?.SerialNumber ?? 0;
        StoreStatistics now = store.Statistics;
        var own = new SortedSet<long>();
        var imported = new SortedSet<long>();
        string? wrong = serial < notes.Committed ? $"recovered up to {serial}, but {notes.Committed} was acknowledged"
            : serial < notes.Seen ? $"recovered up to {serial}, but a subscriber has seen {notes.Seen}"
            : now.TailAddress < notes.ResumeAt ? $"the log ends at {now.TailAddress}, below {notes.ResumeAt}"
            : now.BeginAddress < notes.Begin ? $"the log begins at {now.BeginAddress}, below {notes.Begin}"
            : null;
        await foreach ((long key, long value) in store.Analytics.ScanAsync(null, Pair).ConfigureAwait(false))
        {
            bool isOwn = key < LedgerPlan.ImportsApart;
            (isOwn ? own : imported).Add(key);
            long expected = isOwn ? LedgerPlan.ValueOf(key, notes.LifeOf(key)) : key;
            if (value != expected) wrong ??= $"key {key} has the value {value}, not {expected}";
        }

        long lost = own.Count == 0 ? serial : own.Min - 1;
        wrong ??= own.Count > 0 && own.Max != serial ? $"the last key is {own.Max}, not {serial}"
            : own.Count != serial - lost ? $"there are {own.Count} keys from {lost + 1} to {serial}"
            : lost > notes.GivenUp ? $"keys up to {lost} are gone; given up were those up to {notes.GivenUp} at most"
            : ByIndex(store, lost, serial);
        foreach ((long first, bool isCommitted) in notes.Imports) wrong ??= OfImport(imported, first, isCommitted);
        return (wrong, serial);
    }

    private static string? OfImport(SortedSet<long> imported, long first, bool isCommitted)
    {
        SortedSet<long> found = imported.GetViewBetween(first, first + LedgerPlan.ImportsApart - 1);
        if (found.Count > 0 && (found.Min != first || found.Max != first + found.Count - 1))
            return $"of the import at {first} there is no prefix: {found.Count} from {found.Min} to {found.Max}";
        return isCommitted && found.Count != LedgerPlan.ImportedRecords
            ? $"of the import at {first} there are {found.Count} records"
            : null;
    }

    private static string? ByIndex(FasterStore store, long lost, long serial)
    {
        using FasterSession session = store.StartSession();
        for (long key = Math.Max(lost - Beyond, 1); key <= serial + Beyond; key++)
        {
            var found = new Found();
            var read = new NumberOperations.Read(found);
            if (session.Read(new UnmanagedKey<long>(key), ref read) == Status.Pending)
                session.CompletePending(wait: true);
            bool isThere = key > lost && key <= serial;
            if (found.ValueOrThrow() is not null != isThere) return $"a read of key {key} finds it: {!isThere}";
        }

        return null;
    }

    private static (long Key, long Value) Pair(RecordView record) =>
        (BitConverter.ToInt64(record.Key), BitConverter.ToInt64(record.Value));
}
