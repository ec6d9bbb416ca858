using System.Runtime.InteropServices;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Index.Entries;
using Faster.Store;
using Faster.Store.Operations;
using Faster.Tests.Store.Operations;
using static Faster.Tests.Store.Operations.CounterOperations;
using Result = Faster.Tests.Store.Operations.CounterOperations.Outcome;

namespace Faster.Tests.Index.Entries;

/// <summary>
/// A session whose operations, those of <see cref="CounterOperations"/>, are run by the algorithms that ship over a
/// kind of entries; each call is taken to its end.
/// </summary>
internal abstract class EntryClient<TProbe>(FasterSession<TProbe> session) : IDisposable
    where TProbe : struct, IProbe
{
    /// <summary>A client of a store whose keys have that kind of entries.</summary>
    public static EntryClient<TProbe> Of<TEntries>(FasterStore<TProbe> store)
        where TEntries : struct, IEntryAccess<TEntries> => new Typed<TEntries>(store.StartSession());

    protected FasterSession<TProbe> Session => session;

    public abstract long? Get(long key);

    public abstract void Put(long key, long value);

    public abstract void AddTo(long key, long amount);

    public abstract Status Remove(long key);

    /// <summary>Copies a record to the tail, if it is its key's newest.</summary>
    public abstract void Copy(long key, long above, long value);

    /// <summary>Compacts the log up to the start of a page, by threads of its own.</summary>
    public abstract Task CompactAsync(long until);

    public void Dispose() => session.Dispose();

    private sealed class Typed<TEntries>(FasterSession<TProbe> session) : EntryClient<TProbe>(session)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        public override long? Get(long key)
        {
            var result = new Result();
            var operation = new Read(result);
            Status status = Run<ReadAlgorithm<TProbe, TEntries, Read>, Read>(key, ref operation);
            if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
            Assert.Null(result.Error);
            return result.Status == Status.Ok ? result.Value : null;
        }

        public override void Put(long key, long value)
        {
            var operation = new Upsert(value);
            _ = Run<UpsertAlgorithm<TProbe, TEntries, Upsert>, Upsert>(key, ref operation);
        }

        public override void AddTo(long key, long amount)
        {
            var operation = new Add(amount, null);
            _ = Run<RmwAlgorithm<TProbe, TEntries, Add>, Add>(key, ref operation);
        }

        public override Status Remove(long key)
        {
            var operation = default(Delete);
            return Run<DeleteAlgorithm<TProbe, TEntries, Delete>, Delete>(key, ref operation);
        }

        public override unsafe void Copy(long key, long above, long value)
        {
            byte[] bytes = GC.AllocateUninitializedArray<byte>(2 * sizeof(long), pinned: true);
            BitConverter.TryWriteBytes(bytes, key);
            ulong hash = HashOf(key);
            var name = new RecordKey((byte*)Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0), sizeof(long), hash);
            var copy = new ProbedOperations.Copy(above, BitConverter.GetBytes(value));
            Status status = CompactionInsert<TProbe>.Run<
                ConditionalInsertAlgorithm<TProbe, TEntries, ProbedOperations.Copy>, ProbedOperations.Copy>(
                Session.Runner, name, hash, ref copy);
            if (status == Status.Pending) Complete();
            GC.KeepAlive(bytes);
        }

        public override async Task CompactAsync(long until)
        {
            LogTruncation<TProbe> truncation = Session.Store.Reclamation!.Truncation;
            await truncation.Steps.ShiftReadOnlyAsync(until);
            var copier = new LiveRecordCopier<TProbe, TEntries, TEntries>(
                Session.Store.Tier, Session.Store.Tier, truncation.Liveness, truncation.Steps, threads: 2,
                static () => false);
            await Task.Run(() => copier.Run(Session.Store.Log.BeginAddress, until));
            await truncation.TruncateAsync(until);
        }

        private ulong HashOf(long key) => Key(key).Hash(Session.Store.Tier.Seed);

        private Status Run<TAlgorithm, TOperation>(long key, ref TOperation operation)
            where TAlgorithm : struct, IAlgorithm<TProbe, TOperation>
            where TOperation : struct, IOperation
        {
            OperationRunner<TProbe> runner = Session.Runner;
            ulong hash = HashOf(key);
            Faster.Store.Operations.Outcome outcome = runner.TryOnce<TAlgorithm, UnmanagedKey<long>, TOperation>(
                Key(key), hash, ref operation, null);
            Status status = runner.RetryUntilDone<TAlgorithm, UnmanagedKey<long>, TOperation>(
                Key(key), hash, ref operation, outcome);
            if (status == Status.Pending) Complete();
            return status;
        }

        private void Complete() => Assert.True(Session.CompletePending(wait: true));
    }
}
