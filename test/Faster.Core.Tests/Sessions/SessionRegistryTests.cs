using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Checkpoints;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Operations;

namespace Faster.Tests.Sessions;

/// <summary>What many sessions cost, and how many names a store takes.</summary>
public sealed class SessionRegistryTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_session_costs_the_same_however_many_are_open()
    {
        await using FasterStore store = await FasterStore.OpenAsync(
            null, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, CounterOperations.Schema, default);
        const int Once = 100;
        _ = Allocated(store, Once); // what is allocated once
        for (int i = 0; i < Once; i++) _ = store.StartSession(); // of those that have ended
        long few = Allocated(store, 200), many = Allocated(store, 2000);
        Assert.True(many < 15 * few, $"200 sessions take {few:N0} bytes, 2,000 take {many:N0}.");
    }

    [Fact]
    public async Task Names_beyond_what_a_record_holds_are_refused_before_anything_is_done_under_them()
    {
        await using (FasterStore store = await Open())
        {
            store.Core.Sessions.MaxNameBytes = 3 * CommitRecordFile.BytesOf("name 1");
            for (int i = 1; i <= 3; i++) store.StartSession($"name {i}").Dispose();
            var refused = Assert.Throws<LimitExceededException>(() => store.StartSession("name 4"));
            Assert.Contains("ForgetSession", refused.Message, StringComparison.Ordinal);
            store.StartSession().Dispose();
            store.StartSession("name 2").Dispose();
            Assert.True(store.ForgetSession("name 1"));
            store.StartSession("name 4").Dispose();
            Assert.Throws<LimitExceededException>(() => store.StartSession("name 1"));
            _ = await store.CommitAsync();
        }

        await using FasterStore again = await Open();
        again.Core.Sessions.MaxNameBytes = 3 * CommitRecordFile.BytesOf("name 1");
        Assert.Throws<LimitExceededException>(() => again.StartSession("name 1"));
        again.StartSession("name 4").Dispose();
    }

    [Fact]
    public void A_record_that_no_opening_would_accept_is_not_written()
    {
        CommitRecord record = CommitRecords.Full(7);
        int length = CommitRecordFile.Encode(record, CommitRecords.Owner).Length;
        Assert.Equal(length, CommitRecordFile.Encode(record, CommitRecords.Owner, length).Length);
        Assert.Throws<LimitExceededException>(() => CommitRecordFile.Encode(record, CommitRecords.Owner, length - 1));
        var refused = Assert.Throws<LimitExceededException>(
            () => CommitRecordFile.Encode(record, CommitRecords.Owner, 1));
        Assert.Contains("ForgetSession", refused.Message, StringComparison.Ordinal);
    }

    private static long Allocated(FasterStore store, int count)
    {
        var sessions = new FasterSession[count];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < count; i++) sessions[i] = store.StartSession();
        foreach (FasterSession session in sessions) session.Dispose();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private async Task<FasterStore> Open() => await FasterStore.OpenAsync(
        _folder.Path, new StoreOptions { MemoryBudget = ByteSize.MiB(1) }, CounterOperations.Schema, default);
}
