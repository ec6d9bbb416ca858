using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations.Large;

/// <summary>Large values through commits of every kind, and recoveries.</summary>
public sealed class LargeCommitTests : IDisposable
{
    private const int Keys = 24, Threads = 3, WritesOfACommit = 400;

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<CommitKind> Kinds => [.. Enum.GetValues<CommitKind>()];

    public void Dispose() => _folder.Dispose();

    [Theory, MemberData(nameof(Kinds))]
    public async Task Committed_values_are_there_again_and_nothing_else(CommitKind kind)
    {
        var options = Options with { CommitKind = kind, MemoryBudget = ByteSize.MiB(4) };
        var random = new Random(7);
        var model = new Dictionary<int, byte[]>();
        for (int round = 0; round < 4; round++)
        {
            await using FasterStore store = await OpenAsync(options, _folder.Path);
            using FasterSession session = store.StartSession("one");
            for (int key = 0; key < Keys; key++) Assert.Equal(model.GetValueOrDefault(key), session.GetBytes(key));
            CheckScan(store, model);
            for (int commit = 0; commit < 4; commit++)
            {
                for (int i = 0; i < 12; i++) session.Change(model, Keys, random);
                await store.CommitAsync(commit % 2 == 0 ? kind : null, withIndex: commit == 1);
            }

            for (int i = 0; i < 12; i++) session.Change(new(model), Keys, random); // never committed
        }
    }

    [Theory, MemberData(nameof(Kinds))]
    public async Task Threads_write_on_while_it_commits_and_every_prefix_is_exact(CommitKind kind)
    {
        var options = Options with { CommitKind = kind, MemoryBudget = ByteSize.MiB(4) };
        var points = new long[Threads];
        await using (FasterStore store = await OpenAsync(options, _folder.Path))
        {
            using var stop = new CancellationTokenSource();
            using var pace = new SemaphoreSlim(0);
            Task[] threads =
                [.. Enumerable.Range(0, Threads).Select(t => Task.Run(() => Write(store, t, pace, stop.Token)))];
            IReadOnlyList<CommitPoint> last = [];
            for (int i = 0; i < 5 || points.Min() < 8; i++) // on a busy machine a thread may begin late
            {
                pace.Release(WritesOfACommit); // a busy machine would write and read gigabytes
                last = (await store.CommitAsync(kind)).Points;
                for (int t = 0; t < Threads; t++)
                    points[t] = last.SingleOrDefault(p => p.SessionName == $"{t}")?.SerialNumber ?? 0;
            }

            stop.Cancel();
            await Task.WhenAll(threads);
        }

        // A snapshot may hold all that memory held, and the page behind it.
        var wider = options with { MemoryBudget = ByteSize.MiB(8) };
        await using FasterStore again = await OpenAsync(wider, _folder.Path);
        using FasterSession reader = again.StartSession();
        for (int t = 0; t < Threads; t++)
        {
            for (int key = 0; key < 4; key++)
            {
                // Step n of a thread put a value of n to its key n % 4.
                long newest = points[t] - ((points[t] - key) & 3);
                byte[]? expected = newest <= 0 ? null : ValueOf(t, newest);
                Assert.Equal(expected, reader.GetBytes((t * 100) + key));
            }
        }

        using LogScan scan = again.ScanLog();
        while (scan.MoveNext()) Assert.Equal(scan.ValueLength, scan.Value.Length);
    }

    [Fact]
    public async Task A_damaged_chunk_is_found_when_it_is_read_and_harms_no_other_key()
    {
        await using FasterStore store = await OpenAsync(Options with { UnbufferedIO = false }, _folder.Path);
        using FasterSession session = store.StartSession();
        session.PutBytes(1, Value(100_000, 1));
        session.PutBytes(2, Value(100_000, 2));
        await store.CommitAsync();
        for (int i = 0; i < 100; i++) session.PutBytes(3 + (i % 2), Value(100_000, i)); // out of memory
        string file = Directory.GetFiles(_folder.Path, "log.*").Order().First();
        using (var log = new FileStream(file, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite))
        {
            log.Position = 50_000;
            int old = log.ReadByte();
            log.Position = 50_000;
            log.WriteByte((byte)(old ^ 4));
        }

        var error = Assert.Throws<DamagedDataException>(() => session.GetBytes(1));
        Assert.Equal((file, 50_000 / 512 * 512), (error.Path, error.Offset));
        await Assert.ThrowsAsync<DamagedDataException>(async () => await session.ReadAsync(1));
        Assert.Throws<DamagedDataException>(() => session.Append(1, [1]));
        Assert.Equal(Value(100_000, 2), session.GetBytes(2));
        session.PutBytes(1, [7]);
        Assert.Equal([7], session.GetBytes(1)!);
    }

    // The log is walkable, and its newest version of each key is the model's.
    private static void CheckScan(FasterStore store, Dictionary<int, byte[]> model)
    {
        var newest = new Dictionary<int, byte[]>();
        using LogScan scan = store.ScanLog();
        while (scan.MoveNext())
        {
            int key = BitConverter.ToInt32(scan.Key);
            if (scan.IsTombstone) newest.Remove(key);
            else newest[key] = scan.Value.ToArray();
        }

        foreach ((int key, byte[] value) in model) Assert.Equal(value, newest[key]);
    }

    private static void Write(FasterStore store, int thread, SemaphoreSlim pace, CancellationToken ct)
    {
        using FasterSession session = store.StartSession($"{thread}");
        for (long n = 1; !ct.IsCancellationRequested; n++)
        {
            try
            {
                pace.Wait(ct);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            session.PutBytes((thread * 100) + (int)(n % 4), ValueOf(thread, n));
            Assert.Equal(n, session.SerialNumber);
        }
    }

    private static byte[] ValueOf(int thread, long n) =>
        Value(2_000 + (int)(n * 977 % 9_000), (thread * 7919) + (int)n);
}
