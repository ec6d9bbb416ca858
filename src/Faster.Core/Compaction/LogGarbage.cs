using Faster.Commits;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>Everything that a store has for the collection of its log's garbage (paper 000, App. C).</summary>
/// <remarks>Thread-safe, but for <see cref="Start"/> and disposal, which are the store's.</remarks>
internal sealed class LogGarbage<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly FasterStore<TProbe> _store;
    private readonly PagedLog<TProbe> _log;
    private readonly LogStorage _storage;
    private readonly ExpiryFile? _expiryFile;
    private DiskBudgetKeeper<TProbe>? _keeper;
    private ExpiryKeeper<TProbe>? _expiries;

    /// <summary>For a store that is being put together.</summary>
    public LogGarbage(
        FasterStore<TProbe> store, StoreBlueprint blueprint, PagedLog<TProbe> log, PageFlusher<TProbe> flusher,
        LogStorage storage)
    {
        (_store, _log, _storage) = (store, log, storage);
        bool hasSegments = blueprint.Files is not null && blueprint.Options.Device is null;
        Space = new DiskSpace(storage, hasSegments ? blueprint.Metadata.SegmentBytes : 1);
        if (blueprint.Files is { } files)
        {
            _expiryFile = new ExpiryFile(
                files, blueprint.Metadata.Identity, blueprint.Commit?.Log.FlushedUntilAddress ?? 0);
        }

        Ages = new AgeMarks(blueprint.Options.TimeProvider);
        log.Writes.Time = blueprint.Options.TimeProvider;
        Truncation = new LogTruncation<TProbe>(
            store, log, flusher, storage, Ages, blueprint.Files is null ? Space : null,
            blueprint.Metadata.Schema);
    }

    /// <summary>What is known of the log's age.</summary>
    public AgeMarks Ages { get; }

    /// <summary>What the log takes on its device.</summary>
    public DiskSpace Space { get; }

    /// <summary>Gives up the log's oldest part.</summary>
    public LogTruncation<TProbe> Truncation { get; }

    /// <summary>What gives a store's log up.</summary>
    /// <exception cref="NotSupportedException">The store has no log.</exception>
    public static LogTruncation<TProbe> TruncationOf(FasterStore<TProbe> store) => store.Garbage?.Truncation
        ?? throw new NotSupportedException(
            "A store with the in-memory allocator has no log to give up. Open it with another allocator.");

    /// <summary>What has been done.</summary>
    public CompactionFigures Figures => Truncation.Figures;

    /// <summary>The bytes on the device.</summary>
    public long DiskBytes => Space.BytesUpTo(_log.FlushedUntilAddress);

    /// <summary>Whether the live data do not fit into the disk budget.</summary>
    public bool IsExceeded => _keeper?.IsExceeded == true;

    /// <summary>Begins to look for expired records, and to keep the disk budget if there is one.</summary>
    /// <param name="participant">Knows whether space is owed; null for a store that does not commit.</param>
    /// <param name="coordinator">Commits; null for a store that does not.</param>
    public void Start(LogParticipant<TProbe>? participant, CommitCoordinator<TProbe>? coordinator)
    {
        async Task CommitAsync()
        {
            // Each commit makes one of the generations that are kept a later one. Who closes the store waits for one.
            for (int i = 0; i < 2 && !Truncation.IsClosing && participant!.HasWork; i++)
                _ = await coordinator!.RequestAsync(_store.Options.CommitKind, withIndex: false).ConfigureAwait(false);
        }

        Func<Task>? commit = participant is null ? null : CommitAsync;
        Func<Task> release = participant is null ? Truncation.ReleaseAsync : () => Task.Run(participant.ReleaseSpace);
        _expiries = new ExpiryKeeper<TProbe>(_store, _log, _storage, Truncation, commit, _expiryFile);
        _expiries.Start();
        if (_store.Options.DiskBudget.Bytes == 0) return;
        _keeper = new DiskBudgetKeeper<TProbe>(_store, _log, Truncation, Space, commit, release);
        _keeper.Start();
    }

    /// <summary>Stops what is under way, and waits for its end. Before the coordinator is closed.</summary>
    public void Dispose()
    {
        _expiries?.Stop();
        Truncation.Dispose();
        _expiries?.Dispose();
        _keeper?.Dispose();
    }
}
