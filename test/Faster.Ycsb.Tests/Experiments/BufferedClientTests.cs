using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

public class BufferedClientTests
{
    private const int Keys = 1000;
    private const int Entries = 100;

    [Fact]
    public async Task A_client_never_has_more_in_flight_than_its_buffer_holds()
    {
        await using var engine = new FakeEngine([], _ => { });
        AnswerCheck.Load(engine, Keys);
        var committer = new Committer(engine);
        var client = new BufferedClient(Entries * BufferedClient.EntryBytes, committer);
        using var worker = new WatchfulClient((FakeClient)engine.StartWorker());
        committer.Start();

        long[] stream = [.. Enumerable.Range(0, 20 * Entries).Select(i => i % 2 == 0 ? i % Keys : ~(long)(i % Keys))];
        client.Work(worker, stream);
        await committer.DisposeAsync();

        Assert.Equal(stream.Length, worker.Accepted);
        Assert.InRange(worker.MaxInFlight, 0.8 * Entries, Entries);
        // Each commit lets at most a whole buffer through.
        Assert.InRange(committer.Totals.Commits, (stream.Length / Entries) - 1, stream.Length);
    }

    [Fact]
    public async Task A_failed_commit_surfaces_and_lets_clients_go()
    {
        await using var engine = new FakeEngine([], _ => throw new IOException("disk full"));
        AnswerCheck.Load(engine, Keys);
        var committer = new Committer(engine);
        var client = new BufferedClient(Entries * BufferedClient.EntryBytes, committer);
        using IWorker worker = engine.StartWorker();
        committer.Start();

        client.Work(worker, [.. Enumerable.Range(0, 10 * Entries).Select(i => (long)(i % Keys))]);

        Assert.True(committer.IsStopped);
        await Assert.ThrowsAsync<IOException>(async () => await committer.DisposeAsync());
    }

    /// <summary>Watches how much was in flight after each call.</summary>
    private sealed class WatchfulClient(FakeClient inner) : IClient
    {
        private long _durable;

        public long Accepted => inner.Accepted;

        public long MaxInFlight { get; private set; }

        public void Observe(Action<long> onDurable) => inner.Observe(serialNumber =>
        {
            Volatile.Write(ref _durable, serialNumber);
            onDurable(serialNumber);
        });

        public long Read(ReadOnlySpan<long> keys) => inner.Read(keys);

        public void Upsert(ReadOnlySpan<long> keys, long mask) => inner.Upsert(keys, mask);

        public void Rmw(ReadOnlySpan<long> keys) => inner.Rmw(keys);

        public long MixedRmw(ReadOnlySpan<long> keys) => inner.MixedRmw(keys);

        public void Fetch(ReadOnlySpan<long> keys, Span<long> words) => inner.Fetch(keys, words);

        public long Mixed(ReadOnlySpan<long> keys, long mask)
        {
            // At least as much as the client knew when it chose how many keys to issue.
            long durable = Volatile.Read(ref _durable);
            long sum = inner.Mixed(keys, mask);
            MaxInFlight = Math.Max(MaxInFlight, Accepted - durable);
            return sum;
        }

        public void Dispose() => inner.Dispose();
    }
}
