using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Devices.IOUring;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.CounterOperations;
using Result = Faster.Tests.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Engines.Tiered;

/// <summary>How a cold record is read: its chunk and then the record, both by the session that waits.</summary>
public sealed class TieredReadsTests : IDisposable
{
    private const int Keys = 20_000;

    private static readonly TieredOptions Small = new()
    {
        ColdFraction = 0.25, MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = Keys,
        ReadCacheFraction = 0, CommitOnDispose = false,
    };

    private readonly TemporaryFolder _folder = new(onDisk: true);

    public void Dispose() => _folder.Dispose();

    [RingFact]
    public Task A_session_reads_chunks_and_cold_records_by_its_own_queue() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        await FillAsync(store, session);
        (long chunkReads, int viaChunks) = (store.ColdIndex.Reads, 0);
        for (long key = 0; key < 200; key++)
        {
            var found = new Result();
            var read = new Read(found);
            if (session.Read(Key(key), ref read) != Status.Pending) continue;
            bool isOfChunk = store.ColdIndex.Reads > chunkReads;
            chunkReads = store.ColdIndex.Reads;
            Assert.True(session.Pending.HasReads, $"The read of key {key} is not in the session's queue.");
            if (isOfChunk)
            {
                viaChunks++;
                while (session.Pending.HasReads) session.Pending.HelpReads();
                session.CompletePending(wait: false); // continues with the record
            }

            session.CompletePending(wait: true);
            Assert.Equal((Status.Ok, key), (found.Status, found.Value));
        }

        Assert.True(viaChunks > 20, $"{viaChunks} chunks were read.");
        Assert.Null(store.Core.Faults.Last);
    });

    [RingFact]
    public Task An_awaited_read_without_a_thread_gets_cold_records_as_well() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        await FillAsync(store, session);
        for (long key = 0; key < 300; key++)
        {
            var found = new Result();
            var read = new Read(found);
            if (session.Read(Key(key), ref read) == Status.Pending && key % 3 == 0)
                await session.CompletePendingAsync();
            if (key % 3 != 1) session.CompletePending(wait: true);
            if (key % 3 != 1 && found.Value != 0) Assert.Equal(key, found.Value);
        }

        session.CompletePending(wait: true);
        Assert.Null(store.Core.Faults.Last);
    });

    [RingFact]
    public Task A_commit_takes_cold_reads_of_a_session_that_does_not_come_back() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small);
        using TieredSession session = store.StartSession();
        await FillAsync(store, session);
        for (long key = 0; key < 64; key++)
        {
            var add = new Add(1, null);
            _ = session.Rmw(Key(key), ref add);
        }

        _ = await store.CommitAsync(); // waits for the additions
        session.CompletePending(wait: true);
        for (long key = 0; key < 64; key++) Assert.Equal((Status.Ok, key + 1), ReadToEnd(session, key));
    });

    // Few buffers: reads wait for those that come back to sessions' queues.
    [RingFact]
    public Task Reads_that_wait_for_buffers_are_all_answered() => Guard.RunAsync(async () =>
    {
        await using TieredStore store = await OpenAsync(Small);
        TieredSession[] sessions = [.. Enumerable.Range(0, 3).Select(_ => store.StartSession())];
        await FillAsync(store, sessions[0]);
        var results = new List<(long Key, Result Result, Status Status)>();
        for (int i = 0; i < 3_000; i++)
        {
            var found = new Result();
            var read = new Read(found);
            long key = i * 7 % Keys;
            results.Add((key, found, sessions[i % 3].Read(Key(key), ref read)));
        }

        foreach (TieredSession session in sessions) session.CompletePending(wait: true);
        Assert.All(
            results.Where(static result => result.Status == Status.Pending),
            static result => Assert.Equal((Status.Ok, result.Key), (result.Result.Status, result.Result.Value)));
        foreach (TieredSession session in sessions) session.Dispose();
    });

    private static async Task FillAsync(TieredStore store, TieredSession session)
    {
        for (long key = 0; key < Keys; key++)
        {
            var upsert = new Upsert(key);
            _ = session.Upsert(Key(key), ref upsert);
        }

        session.CompletePending(wait: true);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
    }

    private ValueTask<TieredStore> OpenAsync(TieredOptions options) =>
        TieredStore.OpenAsync(_folder.Path, options, Schema, CancellationToken.None);
}
