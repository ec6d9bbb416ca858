using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Sessions;

/// <summary>
/// Operations that a commit in relaxed order has left out, and whose process died: they are listed until they are
/// issued again.
/// </summary>
public sealed class ExcludedSerialsTests : IDisposable
{
    private const int Keys = 60_000, Updates = 100;

    private static readonly StoreOptions Options =
        new() { MemoryBudget = ByteSize.MiB(1), PendingOrder = PendingOrder.Relaxed, CommitOnDispose = false };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false, PendingOrder.Relaxed)]
    [InlineData(true, PendingOrder.Relaxed)]
    [InlineData(true, PendingOrder.Strict)]
    public async Task An_excluded_number_stays_listed_while_others_commit(bool reconnects, PendingOrder order)
    {
        CommitPoint left = await LeaveOutAsync();
        for (long life = 0; life < 2; life++)
        {
            await using FasterStore store = await Open(Options with { PendingOrder = order });
            Assert.True((await store.CommitAsync()).WasEmpty, "What is only owed is no work for a commit.");
            using FasterSession? session = reconnects ? store.StartSession("a") : null;
            using FasterSession other = store.StartSession("b");
            other.AddTo(Keys + 1, 1);
            Commit commit = await store.CommitAsync();
            Assert.Equal(left.Excluded, commit.Points.Single(static point => point.SessionName == "a").Excluded);
            Assert.Equal(left.Excluded, (session?.RecoveredPoint ?? left).Excluded);
            Assert.True((await store.CommitAsync()).WasEmpty);
        }

        await using FasterStore again = await Open(Options);
        again.ContinueSession("a", out CommitPoint point).Dispose();
        Assert.Equal(left.SerialNumber, point.SerialNumber);
        Assert.Equal(left.Excluded, point.Excluded);
        AssertState(again, point);
    }

    [Theory]
    [InlineData(PendingOrder.Relaxed)]
    [InlineData(PendingOrder.Strict)]
    public async Task An_operation_that_is_issued_again_under_its_number_is_no_longer_listed(PendingOrder order)
    {
        CommitPoint left = await LeaveOutAsync();
        long last;
        await using (FasterStore store = await Open(Options with { PendingOrder = order }))
        {
            using FasterSession session = store.StartSession("a");
            foreach (long number in left.Excluded.Take(left.Excluded.Count / 2)) Reissue(session, number);
            Assert.Equal(left.SerialNumber, session.SerialNumber);
            Commit commit = await store.CommitAsync();
            Assert.False(commit.WasEmpty, "What was issued again changes no number, and is work all the same.");
            Assert.True((await store.CommitAsync()).WasEmpty);
            Assert.Equal(left.Excluded.Skip(left.Excluded.Count / 2), commit.Points.Single().Excluded);
            AssertState(store, commit.Points.Single());

            // It goes on where it was, and no number is issued twice.
            session.AddTo(0, 1000);
            last = session.SerialNumber;
            Assert.Equal(left.SerialNumber + 1, last);
            Assert.Throws<ArgumentOutOfRangeException>(() => session.SetNextSerialNumber(left.Excluded[0]));
            Assert.Throws<ArgumentOutOfRangeException>(() => session.SetNextSerialNumber(last));
        }

        await using FasterStore again = await Open(Options);
        again.ContinueSession("a", out CommitPoint point).Dispose();
        Assert.Equal(left.SerialNumber, point.SerialNumber); // the last one was not committed
        Assert.Equal(left.Excluded.Skip(left.Excluded.Count / 2), point.Excluded);
        AssertState(again, point);
    }

    [Fact]
    public async Task A_session_that_is_forgotten_owes_nothing()
    {
        _ = await LeaveOutAsync();
        await using FasterStore store = await Open(Options);
        Assert.True(store.ForgetSession("a"));
        using FasterSession session = store.StartSession("a");
        Assert.Empty((await store.CommitAsync()).Points.Single().Excluded);
        Assert.Throws<ArgumentOutOfRangeException>(() => session.SetNextSerialNumber(0));
    }

    // The update of number Keys + 1 + i adds 100 to key i.
    private static void Reissue(FasterSession session, long number)
    {
        session.SetNextSerialNumber(number);
        session.AddTo(number - Keys - 1, 100);
    }

    // Read by a session of its own, for reads have numbers, too.
    private static void AssertState(FasterStore store, CommitPoint point)
    {
        using FasterSession reader = store.StartSession();
        for (int i = 0; i < Updates; i++) Assert.Equal(point.Covers(Keys + i + 1) ? 101 : 1, reader.Get(i));
    }

    // A process that dies after a commit which leaves operations out.
    private async Task<CommitPoint> LeaveOutAsync()
    {
        await using FasterStore store = await Open(Options);
        using FasterSession session = store.StartSession("a");
        for (long key = 0; key < Keys; key++) session.Put(key, 1);
        for (int i = 0; i < Updates; i++)
        {
            var add = new Add(100, null);
            _ = session.Rmw(Key(i), ref add);
        }

        CommitPoint point = (await store.CommitAsync()).Points.Single();
        Assert.NotEmpty(point.Excluded);
        return point;
    }

    private async Task<FasterStore> Open(StoreOptions options) =>
        await FasterStore.OpenAsync(_folder.Path, options, Schema, CancellationToken.None);
}
