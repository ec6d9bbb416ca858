using System.Collections.Concurrent;
using Faster.Checkpoints;
using Faster.Contracts;
using Faster.Devices;
using Faster.Epochs;
using Faster.Index;
using Faster.Log;

namespace Faster;

/// <summary>
/// The FASTER store (paper 000): a latch-free hash index over a record allocator. The generator wraps it in a store
/// type with the user's own key and value types.
/// </summary>
/// <remarks>
/// Thread-safe, but for disposal, which must be the last call. Operations are issued through sessions, of which there
/// may be any number.
/// </remarks>
/// <typeparam name="TProbe">The probe of a test, or <see cref="NoProbe"/>.</typeparam>
public sealed class FasterStore<TProbe> : IAsyncDisposable, IDisposable
    where TProbe : struct, IProbe
{
    private static readonly TimeSpan StallThreshold = TimeSpan.FromSeconds(1);

    private readonly StoreFiles? _files;
    private readonly PageFlusher<TProbe>? _flusher;
    private readonly PagedLog<TProbe>? _pagedLog;
    private readonly IndexGrower<TProbe> _grower;
    private readonly ConcurrentDictionary<FasterSession<TProbe>, bool> _sessions = new();
    private readonly ConcurrentDictionary<string, bool> _names = new(StringComparer.Ordinal);
    private readonly LogStorage? _storage;
    private Exception? _lastFault;
    private int _disposed;

    private FasterStore(StoreOptions options, StoreMetadata metadata, StoreFiles? files, MemoryPlan plan)
    {
        RecordSchema schema = metadata.Schema;
        Options = options;
        _files = files;
        Seed = metadata.Seed;
        Plan = plan;
        Epochs = new EpochTable<TProbe>(OnFault);
        Index = new HashIndex<TProbe>(Epochs, plan.Buckets) { ByteLimit = plan.IndexLimit };
        long recordBytes = plan.RecordBytes(Index.Bytes);
        if (options.Allocator == RecordAllocatorKind.InMemory)
        {
            Log = new InMemoryAllocator<TProbe>(Epochs, schema, Seed, plan.Budget, recordBytes);
        }
        else
        {
            var geometry = new BlockGeometry(plan.PageBits);
            var seal = new BlockSeal(metadata.Identity, Incarnation: 1);
            Device device = options.Device ?? files?.OpenLog(metadata.SegmentBytes, options.UnbufferedIO)
                ?? new MemoryDevice();
            _storage = new LogStorage(device, geometry, seal);
            _flusher = new PageFlusher<TProbe>(_storage, plan.FlushPart, plan.FlushParts);
            var shape = new LogShape(
                schema, Seed, plan.PageBits, (int)Math.Min(recordBytes >> plan.PageBits, int.MaxValue / 2),
                options.MutableFraction);
            _pagedLog = options.Allocator == RecordAllocatorKind.Hybrid
                ? new HybridLog<TProbe>(Epochs, _flusher, shape)
                : new AppendOnlyLog<TProbe>(Epochs, _flusher, shape);
            Log = _pagedLog;
            _flusher.Attach(_pagedLog);
            Reader = new LogReader(_storage, Log.Layout, plan.ReadBuffers);
            Pump = new IoPump<TProbe>(device, _flusher, OnFault);
            Pump.Helper = new FasterSession<TProbe>(this, "the store's I/O thread");
        }

        _grower = new IndexGrower<TProbe>(this, plan);
        Index.Extended = () => _ = Task.Run(_grower.FitLog);
        Index.Crowded = () => _ = Task.Run(_grower.GrowWhileCrowdedAsync);
        Pump?.Start();
    }

    /// <summary>The options that the store was opened with.</summary>
    public StoreOptions Options { get; }

    /// <summary>What the store holds and has done.</summary>
    public StoreStatistics Statistics => new()
    {
        BeginAddress = Log.BeginAddress,
        HeadAddress = Log.HeadAddress,
        ReadOnlyAddress = Log.ReadOnlyAddress,
        TailAddress = Log.TailAddress,
        LogBytesInMemory = Log.BytesInMemory,
        LogBytesOnDisk = Log.Splices ? 0 : Math.Max(Log.HeadAddress - Log.BeginAddress, 0),
        IndexBytes = Index.Bytes,
        IndexBuckets = Index.BucketCount,
        IndexOverflowBuckets = Index.OverflowBuckets,
        IndexGrowths = _grower.Growths,
        IndexAtLimit = _grower.AtLimit,
        DiskReads = _storage?.Reads ?? 0,
        BytesRead = _storage?.BytesRead ?? 0,
        BytesWritten = _storage?.BytesWritten ?? 0,
        Sessions = _sessions.Count,
        StalledBy = Epochs.LongestHolder(out TimeSpan held) is { } holder && held > StallThreshold ? holder : null,
        LastFault = Volatile.Read(ref _lastFault),
    };

    internal EpochTable<TProbe> Epochs { get; }

    internal HashIndex<TProbe> Index { get; }

    internal RecordAllocator<TProbe> Log { get; }

    internal HashSeed Seed { get; }

    internal MemoryPlan Plan { get; }

    internal LogReader Reader { get; } = null!;

    internal IoPump<TProbe> Pump { get; } = null!;

    internal LogStorage? Storage => _storage;

    /// <summary>Whether an operation can wait for room without blocking a thread.</summary>
    internal bool CanPark => _pagedLog is not null;

    /// <summary>Opens a store.</summary>
    /// <param name="path">
    /// Its folder; null for a store that keeps everything in memory, its log on a memory device.
    /// </param>
    /// <param name="options">How.</param>
    /// <param name="schema">The shape of its records.</param>
    /// <param name="ct">Cancels the opening.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of range.</exception>
    /// <exception cref="StoreOpenException">The folder can't be used; the message says why.</exception>
    /// <exception cref="DamagedDataException">What lies in the folder can't be trusted.</exception>
    public static async ValueTask<FasterStore<TProbe>> OpenAsync(
        string? path, StoreOptions options, RecordSchema schema, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(options);
        MemoryPlan plan = MemoryPlan.For(options);
        return await Task.Run(
            () =>
            {
                bool needsFolder = path is not null && options.Allocator != RecordAllocatorKind.InMemory;
                StoreFiles? files = needsFolder ? FolderFiles.OpenFolder(path!, options.UnbufferedIO) : null;
                try
                {
                    StoreMetadata? metadata = files is null ? null : StoreMetadata.TryRead(files);
                    if (metadata is not null)
                    {
                        options = metadata.Apply(files!.Name, schema, options);
                        plan = MemoryPlan.For(options);
                        CommitCatalog.BeginEmpty(files);
                    }
                    else
                    {
                        metadata = StoreMetadata.New(schema, plan.PageBits, options.SegmentSize);
                        if (files is not null) CommitCatalog.BeginEmpty(files);
                        if (files is not null) metadata.Publish(files);
                    }

                    return new FasterStore<TProbe>(options, metadata, files, plan);
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException or StorageException)
                {
                    files?.Dispose();
                    throw new StoreOpenException(
                        $"The store in '{path}' can't be opened: {e.Message} Mend the folder, or open another one.", e);
                }
                catch
                {
                    files?.Dispose();
                    throw;
                }
            },
            ct).ConfigureAwait(false);
    }

    /// <summary>Starts a session.</summary>
    /// <param name="name">A name that no open session has, or null.</param>
    /// <exception cref="SessionMisuseException">The name is in use.</exception>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public FasterSession<TProbe> StartSession(string? name = null)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
        if (name is not null && !_names.TryAdd(name, true))
        {
            throw new SessionMisuseException(
                $"Session '{name}' is open already. Dispose of it first, or choose another name.");
        }

        var session = new FasterSession<TProbe>(this, name);
        _sessions[session] = true;
        return session;
    }

    /// <summary>Doubles the index now, while operations run, instead of waiting until it is crowded.</summary>
    /// <param name="ct">Ends the waiting, not the growth.</param>
    /// <exception cref="LimitExceededException">The index would exceed half of the memory budget.</exception>
    public async Task GrowIndexAsync(CancellationToken ct = default)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
        if (await _grower.GrowAsync().WaitAsync(ct).ConfigureAwait(false)) return;
        throw new LimitExceededException(
            $"The index of {new ByteSize(Index.Bytes)} can't double within its half of the budget of "
            + $"{Options.MemoryBudget}: old and new table stand side by side meanwhile. Raise "
            + $"StoreOptions.MemoryBudget.");
    }

    /// <summary>
    /// Goes through all records in the order of the log, older versions and tombstones included: a later record of a
    /// key supersedes an earlier one.
    /// </summary>
    /// <remarks>What is written after this call is not seen. Records become read-only by it; updates go on.</remarks>
    /// <exception cref="NotSupportedException">The store is in memory only: its records have no order.</exception>
    public LogScan<TProbe> ScanLog()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed) != 0, this);
        return _pagedLog is null
            ? throw new NotSupportedException("A store with the in-memory allocator has no log to scan.")
            : new LogScan<TProbe>(Epochs, _pagedLog, _storage!);
    }

    /// <summary>Closes the sessions and the store. What has not been committed is gone.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0) return;
        _grower.Close();
        foreach (FasterSession<TProbe> session in _sessions.Keys)
        {
            try
            {
                session.Dispose();
            }
            catch (Exception e)
            {
                OnFault(e); // a pending operation failed: its session is closed all the same
            }
        }

        Pump?.Dispose();
        Pump?.Helper!.Close();
        _storage?.Device.Dispose();
        Epochs.Dispose();
        Index.Dispose();
        Log.Dispose();
        _flusher?.Dispose();
        Reader?.Dispose();
        _files?.Dispose();
    }

    /// <inheritdoc cref="Dispose"/>
    public async ValueTask DisposeAsync()
    {
        foreach (FasterSession<TProbe> session in _sessions.Keys)
        {
            try
            {
                await session.DisposeAsync().ConfigureAwait(false);
            }
            catch (Exception e)
            {
                OnFault(e);
            }
        }

        Dispose();
    }

    internal void ThrowIfLogFailed() => _flusher?.ThrowIfFailedAgain();

    /// <summary>As <see cref="ThrowIfLogFailed"/>, for the I/O thread: does not wait for another attempt.</summary>
    internal void ThrowIfLogHasFailed() => _flusher?.ThrowIfFailed();

    internal void Park(Action resume) => _pagedLog!.Park(resume);

    internal void AdoptFreeLists(FreeLists lists) => ((InMemoryAllocator<TProbe>)Log).Adopt(lists);

    internal void OnSessionClosed(FasterSession<TProbe> session)
    {
        if (session.Name is { } name) _names.TryRemove(name, out _);
        _sessions.TryRemove(session, out _);
    }

    internal void OnFault(Exception fault) => Volatile.Write(ref _lastFault, fault);
}
