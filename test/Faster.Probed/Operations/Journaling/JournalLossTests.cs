using Faster.Checkpoints.Files;
using Faster.Contracts;
using Faster.Log.Records;
using Faster.LogCommits;
using Faster.OperationLogs;
using Faster.Operations;
using Faster.Operations.Journaling;
using Faster.Persistence;
using Faster.Probes;
using Faster.Tests.Checkpoints;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations.Journaling;

/// <summary>
/// A crash after which one log has what was published in it, and another one has not: what belongs together is found
/// together.
/// </summary>
public sealed unsafe class JournalLossTests
{
    private const int LogBytes = 4 << 10;
    private const ulong Identity = 7;

    [Fact]
    public void A_change_is_found_only_with_the_one_before() => Assert.Equal([], FoundOfTwoChanges());

    [Fact]
    public void A_change_that_is_found_without_the_one_before_is_found()
    {
        using IDisposable seeded = SeededProbe.Seed(SeededBug.PredecessorInAnotherLog);
        Assert.Equal([2], FoundOfTwoChanges());
    }

    [Fact]
    public void A_unit_that_lacks_a_record_is_not_carried_out() => Assert.Equal([], FoundOfUnit());

    [Fact]
    public void A_unit_that_lacks_a_record_and_is_carried_out_is_found()
    {
        using IDisposable seeded = SeededProbe.Seed(SeededBug.UnitCountIgnored);
        Assert.Equal([2], FoundOfUnit());
    }

    /// <summary>Two changes of a key, the second while another thread owns the log of the first.</summary>
    /// <returns>The values that are carried out after a crash that the first log does not outlive.</returns>
    private static long[] FoundOfTwoChanges() => FoundAfter(static (logs, entry, session) =>
    {
        Publish(logs, entry, session, key: 1, value: 1, serial: 1, isInUnit: false, avoids: null);
        Publish(logs, entry, session, key: 1, value: 2, serial: 2, isInUnit: false, avoids: 0);
    });

    /// <summary>A unit whose first record is in one log, and the others are in another one.</summary>
    private static long[] FoundOfUnit() => FoundAfter(static (logs, entry, session) =>
    {
        Publish(logs, entry, session, key: 1, value: 1, serial: 5, isInUnit: true, avoids: null);
        Publish(logs, entry, session, key: 2, value: 2, serial: 5, isInUnit: true, avoids: 0);
        Assert.Equal(Outcome.Ok, entry.PublishUnitEnd(session, 5));
    });

    private static long[] FoundAfter(Action<LogSet, JournalEntry, JournalSession> publish)
    {
        var region = new MemoryRegion(2 * LogBytes, fencesOnCaller: false);
        using LogSet logs = LogSet.Create(new PersistenceDomain(region), 2, Identity);
        using var journal = new Journal { RequestCommit = static () => { } };
        journal.Begin(logs, 0);
        var entry = new JournalEntry(journal);
        entry.SetVersion(1);
        publish(logs, entry, journal.Register("one"));
        byte[] left = new ReadOnlySpan<byte>(region.Pointer, 2 * LogBytes).ToArray();
        left.AsSpan(0, LogBytes).Clear();
        StoreMetadata metadata = StoreMetadata.New("test", CounterOperations.Schema, 12, ByteSize.KiB(4));
        var scan = new JournalScan(CommitRecords.Least(0), metadata with { Seed = default });
        using LogSet opened = LogSet.Open(
            new PersistenceDomain(new EmulatedRegion(left, TimeSpan.Zero)), Identity, new LogMark[2], scan);
        return
        [
            .. scan.Changes().Select(static change => BitConverter.ToInt64(LogRecord.At(change.Record).ValueBytes)),
        ];
    }

    // Publishes a change, while another thread owns a log until the change waits for it.
    private static void Publish(
        LogSet logs, JournalEntry entry, JournalSession session, long key, long value, long serial, bool isInUnit,
        int? avoids)
    {
        scoped LogReservation held = default;
        int other = avoids ?? 0;
        if (avoids is not null)
            Assert.Equal(LogSpace.Taken, logs.TryReserve(ref other, 128, mayUseReserve: false, out held));
        Assert.Equal(Outcome.Ok, entry.TryBegin(
            KeyHash.Of((ulong)key, default), session, serial, isInUnit, mayUseReserve: false));
        ReadOnlySpan<byte> name = BitConverter.GetBytes(key), bytes = BitConverter.GetBytes(value);
        Outcome published = entry.Publish(LogRecordKind.Put, name, bytes, RecordExpiry.Never);
        if (avoids is not null) held.Release();
        if (published == Outcome.LogsBusy)
            published = entry.Publish(LogRecordKind.Put, name, bytes, RecordExpiry.Never);
        Assert.Equal(Outcome.Ok, entry.End(published));
    }
}
