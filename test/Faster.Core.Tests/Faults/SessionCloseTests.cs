using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Faults;

/// <summary>
/// A session closed beside its own calls: one of the two is refused by name, and the store goes on as if nothing had
/// happened.
/// </summary>
public sealed class SessionCloseTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Beside_calls_of_another_thread(bool asynchronously) => Guard.RunAsync(async () =>
    {
        int rounds = TestBudget.Times(1_500);
        await using FasterStore store = await Open();
        using FasterSession other = store.StartSession("other");
        using var turn = new Turns();
        Task caller = Guard.RunAsync(() => turn.CallAll());
        for (int round = 0; round < rounds; round++)
        {
            FasterSession session = store.StartSession("a");
            turn.Begin(session);
            Thread.SpinWait(round % 97 * 11);
            for (bool closed = false; !closed;)
            {
                try
                {
                    if (asynchronously) await session.DisposeAsync();
                    else session.Dispose();
                    closed = true;
                }
                catch (SessionMisuseException)
                {
                    // beside a call: once more
                }
            }

            turn.End();
            other.AddTo(-1, 1);
            Assert.Throws<SessionMisuseException>(() => session.Get(1));
            if (round % 300 == 0) await store.CommitAsync();
        }

        turn.Dispose();
        await caller;
        Assert.Equal(rounds, other.Get(-1));
        Assert.Equal(1, store.Statistics.Sessions);
        await store.CommitAsync();
        Assert.Null(store.Epochs.LongestHolder(out _));
        Assert.Null(store.Statistics.LastFault);
    });

    [Fact]
    public Task Beside_a_call_that_is_inside_it_is_refused_and_the_session_goes_on() => Guard.RunAsync(async () =>
    {
        await using FasterStore store = await Open();
        FasterSession session = store.StartSession("a");
        session.Put(1, 1);
        using var inside = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        Task call = Guard.RunAsync(() =>
        {
            var add = new Add(1, null, () =>
            {
                inside.Set();
                leave.Wait();
            });
            Assert.Equal(Status.Ok, session.Rmw(Key(1), ref add));
        });
        inside.Wait();
        var refused = Assert.Throws<SessionMisuseException>(session.Dispose);
        Assert.Contains("in use", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<SessionMisuseException>(async () => await session.DisposeAsync());
        leave.Set();
        await call;
        Assert.Equal(2, session.Get(1));
        await store.CommitAsync();
        await session.DisposeAsync();
        await store.CommitAsync();
        Assert.Equal(0, store.Statistics.Sessions);
    });

    [Fact]
    public Task Beside_a_call_every_thread_that_disposes_of_it_is_refused() => Guard.RunAsync(async () =>
    {
        int rounds = TestBudget.Times(1_000), refused = 0;
        await using FasterStore store = await Open();
        FasterSession session = store.StartSession();
        session.Put(1, 1);
        using var inside = new ManualResetEventSlim();
        using var leave = new ManualResetEventSlim();
        Task call = Guard.RunAsync(() =>
        {
            var add = new Add(1, null, () =>
            {
                inside.Set();
                leave.Wait();
            });
            Assert.Equal(Status.Ok, session.Rmw(Key(1), ref add));
        });
        inside.Wait();
        await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Guard.RunAsync(() =>
        {
            for (int round = 0; round < rounds; round++)
            {
                Assert.Throws<SessionMisuseException>(session.Dispose);
                Interlocked.Increment(ref refused);
            }
        })));
        leave.Set();
        await call;
        Assert.Equal(3 * rounds, refused);
        Assert.Equal(2, session.Get(1));
        session.Dispose();
    });

    [Fact]
    public Task Beside_a_call_that_waits_outside_its_epoch_it_is_refused() => Guard.RunAsync(() =>
    {
        using var store = new FaultedStore();
        store.Fill();
        FasterSession session = store.Session;
        var outcome = new CounterOperations.Outcome();
        Exception? refused = null;
        var read = new CallbackRead(() => refused = Record.Exception(session.Dispose));
        Assert.Equal(Status.Pending, session.Read(Key(5), ref read));
        Assert.True(session.CompletePending(wait: true)); // whose callback is outside every epoch
        Assert.IsType<SessionMisuseException>(refused);
        Assert.Equal(15, session.Get(5));
        session.Dispose();
    });

    private ValueTask<FasterStore> Open() => FasterStore.OpenAsync(
        _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, Schema, default);

    /// <summary>Lets one thread call a session until it is closed, again and again.</summary>
    private sealed class Turns : IDisposable
    {
        private readonly SemaphoreSlim _begin = new(0), _begun = new(0), _ended = new(0);
        private FasterSession? _session;

        public void Begin(FasterSession session)
        {
            _session = session;
            _begin.Release();
            _begun.Wait();
        }

        public void End() => _ended.Wait();

        public void Dispose()
        {
            _session = null;
            _begin.Release();
        }

        public void CallAll()
        {
            for (;;)
            {
                _begin.Wait();
                if (_session is not { } session) return;
                _begun.Release();
                try
                {
                    for (int i = 0; ; i++)
                    {
                        session.AddTo(i % 8, 1);
                        session.Put(8 + (i % 8), i);
                        if (i % 64 == 0) session.CompletePending(wait: true);
                        _ = session.Get(i % 16);
                    }
                }
                catch (SessionMisuseException)
                {
                    _ended.Release();
                }
            }
        }
    }

    private struct CallbackRead(Action completed) : IReadOperation
    {
        public static int ValueSize => 8;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => false;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public readonly void SingleRead(ReadOnlySpan<byte> value) { }

        public readonly void ConcurrentRead(ReadOnlySpan<byte> value) { }

        public readonly void Complete(Status status, Exception? error) => completed();
    }
}
