using Faster.Contracts;
using Faster.Engines;
using Faster.LogSessions.Pending;
using Faster.Tests.Compaction;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Large;

namespace Faster.Tests.LogSessions.Pending;

/// <summary>A session's own read queue is served by its owner, or by the thread that takes it over.</summary>
public sealed class OwnReadsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task An_operation_that_another_thread_continues_reads_elsewhere() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            _folder.Path, GarbageStore.Small with { ReadCacheFraction = 0 });
        using FasterSession session = store.StartSession(), other = store.StartSession();
        session.Put(1, 5);
        session.Fill(100, 30_000);
        var add = new CounterOperations.Add(1, null);
        Assert.Equal(Status.Pending, session.Rmw(CounterOperations.Key(1), ref add));

        // Its read is back, but by then the key's newest record is another one on disk: it must read again.
        while (session.Pending.HasReads) session.Pending.HelpReads();
        other.Put(1, 70);
        other.Fill(30_000, 60_000);
        Assert.True(session.Pending.TryTakeReady(out PendingOperation? operation));
        Assert.True(operation.ResumeOn(other));
        Assert.False(session.Pending.HasReads); // its owner, who may be waiting for a signal, would not look there
        session.CompletePending(wait: true);
        Assert.Equal(71, session.Get(1));
    });

    [Fact]
    public Task A_wait_without_a_thread_returns_its_row_and_gets_one_again() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await GarbageStore.OpenAsync(
            _folder.Path, GarbageStore.Small with { ReadCacheFraction = 0 });
        using FasterSession first = store.StartSession();
        first.Fill(0, 30_000);
        List<FasterSession> owners = [];
        while (owners.Count < 1_000 && store.StartSession() is var session)
        {
            owners.Add(session);
            if (session.Pending.OwnReads is null) break;
        }

        Assert.True(owners.Count is > 1 and < 1_000, $"{owners.Count} sessions have rows.");
        FasterSession late = owners[^1];
        foreach (FasterSession session in owners[..^1])
        {
            do // it may be back before a thread has to wait
            {
                Read(session, 1);
                await session.CompletePendingAsync();
            }
            while (session.Pending.OwnReads is not null);
            while (session.Pending.HasReads) await Task.Yield(); // the last touch of a read that was told
            Assert.Null(session.Pending.OwnReads); // returns it
        }

        // Each read queue is free for a session that waits with a thread.
        foreach (FasterSession session in new[] { late, owners[0] })
        {
            for (int tries = 0; tries < 1_000 && session.Pending.OwnReads is null; tries++)
            {
                Read(session, 2);
                session.CompletePending(wait: true); // takes none if the read is back already
            }

            Assert.NotNull(session.Pending.OwnReads);
        }
    });

    private static void Read(FasterSession session, long key)
    {
        var read = new CounterOperations.Read(new CounterOperations.Outcome());
        Assert.Equal(Status.Pending, session.Read(CounterOperations.Key(key), ref read));
    }
}
