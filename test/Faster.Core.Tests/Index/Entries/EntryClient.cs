using System.Runtime.InteropServices;
using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Tests.Operations;
using static Faster.Tests.Operations.CounterOperations;
using Result = Faster.Tests.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Index.Entries;

/// <summary>The operations of <see cref="CounterOperations"/> over a kind of entries.</summary>
internal sealed class EntryClient(EntryRunner runner) : IDisposable
{
    public long? Get(long key)
    {
        var result = new Result();
        var operation = new Read(result);
        Status status = runner.Read(Key(key), ref operation);
        if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
        Assert.Null(result.Error);
        return result.Status == Status.Ok ? result.Value : null;
    }

    public void Put(long key, long value)
    {
        var operation = new Upsert(value);
        _ = runner.Upsert(Key(key), ref operation);
    }

    public void AddTo(long key, long amount)
    {
        var operation = new Add(amount, null);
        _ = runner.Rmw(Key(key), ref operation);
    }

    public Status Remove(long key)
    {
        var operation = default(Delete);
        return runner.Delete(Key(key), ref operation);
    }

    /// <summary>Copies a record to the tail, if it is its key's newest.</summary>
    public unsafe void Copy(long key, long above, long value)
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(2 * sizeof(long), pinned: true);
        BitConverter.TryWriteBytes(bytes, key);
        ulong hash = Key(key).Hash(runner.Session.Store.Tier.Seed);
        var name = new RecordKey((byte*)Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0), sizeof(long), hash);
        var copy = new ProbedOperations.Copy(above, BitConverter.GetBytes(value));
        _ = runner.Insert(name, hash, ref copy);
        GC.KeepAlive(bytes);
    }

    /// <inheritdoc cref="EntryRunner.CompactAsync"/>
    public Task CompactAsync(long until) => runner.CompactAsync(until);

    public void Dispose() => runner.Dispose();
}
