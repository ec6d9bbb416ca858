using Faster.Log;
using Faster.Checkpoints;

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
        BeginAddress = 64,
        FlushedUntilAddress = 1000,
        StartAddress = 900,
        EndAddress = 1000,
        BucketCount = 64,
        Incarnations = [new Incarnation(0, 1)],
    };

    /// <summary>One with everything in it.</summary>
    public static CommitRecord Full(long version) => Least(version) with
    {
        Kind = CommitKind.Incremental,
        EndAddress = 5000,
        Index = new IndexReference(StoreFileNames.Index(version), 0xAAAA, 8192, 700, 950),
        Snapshots = [
            new SnapshotReference(StoreFileNames.Snapshot(version - 1), 0xBBBB, 4096),
            new SnapshotReference(StoreFileNames.Snapshot(version), 0xCCCC, 4096)],
        Incarnations = [new Incarnation(0, 1), new Incarnation(504, 2), new Incarnation(1008, 7)],
        Abandoned = [new AbandonedRange(100, 200, 3), new AbandonedRange(200, 300, 255)],
        Ages = [
            new AgeMark(504, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)),
            new AgeMark(5000, new DateTime(2026, 1, 2, 3, 4, 6, DateTimeKind.Utc))],
        Clock = new DateTimeOffset(2026, 1, 2, 3, 4, 7, TimeSpan.Zero).ToUnixTimeMilliseconds(),
        Sessions = [
            new CommitPoint("loader-1", 42, version),
            new CommitPoint(null, -1, version),
            new CommitPoint("\ud800 half a pair", long.MaxValue, 1) { Excluded = [3, 5, 41] }],
    };

    /// <summary>Whether two records say the same.</summary>
    public static bool AreEqual(CommitRecord a, CommitRecord b) =>
        CommitRecordFile.Encode(a, Owner).AsSpan().SequenceEqual(CommitRecordFile.Encode(b, Owner));
}
