using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Opening;
using Faster.Tests.Operations;

namespace Faster.Tests.Compaction;

/// <summary>A small store of counters whose log is on disk for the most part.</summary>
internal static class GarbageStore
{
    public static readonly StoreOptions Small = new()
    {
        MemoryBudget = ByteSize.KiB(512), PageSize = ByteSize.KiB(4), SegmentSize = ByteSize.KiB(64),
        ExpectedKeys = 12_000, // an index that does not grow: how much memory the log has does not depend on time
        CommitOnDispose = false,
    };

    public static async Task<FasterStore> OpenAsync(string? folder, StoreOptions? options = null) =>
        await FasterStore.OpenAsync(folder, (options ?? Small).For(folder), CounterOperations.Schema, default);

    /// <summary>Puts key × 3 under keys.</summary>
    public static void Fill(this FasterSession session, long from, long to)
    {
        for (long key = from; key < to; key++) session.Put(key, key * 3);
    }

    /// <summary>
    /// Makes a folder of few keys whose records are all superseded, and so marked, before the commit writes them; a
    /// crash takes what superseded them.
    /// </summary>
    public static async Task MakeForeignMarksAsync(string folder, int few)
    {
        var held = new HeldWrites(new SegmentedFileDevice(folder, Small.SegmentSize.Bytes));
        await using FasterStore store = await OpenAsync(folder, Small with { Device = held });
        using FasterSession session = store.StartSession();
        session.Fill(0, few);
        held.Hold();
        Task<Commit> commit = store.CommitAsync(CommitKind.FoldOver);
        Assert.True(
            SpinWait.SpinUntil(() => store.Commits.Current.Version == 2, TestBudget.StallTimeout),
            "The commit is not at rest again, where all of version 1 is frozen.");
        for (long key = 0; key < few; key++) session.Put(key, 1);
        held.Release();
        _ = await commit;
    }

    /// <summary>The bytes of the log's files in a folder.</summary>
    public static long LogBytes(string folder, string files = "log.*") => FolderListing
        .AtOneMoment(folder, files, SearchOption.TopDirectoryOnly).Sum(static file => file.Bytes);

    /// <summary>What <see cref="Fill"/> has put is there.</summary>
    public static void AssertFilled(this FasterSession session, long from, long to, int step = 1)
    {
        for (long key = from; key < to; key += step)
        {
            long? found = session.Get(key);
            if (found != key * 3) Assert.Fail($"Key {key}: {found?.ToString() ?? "nothing"}.");
        }
    }
}
