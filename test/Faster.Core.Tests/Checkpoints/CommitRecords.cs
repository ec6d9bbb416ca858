using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.OperationLogs;

namespace Faster.Tests.Checkpoints;

/// <summary>Commit records for tests.</summary>
internal static class CommitRecords
{
    public const ulong Owner = 0x1122334455667788;

    /// <summary>The least one.</summary>
    public static CommitRecord Least(long version) => new()
    {
        Version = version,
        Kind = CommitKind.FoldOver,
        Parts =
        [
            new CommittedPart
            {
                Name = CommittedLog.Main,
                Log = new CommittedLog
                {
                    BeginAddress = 64,
                    FlushedUntilAddress = 1000,
                    StartAddress = 900,
                    EndAddress = 1000,
                    Incarnations = [new Incarnation(0, 1)],
                },
                Index = new CommittedIndex { BucketCount = 64 },
            },
        ],
    };

    /// <summary>One of a single part with everything in it.</summary>
    public static CommitRecord Full(long version) => Least(version)
        .WithLog(log => log with
        {
            EndAddress = 5000,
            Snapshots = [
                new FileReference(StoreFileNames.Snapshot(version - 1), 0xBBBB, 4096),
                new FileReference(StoreFileNames.Snapshot(version), 0xCCCC, 4096)],
            Incarnations = [new Incarnation(0, 1), new Incarnation(504, 2), new Incarnation(1008, 7)],
            Discarded = [new DiscardedRange(100, 200, 3), new DiscardedRange(200, 300, 255)],
            Ages = [
                new LogAge(504, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)),
                new LogAge(5000, new DateTime(2026, 1, 2, 3, 4, 6, DateTimeKind.Utc))],
        })
        .WithIndex(index => index with
        {
            Checkpoint = new IndexReference(StoreFileNames.Index(version), 0xAAAA, 8192, 700, 950),
        })
        with
        {
            Kind = CommitKind.Incremental,
            Clock = new DateTimeOffset(2026, 1, 2, 3, 4, 7, TimeSpan.Zero).ToUnixTimeMilliseconds(),
            Sessions = [
                new CommitPoint("loader-1", 42, version),
                new CommitPoint(null, -1, version),
                new CommitPoint("\ud800 half a pair", long.MaxValue, 1) { Excluded = [3, 5, 41] }],
        };

    /// <summary>One of parts of each kind.</summary>
    public static CommitRecord Tiered(long version) => Full(version).With(
        Least(version).Parts[0] with { Name = "cold", Index = null },
        Least(version).Parts[0] with { Name = "chunks", Index = null, File = FileOf(version) },
        new CommittedPart
        {
            Name = "file alone", File = FileOf(version), Marks = [new LogMark(8, 9), new LogMark(0, 0)],
        });

    /// <summary>A file with all of a part.</summary>
    public static FileReference FileOf(long version) => new(StoreFileNames.Directory(version), 0xDDDD, 4096);

    /// <summary>One with its first part changed.</summary>
    public static CommitRecord WithPart(this CommitRecord record, Func<CommittedPart, CommittedPart> change) =>
        record with { Parts = [change(record.Parts[0]), .. record.Parts.Skip(1)] };

    /// <summary>One with its first log changed.</summary>
    public static CommitRecord WithLog(this CommitRecord record, Func<CommittedLog, CommittedLog> change) =>
        record.WithPart(part => part with { Log = change(part.Log!) });

    /// <summary>One with its first index changed.</summary>
    public static CommitRecord WithIndex(this CommitRecord record, Func<CommittedIndex, CommittedIndex> change) =>
        record.WithPart(part => part with { Index = change(part.Index!) });

    extension(CommitRecord record)
    {
        /// <summary>The log that operations write.</summary>
        public CommittedLog Log => record.LogOf(CommittedLog.Main);

        /// <summary>The index of <see cref="get_Log"/>.</summary>
        public CommittedIndex Index => record.IndexOf(CommittedLog.Main);
    }

    /// <summary>Whether two records say the same.</summary>
    public static bool AreEqual(CommitRecord a, CommitRecord b) =>
        CommitRecordFile.Encode(a, Owner).AsSpan().SequenceEqual(CommitRecordFile.Encode(b, Owner));
}
