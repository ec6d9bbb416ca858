using Faster.Contracts;
using Faster.Store;
using Faster.Tests.Store;
using Faster.Tests.Store.Opening;
using Faster.Tests.Store.Operations;

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

    public static async Task<FasterStore<TProbe>> OpenAsync<TProbe>(string? folder, StoreOptions? options = null)
        where TProbe : struct, IProbe =>
        await FasterStore<TProbe>.OpenAsync(folder, (options ?? Small).For(folder), CounterOperations.Schema, default);

    public static Task<FasterStore<NoProbe>> OpenAsync(string? folder, StoreOptions? options = null) =>
        OpenAsync<NoProbe>(folder, options);

    /// <summary>Puts key × 3 under keys.</summary>
    public static void Fill<TProbe>(this FasterSession<TProbe> session, long from, long to)
        where TProbe : struct, IProbe
    {
        for (long key = from; key < to; key++) session.Put(key, key * 3);
    }

    /// <summary>The bytes of the log's files in a folder.</summary>
    public static long LogBytes(string folder, string files = "log.*")
    {
        for (;;)
        {
            // What is made and deleted during the listing would be counted together.
            string[] listed = Directory.GetFiles(folder, files);
            long bytes = listed.Sum(LengthOrNone);
            if (listed.Order().SequenceEqual(Directory.GetFiles(folder, files).Order())) return bytes;
        }
    }

    /// <summary>What <see cref="Fill"/> has put is there.</summary>
    public static void AssertFilled<TProbe>(this FasterSession<TProbe> session, long from, long to, int step = 1)
        where TProbe : struct, IProbe
    {
        for (long key = from; key < to; key += step)
        {
            long? found = session.Get(key);
            if (found != key * 3) Assert.Fail($"Key {key}: {found?.ToString() ?? "nothing"}.");
        }
    }

    // The store may have deleted it since it was listed.
    private static long LengthOrNone(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }
}
