using System.ComponentModel;
using Faster.Analytics;
using Faster.Contracts;
using Faster.Engines.HotRing.Hotspots;
using Faster.Engines.HotRing.Rehash;
using Faster.Engines.HotRing.Rings;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log.InMemory;
using Faster.Probes;
using Faster.Sessions;
using Faster.Stores;
using Faster.Threads;

namespace Faster.Engines.HotRing;

/// <summary>
/// The HotRing store (paper 002): an index of rings in memory. Emitted code derives the store type with the user's key
/// and value types from <see cref="HotRingStore{TSession, TRecord}"/>.
/// </summary>
/// <remarks>Thread-safe. Operations go through sessions; a store may have any number of them.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public unsafe class HotRingStore : EngineStore
{
    private const int FreeBatch = 128;

    private readonly Lock _lock = new();
    private readonly StoreClosing _closing;
    private readonly FreeLists _rehashLists = new();
    private readonly SlotLease _rehashSlot;
    private Thread? _rehashThread;
    private Exception? _lastFault;
    private bool _isIndexAtLimit;
    private readonly SessionFigures _ended = new();

    internal HotRingStore(HotRingOptions options, RecordSchema schema)
    {
        Options = options;
        Schema = schema;
        Analytics = new CopyingScans<HotRingSession>(schema, "HotRing", StartSession);
        Layout = new ItemLayout(schema);
        Epochs = new EpochTable(OnFault);
        Sessions = new SessionRegistry();
        _closing = new StoreClosing(Epochs, Sessions, options.CloseTimeout, OnFault);
        long budget = options.MemoryBudget.Bytes;
        int bits = RingTable.BitsFor(options.Buckets != 0 ? options.Buckets : options.ExpectedKeys);
        if (RingTable.BytesOf(bits) > budget / 2)
        {
            throw new StoreOpenException(
                $"An index of {1L << bits:N0} rings takes {new ByteSize(RingTable.BytesOf(bits))}, more than half of "
                + $"HotRingOptions.MemoryBudget, {options.MemoryBudget}. Raise the budget, or lower Buckets or "
                + "ExpectedKeys.");
        }

        Index = new RingIndex(Epochs, bits);
        Accesses = new AccessAverage(options.MaxAccesses, options.HotspotInterval);
        Arena = new RecordArena(
            Epochs, budget, budget - RingTable.BytesOf(bits), FreeBatch, hasReserve: Layout.ReplacesValues, Full);
        if (options.PopulateMemory)
        {
            Index.State.Table.Populate();
            Arena.Populate(budget / 2); // the index may grow to the other half
        }

        _rehashSlot = Epochs.Lease("the store's rehash thread");
    }

    /// <inheritdoc/>
    public override HotRingOptions Options { get; }

    /// <inheritdoc/>
    public override HotRingStatistics Statistics
    {
        get
        {
            _closing.ThrowIfUnusable();
            SessionFigures all = AllFigures();
            return new HotRingStatistics
            {
                Records = all.Records,
                Buckets = 1L << Index.Bits,
                IndexMemory = new ByteSize(RingTable.BytesOf(Index.Bits)),
                RecordMemory = new ByteSize(Arena.BytesTaken),
                FreeMemory = new ByteSize(Math.Max(0, Arena.Limit - Arena.BytesTaken)),
                AccessesPerOperation = all.Operations == 0 ? 0 : (double)all.Accesses / all.Operations,
                SampledOperations = all.Operations,
                HeadMoves = all.Moves,
                SamplingRounds = all.Rounds,
                Rehashes = Index.Rehashes,
                IsRehashing = Index.IsRehashing,
                IndexAtLimit = Volatile.Read(ref _isIndexAtLimit),
                MemoryBytes = RingTable.BytesOf(Index.Bits) + Arena.BytesTaken,
                Sessions = Sessions.Count,
                StalledBy = Epochs.StalledBy,
                LastFault = LastFault,
            };
        }
    }

    /// <summary>Scans, export and import.</summary>
    internal override CopyingScans<HotRingSession> Analytics { get; }

    internal RecordSchema Schema { get; }

    internal EpochTable Epochs { get; }

    internal SessionRegistry Sessions { get; }

    internal RingIndex Index { get; }

    internal RecordArena Arena { get; }

    internal AccessAverage Accesses { get; }

    /// <summary>How long an operation waits for memory that others hold. Tests shorten it.</summary>
    internal TimeSpan StallLimit { get; set; } = WaitClock.StallLimit;

    /// <summary>Starts the thread of a rehash. Tests let it fail.</summary>
    internal Action<Thread> StartThread { get; set; } = static thread => thread.Start();

    internal ItemLayout Layout { get; }

    internal HashSeed Seed { get; } = HashSeed.Random();

    internal bool IsClosing => _closing.HasBegun;

    /// <inheritdoc cref="HotRingEngine.OpenAsync"/>
    internal static ValueTask<HotRingStore> OpenAsync(
        HotRingOptions options, RecordSchema schema, CancellationToken cancellationToken) =>
        HotRingEngine.OpenAsync(
            options, schema, static start => new HotRingStore(start.Options, start.Schema), cancellationToken);

    internal HotRingSession StartSession() =>
        (HotRingSession?)_closing.TryRenew() ?? _closing.Start(null, mustBeKnown: false, MakeSession);

    /// <summary>Takes over what a session that has ended leaves.</summary>
    internal void Adopt(HotRingSession session)
    {
        Arena.Adopt(session.Work.Lists);
        session.Work.EndCounting();
        lock (_ended) session.AddFiguresTo(_ended);
    }

    /// <summary>
    /// Doubles the index in the background, if the budget allows it and the system has a thread for it; if not, the
    /// next window of long searches tries again.
    /// </summary>
    internal void RequestRehash()
    {
        Accesses.Restart();
        lock (_lock)
        {
            // Closing takes the lock after it has begun, before it frees the index.
            if (_closing.HasBegun || !TryBeginRehash()) return;
            try
            {
                var thread = new Thread(Rehash) { IsBackground = true, Name = "HotRing rehash" };
                StartThread(thread);
                _rehashThread = thread;
            }
            catch (Exception e)
            {
                OnFault(new LimitExceededException(
                    "The system has refused the thread that doubles the index of a HotRing store, so lookups stay "
                    + "slow. It is tried again. Raise the limit of threads of the process or its user.", e));
                EndRehash();
            }
        }
    }

    /// <summary>Takes the right and the memory to double the index.</summary>
    internal bool TryBeginRehash()
    {
        if (!Index.TryBegin()) return false;
        int bits = Index.Bits + 1;
        long budget = Options.MemoryBudget.Bytes;
        bool fits = bits <= RingTable.MaxBits && RingTable.BytesOf(bits) <= budget / 2
            && Arena.BytesTaken + Index.BytesWhileGrowingTo(bits) <= budget;
        Volatile.Write(ref _isIndexAtLimit, !fits);
        if (fits) Arena.SetLimit(LimitWhileRehashing);
        else Index.End();
        return fits;
    }

    /// <summary>Doubles the index, on the calling thread, which has begun it.</summary>
    internal void Rehash()
    {
        try
        {
            long limit = LimitWhileRehashing;
            EpochSlot* slot = _rehashSlot.Slot;
            Index.Rehash(new RingEditor(Arena, _rehashLists, Layout, slot->Index + 1), slot);
            Invariant.Check(Arena.Limit == limit, $"a rehash alone sets the limit: {Arena.Limit}, not {limit}");
        }
        catch (LimitExceededException e)
        {
            OnFault(e); // nothing has changed
        }
        catch (Exception e)
        {
            OnFault(e); // rings may be split in part: no rehash begins any more
            return;
        }

        EndRehash();
    }

    /// <summary>Makes a session.</summary>
    private protected virtual HotRingSession MakeSession(SessionEntry entry) => new(this, entry);

    // What is left to records while the next rehash runs.
    private long LimitWhileRehashing => Options.MemoryBudget.Bytes - Index.BytesWhileGrowingTo(Index.Bits + 1);

    // The right is given back last: until then no other rehash uses the lists, or sets a limit of its own.
    private void EndRehash()
    {
        if (Probe.On && Probe.Has(SeededBug.RehashEndsEarly)) Index.End();
        Probe.Point(ProbePoint.RingSwap);
        Arena.SetLimit(Options.MemoryBudget.Bytes - RingTable.BytesOf(Index.Bits));
        Arena.Adopt(_rehashLists);
        Accesses.Restart(); // what was counted is of the rings before
        if (!(Probe.On && Probe.Has(SeededBug.RehashEndsEarly))) Index.End();
    }

    // A session that ends meanwhile may be counted once too often or not at all.
    private SessionFigures AllFigures()
    {
        var all = new SessionFigures();
        lock (_ended) all.Add(_ended);
        foreach (SessionCore session in Sessions.Open) ((HotRingSession)session).AddFiguresTo(all);
        return all;
    }

    private protected override Task CloseAsync(bool blocks) =>
        _closing.RunAsync(blocks, [JoinRehash], parts: [FreeMemory]);

    private void JoinRehash()
    {
        Thread? thread;
        lock (_lock) thread = _rehashThread;
        thread?.Join();
    }

    // If a session is still inside an epoch, the memory is leaked rather than freed under it.
    private void FreeMemory()
    {
        if (!_closing.TryDrain()) return;
        _closing.CloseAll([Index.Dispose, Arena.Dispose]);
    }

    /// <summary>The last fault, also of a store that was closed.</summary>
    internal Exception? LastFault => Volatile.Read(ref _lastFault);

    private void OnFault(Exception fault) => Volatile.Write(ref _lastFault, fault);

    private LimitExceededException Full(ByteSize limit) => new(
        $"The records have used up their memory of {limit}, which is HotRingOptions.MemoryBudget of "
        + $"{Options.MemoryBudget} without the index. Raise it, delete keys, or choose the engine FASTER, which spills "
        + "to disk.");
}
