using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.LogSessions;
using Faster.Operations;
using Faster.Tiers;

namespace Faster.Tests.Index.Entries;

/// <summary>
/// A session whose operations, of any store, are run by the algorithms that ship over a kind of entries; each call is
/// taken to its end.
/// </summary>
internal abstract class EntryRunner(FasterSession session) : IDisposable
{
    public FasterSession Session => session;

    /// <summary>A session of a store whose keys have that kind of entries.</summary>
    public static EntryRunner Of<TEntries>(FasterStore store, string? name)
        where TEntries : struct, IEntryAccess<TEntries> => new Typed<TEntries>(store.StartSession(name));

    public abstract Status Read<TKey, TOperation>(TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IReadOperation;

    public abstract Status Upsert<TKey, TOperation>(TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IUpsertOperation;

    public abstract Status Rmw<TKey, TOperation>(TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IRmwOperation;

    public abstract Status Delete<TKey, TOperation>(TKey key, ref TOperation operation)
        where TKey : struct, IKey, allows ref struct
        where TOperation : struct, IDeleteOperation;

    /// <summary>Inserts a copy of a record at the tail, if it is its key's newest.</summary>
    public abstract Status Insert<TOperation>(in RecordKey key, ulong hash, ref TOperation operation)
        where TOperation : struct, IConditionalInsert;

    /// <summary>Compacts the log up to the start of a page, by threads of its own.</summary>
    public abstract Task CompactAsync(long until);

    public void Dispose() => session.Dispose();

    private sealed class Typed<TEntries>(FasterSession session) : EntryRunner(session)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        public override Status Read<TKey, TOperation>(TKey key, ref TOperation operation) =>
            Run<ReadAlgorithm<TEntries, TOperation>, TKey, TOperation>(key, ref operation);

        public override Status Upsert<TKey, TOperation>(TKey key, ref TOperation operation) =>
            Run<UpsertAlgorithm<TEntries, TOperation>, TKey, TOperation>(key, ref operation);

        public override Status Rmw<TKey, TOperation>(TKey key, ref TOperation operation) =>
            Run<RmwAlgorithm<TEntries, TOperation>, TKey, TOperation>(key, ref operation);

        public override Status Delete<TKey, TOperation>(TKey key, ref TOperation operation) =>
            Run<DeleteAlgorithm<TEntries, TOperation>, TKey, TOperation>(key, ref operation);

        public override Status Insert<TOperation>(in RecordKey key, ulong hash, ref TOperation operation)
        {
            Status status = CompactionInsert.Run<
                ConditionalInsertAlgorithm<TEntries, TOperation>, TOperation>(
                Session.Runner, key, hash, ref operation);
            if (status == Status.Pending) Complete();
            return status;
        }

        public override async Task CompactAsync(long until)
        {
            LogTruncation truncation = Session.Store.Reclamation!.Truncation;
            await truncation.Steps.ShiftReadOnlyAsync(until);
            Tier tier = Session.Store.Tier;
            CopyRoute route = CopyRoute.Of(truncation, tier, tier) with { Threads = 2 };
            var copier = new LiveRecordCopier(route, DirectCopy.Of<TEntries>(tier, lookupBytes: 0));
            await Task.Run(() => copier.Run(Session.Store.Log.BeginAddress, until, long.MaxValue));
            await truncation.TruncateAsync(until);
        }

        private Status Run<TAlgorithm, TKey, TOperation>(TKey key, ref TOperation operation)
            where TAlgorithm : struct, IAlgorithm<TOperation>
            where TKey : struct, IKey, allows ref struct
            where TOperation : struct, IOperation
        {
            OperationRunner runner = Session.Runner;
            ulong hash = key.Hash(Session.Store.Tier.Seed);
            Outcome outcome = runner.TryOnce<TAlgorithm, TKey, TOperation>(key, hash, ref operation, null);
            Status status = runner.RetryUntilDone<TAlgorithm, TKey, TOperation>(key, hash, ref operation, outcome);
            if (status == Status.Pending) Complete();
            return status;
        }

        private void Complete() => Assert.True(Session.CompletePending(wait: true));
    }
}
