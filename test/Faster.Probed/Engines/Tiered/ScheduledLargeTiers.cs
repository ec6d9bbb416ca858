using System.Buffers;
using Faster.Compaction.Batches;
using Faster.Compaction.Copying;
using Faster.Compaction.Truncation;
using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.HashChunks;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Operations;
using Faster.Operations.Large;
using Faster.Stores;
using Faster.Tests.LogCommits;
using Faster.Tests.Operations;
using Faster.Tests.Scheduling;
using Faster.Tiers;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// A tiered store of varying values under a controlled scheduler, whose compactions are those that ship, in the order
/// of steps that ships.
/// </summary>
/// <remarks>As <see cref="ScheduledTiers"/>.</remarks>
internal sealed class ScheduledLargeTiers : IDisposable
{
    /// <summary>The size of a page of both logs.</summary>
    public const int Page = 1 << ScheduledHost.PageBits;

    /// <summary>The length of a value in two fragments.</summary>
    public const int Large = 6000;

    private readonly ScheduledTiers _tiers;
    private readonly CopyBatches _batches;

    public ScheduledLargeTiers(int clients)
    {
        _tiers = new ScheduledTiers(clients, schema: new RecordSchema(8, 8, 0, "key", "number"));
        _batches = new CopyBatches(
            2, () => new CopyBatch(CopyBatchShape.For(0, ScheduledHost.PageBits), Store.ColdIndex.BeginSweep()));
    }

    public TieredStore Store => _tiers.Store;

    public Tier Hot => Store.Hot;

    public Tier Cold => Store.Cold;

    public void Put(int client, long key, long number, int length = 16)
    {
        var operation = new ProbedOperations.Put<VaryingShape>(number, length);
        Finish(client, _tiers.SessionOf(client).Upsert(KeyOf(key), ref operation));
    }

    public void Add(int client, long key, long amount, int length)
    {
        var operation = new ProbedOperations.Add<VaryingShape>(amount, length);
        Finish(client, _tiers.SessionOf(client).Rmw(KeyOf(key), ref operation));
    }

    public void Remove(int client, long key)
    {
        var operation = default(ProbedOperations.Remove<VaryingShape>);
        Finish(client, _tiers.SessionOf(client).Delete(KeyOf(key), ref operation));
    }

    public long? Get(int client, long key)
    {
        var told = new Look();
        var operation = new ProbedOperations.Get<VaryingShape> { Told = told };
        Status status = _tiers.SessionOf(client).Read(KeyOf(key), ref operation);
        if (status != Status.Pending) return status == Status.Ok ? operation.Value : null;
        Finish(client, status);
        return told.Status == Status.Ok ? told.Value : null;
    }

    /// <summary>Writes the fragments of a large value, for a record that is linked later.</summary>
    public LargeWrite Prepare(long key, long number)
    {
        byte[] value = new byte[Large];
        ProbedValue.Write(value, number);
        var write = new LargeWrite(new ReadOnlySequence<byte>(value));
        write.Write(Hot, KeyOf(key).Hash(Hot.Seed));
        return write;
    }

    /// <summary>Links a record to a value whose fragments have been written, or writes them again.</summary>
    public void PutPrepared(int client, long key, LargeWrite prepared)
    {
        var operation = new ProbedOperations.Put<VaryingShape>(0, Large); // too long for a record that is there
        Finish(client, _tiers.SessionOf(client).Runner.RetryUntilDone<
            UpsertAlgorithm<HashEntries, ProbedOperations.Put<VaryingShape>>,
            UnmanagedKey<long>, ProbedOperations.Put<VaryingShape>>(
            KeyOf(key), KeyOf(key).Hash(Hot.Seed), ref operation, Faster.Contracts.Outcome.Oversized, prepared));
    }

    /// <summary>Fills the hot log with records of other keys up to an address.</summary>
    public void Push(long until)
    {
        for (long key = 1000; Hot.Log.TailAddress < until; key++) Put(0, key, key, 1024);
    }

    /// <summary>Hot-cold compaction of the log below a page's start; its space is given back.</summary>
    public void MoveHot(long until)
    {
        Store.Moved.Begin(until);
        Compact(Store.HotLog, Hot, new HotColdStages(), until);
    }

    /// <summary>Cold-cold compaction of the log below a page's start; its space is given back.</summary>
    public void CompactCold(long until) =>
        Compact(Store.ColdLog, Cold, new ColdColdStages(Hot, Store.Moved), until);

    /// <summary>Sends what lies in a log below the last page's start to disk. Before the threads start.</summary>
    public void SendToDisk(Tier tier) => _tiers.SendToDisk(tier, tier.PagedLog!.PageStartOf(tier.Log.TailAddress));

    public void Dispose()
    {
        _batches.Dispose();
        _tiers.Dispose();
    }

    private static UnmanagedKey<long> KeyOf(long key) => new(key);

    private void Compact(TierLog log, Tier tier, IBatchStages stages, long until)
    {
        PagedLog pages = tier.PagedLog!;
        TruncationSteps steps = _tiers.StepsOf(tier);
        if (until <= pages.BeginAddress) return;
        ScheduledWaits.Run(steps.ShiftReadOnlyAsync(until));
        var route = new CopyRoute(tier, Cold, steps, log.Truncation.Liveness, static () => false)
        {
            Pause = Store.Copies,
        };
        var copier = new LiveRecordCopier(route, new BatchedCopy(_batches, stages));
        _ = copier.Run(pages.BeginAddress, until, long.MaxValue);
        ScheduledWaits.Run(steps.RunAsync(until, address => _tiers.FlushedAsync(tier, address)));
        log.Space.Release(until);
    }

    private void Finish(int client, Status status)
    {
        if (status == Status.Pending) _ = _tiers.SessionOf(client).CompletePending(wait: true);
    }
}
