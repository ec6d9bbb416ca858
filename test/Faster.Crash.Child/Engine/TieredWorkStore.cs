using Faster.Contracts;
using Faster.Crash.Workloads;
using Faster.Engines.Tiered;
using Faster.LogSessions;
using Faster.Tiers;

namespace Faster.Crash.Engine;

/// <summary>
/// The tiered store as workloads use it. Its compactions move records between the tiers, and within the cold one.
/// </summary>
/// <param name="store">The store.</param>
/// <param name="bytes">Whether its keys and values are bytes, not numbers.</param>
/// <param name="pages">The pages of memory that each log may have.</param>
/// <param name="merges">Whether what is appended to bytes is merged.</param>
internal sealed class TieredWorkStore(TieredStore store, bool bytes, int pages, bool merges = false)
    : IWorkStore
{
    /// <summary>
    /// The options of a store that is so small that its tiers spill and its records move. Closing it does not commit:
    /// the schedule has all commits.
    /// </summary>
    public static readonly TieredOptions Small = new()
    {
        MemoryBudget = TieredOptions.MinMemoryBudget, ColdFraction = 0.5, PageSize = ByteSize.KiB(4),
        SegmentSize = ByteSize.KiB(64), ReadCacheFraction = 0, HotLogSize = ByteSize.KiB(64),
        ExpectedColdKeys = 1000, CommitOnDispose = false,
    };

    /// <summary>The pages of memory with which short runs spill.</summary>
    public const int FewPages = 6;

    private (bool Hot, bool Cold) _movedLarge;

    /// <inheritdoc/>
    public event Action<Commit>? Committed
    {
        add => store.Committed += value;
        remove => store.Committed -= value;
    }

    /// <inheritdoc/>
    public IReadOnlyList<CommitPoint>? Recovered => store.Recovery?.Sessions;

    /// <summary>Whether records have moved to the cold log, and within it, and hash chunks within their log.</summary>
    /// <inheritdoc/>
    public bool HasMoved => store.HotTruncation.Figures.RecordsCopied > 0
        && store.ColdTruncation.Figures.RecordsCopied > 0 && store.IndexCompactor.Runs > 0;

    /// <inheritdoc/>
    public string Moves => $"{store.HotTruncation.Figures.RecordsCopied} {store.ColdTruncation.Figures.RecordsCopied} "
        + $"{store.IndexCompactor.Runs}";

    /// <summary>The store's parts.</summary>
    public LogStoreCore Core => store.Core;

    /// <summary>How many records have left the hot log.</summary>
    public long Moved => store.HotTruncation.Figures.RecordsCopied;

    /// <summary>Whether such values have moved to the cold log, and within it.</summary>
    /// <inheritdoc/>
    public bool MovedLarge => _movedLarge.Hot && _movedLarge.Cold;

    /// <inheritdoc/>
    public IReadOnlyList<Commit> Scannable => store.Analytics.ScannableCommits;

    /// <summary>Opens the store of a folder, whatever is in it, with few pages of memory.</summary>
    /// <param name="path">The folder.</param>
    /// <param name="options">The options.</param>
    /// <param name="bytes">Whether its keys and values are bytes, not numbers.</param>
    public static async Task<TieredWorkStore> OpenAsync(string path, TieredOptions options, bool bytes)
    {
        TieredStore store = await TieredStore
            .OpenAsync(path, options, FasterWorkStore.SchemaOf(bytes), default).ConfigureAwait(false);
        var opened = new TieredWorkStore(store, bytes, FewPages);
        opened.Narrow();
        return opened;
    }

    /// <inheritdoc/>
    public IWorkSession Start(string? name)
    {
        HashSession session = store.StartSession(name);
        return FasterWorkStore.SessionOf(session, bytes, merges);
    }

    /// <inheritdoc/>
    public async Task<IReadOnlyList<CommitPoint>> CommitAsync(CommitKind kind, bool withIndex)
    {
        Narrow();
        return (await store.CommitAsync(kind, withIndex).ConfigureAwait(false)).Points;
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<(int Key, byte[] Value)> ScanAsync(Commit commit) =>
        store.Analytics.ScanAsync(new ScanOptions { AsOf = commit, TableMemory = ByteSize.KiB(64) }, Decode);

    /// <inheritdoc/>
    public Task CheckpointIndexAsync() => store.CheckpointIndexAsync();

    /// <inheritdoc/>
    public Task GrowAsync() => store.GrowIndexAsync();

    /// <inheritdoc/>
    public Task ShrinkAsync() => store.ShrinkIndexAsync();

    /// <summary>Moves the older half of the hot log, and compacts all whole pages of both cold logs.</summary>
    public async Task CompactAsync()
    {
        CompactionResult hot = await store.CompactHotAsync(Middle(store.Hot.PagedLog!)).ConfigureAwait(false);
        CompactionResult cold = await store.CompactColdAsync(store.Cold.Log.TailAddress).ConfigureAwait(false);
        _movedLarge = (_movedLarge.Hot || IsLarge(hot), _movedLarge.Cold || IsLarge(cold));
        Log.PagedLog chunks = store.ColdIndex.Log.Pages;
        await store.IndexCompactor.RunAsync(chunks.PageStartOf(chunks.TailAddress)).ConfigureAwait(false);
    }

    /// <summary>
    /// Takes fewer pages than the smallest budget has, so that short runs spill. Repeated, because the store takes more
    /// when it may.
    /// </summary>
    public void Narrow()
    {
        foreach (Tier tier in store.Core.Tiers)
            tier.Log.SetMemory((long)pages << store.Core.MemoryPlan.PageBits);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => store.DisposeAsync();

    // Records that each fit a page cannot make this many bytes.
    private bool IsLarge(CompactionResult moved) =>
        moved.BytesCopied > moved.RecordsCopied << store.Hot.PagedLog!.PageBits;

    /// <summary>The key and the value of a scanned record.</summary>
    internal static (int Key, byte[] Value) Decode(RecordView record) =>
        (BitConverter.ToInt32(record.Key), record.Value.ToArray()); // of a number the lower half

    private static long Middle(Log.PagedLog log) => (log.BeginAddress + log.TailAddress) / 2;
}
