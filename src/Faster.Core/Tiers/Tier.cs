using Faster.Caching;
using Faster.Contracts;
using Faster.Devices;
using Faster.Expiry;
using Faster.Index;
using Faster.Index.Entries;
using Faster.Log;
using Faster.Log.InMemory;
using Faster.Log.Reads;
using Faster.Log.Records;
using Faster.Opening;

namespace Faster.Tiers;

/// <summary>
/// A hash index and the log that its entries lead to, with all that belongs to them: the log's storage, its flusher and
/// reader, and the read cache in front of its chains. FASTER has one tier, F2 two (paper 003 §4).
/// </summary>
/// <remarks>
/// Code that works on records takes a tier rather than a store: attempts, pending operations, conditional inserts,
/// compaction from one tier into another. Thread-safe as far as its parts are.
/// </remarks>
internal sealed class Tier
{
    /// <summary>Creates an empty tier, which has no I/O thread yet.</summary>
    public Tier(StoreCore core, StorePlan plan)
    {
        Core = core;
        (Schema, Seed) = (plan.Metadata.Schema, plan.Metadata.Seed);
        Index = new HashIndex(core.Epochs, plan.Plan.Buckets, BeginAddress);
        Entries = plan.EntryIndex?.Make(core.Epochs, BeginAddress) ?? Index;
        long recordBytes = plan.Plan.RecordBytes(Index.Bytes);
        if (plan.Options.Allocator == RecordAllocatorKind.InMemory)
        {
            Log = new InMemoryAllocator(core.Epochs, Schema, Seed, plan.Plan.Budget, recordBytes, plan.FreeBatch);
            Sweep = new ExpirySweep(Index, Log, core.Clock);
            Memory = new RecordMemory(plan.Plan, this);
        }
        else
        {
            DeviceOfCaller = plan.Options.Device;
            Storage = plan.OpenStorage();
            Flusher = new PageFlusher(Storage, plan.Plan.FlushPart, plan.Plan.FlushParts);
            Log = PagedLog = plan.MakeLog(core.Epochs, Flusher, recordBytes);
            Memory = new RecordMemory(plan.Plan, this);
            Reader = new LogReader(
                Storage, Log.Layout, plan.Plan.ReadBuffers, core.OnFault, plan.Plan.PendingBytes);
        }

        core.Add(this);

        long BeginAddress() => Log!.BeginAddress;
    }

    /// <summary>
    /// The tier with older records: its record of a key counts where this tier has none (003 §5.3). Null for the last
    /// tier. Set before the first session.
    /// </summary>
    public Tier? Below { get; set; }

    /// <summary>What the tier shares with the other tiers of its store.</summary>
    public StoreCore Core { get; }

    /// <summary>The tier's hash index.</summary>
    public HashIndex Index { get; }

    /// <summary>
    /// The index that the keys' entries lie in, which the algorithms' type parameter must fit
    /// (<see cref="IEntryAccess{TSelf}"/>): <see cref="Index"/>, unless the tier's plan has another one.
    /// </summary>
    public ITierIndex Entries { get; }

    /// <summary>The log or the in-memory allocator that holds the tier's records.</summary>
    public RecordAllocator Log { get; }

    /// <summary>The log with pages; null for a store in memory only.</summary>
    public PagedLog? PagedLog { get; }

    /// <summary>The log on its device; null for a store in memory only.</summary>
    public LogStorage? Storage { get; }

    /// <summary>The device that the store's options name; null if the tier opens one.</summary>
    public Device? DeviceOfCaller { get; }

    /// <summary>Writes the log's pages to the device; null for a store in memory only.</summary>
    public PageFlusher? Flusher { get; }

    /// <summary>Reads records from the device; null for a store in memory only.</summary>
    public LogReader? Reader { get; }

    /// <summary>
    /// Polls the device and continues operations; null for a store in memory only. Set before the first session.
    /// </summary>
    public IIOThread? IO { get; set; }

    /// <summary>Divides the memory for records between the log and the read cache.</summary>
    public RecordMemory Memory { get; }

    /// <summary>The read cache; null when there is none.</summary>
    public ReadCache? Cache => Memory.Cache;

    /// <summary>The schema of the records, with their merger.</summary>
    public RecordSchema Schema { get; }

    /// <summary>The positions of key, expiry and value within a record.</summary>
    public RecordLayout Layout => Log.Layout;

    /// <summary>The seed of the keys' hashes.</summary>
    public HashSeed Seed { get; }

    /// <summary>Takes expired records out of chains; null unless the store is in memory only.</summary>
    public ExpirySweep? Sweep { get; }

    /// <summary>The sessions' shared hints about chains with many deltas.</summary>
    public CollapseHints Merges { get; } = new();

    /// <summary>Whether an operation can park until there is space, instead of blocking a thread.</summary>
    public bool CanPark => PagedLog is not null;

    /// <summary>Throws if the log can't be written, after one more attempt to write it; blocks for that.</summary>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public void ThrowIfLogFailed() => Flusher?.ThrowIfFailedAgain();

    /// <inheritdoc cref="ThrowIfLogFailed"/>
    public Task ThrowIfLogFailedAsync(CancellationToken ct) =>
        Flusher?.ThrowIfFailedAgainAsync(ct) ?? Task.CompletedTask;

    /// <summary>
    /// Whether the tier may hold a record of a hash; the disk is not searched. Called under the caller's epoch.
    /// </summary>
    public bool MayHold(ulong hash)
    {
        Outcome located = Entries.FindChain(hash, out long address);
        return located != Outcome.NotFound && (located != Outcome.Ok || address >= Log.BeginAddress);
    }

    /// <summary>
    /// Throws if the last write of the log failed; makes no further attempt. Called on the I/O thread.
    /// </summary>
    /// <exception cref="StorageException">The last write failed.</exception>
    public void ThrowIfLogHasFailed() => Flusher?.ThrowIfFailed();

    /// <summary>
    /// Touches the memory of the index and of what the log has for records even when the index has grown to its limit,
    /// and the read cache to its own.
    /// </summary>
    /// <param name="plan">The tier's plan.</param>
    /// <param name="mayCache">Whether records are on disk, which the read cache may copy at once.</param>
    public void PopulateMemory(MemoryPlan plan, bool mayCache)
    {
        Index.State.Table.Populate();
        long bytes = plan.RecordBytes(plan.IndexLimit);
        if (mayCache) bytes -= plan.CacheBytes(bytes);
        Log.Populate(bytes);
    }

    /// <summary>Frees the tier's memory. No thread may use the tier any more.</summary>
    public void FreeMemory()
    {
        Index.Dispose();
        Log.Dispose();
        Cache?.Dispose();
        Flusher?.Dispose();
        Reader?.Dispose();
    }
}
