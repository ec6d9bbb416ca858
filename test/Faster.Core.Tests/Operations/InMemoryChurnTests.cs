using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Engines;
using Faster.Tests.Faults;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Operations;

/// <summary>In a store that lives in memory only, what one session deletes makes space for all.</summary>
public sealed class InMemoryChurnTests
{
    private static readonly StoreOptions InMemory = new()
    {
        MemoryBudget = ByteSize.MiB(1), Allocator = RecordAllocatorKind.InMemory, ExpectedKeys = 1_000,
    };

    [Fact]
    public Task One_session_inserts_and_another_deletes() => Guard.RunAsync(() =>
    {
        using FasterStore store = FasterStore.OpenAsync(
            null, InMemory, CounterOperations.Schema, default).AsTask().GetAwaiter().GetResult();
        using FasterSession inserting = store.StartSession(), deleting = store.StartSession();
        for (int key = 0; key < TestBudget.Times(100_000); key++)
        {
            inserting.Put(key, key);
            Assert.Equal(Status.Ok, deleting.Remove(key));
        }
    });

    [Fact]
    public Task Values_of_all_sizes_come_and_go() => Guard.RunAsync(() =>
    {
        using FasterStore store = FasterStore.OpenAsync(
            null, InMemory with { MemoryBudget = ByteSize.MiB(4) }, BytesOperations.Schema, default)
            .AsTask().GetAwaiter().GetResult();
        using FasterSession inserting = store.StartSession(), deleting = store.StartSession();
        const int Live = 20;
        for (int key = 0; key < TestBudget.Times(5_000); key++)
        {
            inserting.PutBytes(key, Value(Length(key), key));
            if (key < Live) continue;
            Assert.Equal(Value(Length(key - Live), key - Live), deleting.GetBytes(key - Live));
            Assert.Equal(Status.Ok, deleting.RemoveBytes(key - Live));
        }
    });

    private static int Length(int key) => key % 2 == 0 ? 40 : 64 << 10;
}
