using Faster.Checkpoints;
using Faster.Commits;
using Faster.Compaction;
using Faster.Log;
using Faster.LogCommits;
using Faster.LogSessions;
using Faster.OperationLogs;
using Faster.Opening;
using Faster.Operations.Journaling;
using Faster.Probes;
using Faster.Threads;
using Faster.Tiers;

namespace Faster.Stores;

/// <summary>
/// The operation logs of a store over its life: those that a commit names are read and replayed when the store is
/// opened, whatever its options are now; then those that the options ask for take their place
/// (docs/internals/each-operation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Nothing is acknowledged before a durable commit names the file of the logs.</item>
/// <item>A file that was read is closed only when a commit holds what it had.</item>
/// </list>
/// <para>Opening is one thread's; <see cref="RequestCommit"/> is thread-safe.</para>
/// </remarks>
internal sealed class StoreJournal : IDisposable
{
    private static readonly TimeSpan FirstRetry = TimeSpan.FromMilliseconds(100);

    private readonly StorePlan _plan;
    private readonly OperationLogShape _shape;
    private readonly RetryDelay _delay = new(FirstRetry);
    private LogStoreCore _core = null!;
    private OperationLogFile? _read, _file;
    private JournalScan? _scan;
    private int _committing;
    private volatile Task _commits = Task.CompletedTask;
    private volatile bool _isStopped;

    private StoreJournal(StorePlan plan) => (_plan, _shape) = (plan, OperationLogShape.For(plan.Options));

    /// <summary>The version of the first operations: above all that the logs have.</summary>
    public long FirstVersion => _scan is null || (Probe.On && Probe.Has(SeededBug.VersionsReturn))
        ? _plan.FirstVersion
        : _scan.MaxVersion + 1;

    /// <summary>Where the sessions of the recovered commit go on.</summary>
    public IReadOnlyList<CommitPoint> Points => _scan?.Points() ?? _plan.Commit?.Sessions ?? [];

    /// <summary>The bytes of the logs that were carried out again.</summary>
    public long BytesReplayed => _scan?.Bytes ?? 0;

    // A fold-over makes all records immutable, so that each is copied at its next update: the log would soon outgrow
    // the memory that holds all of it.
    private CommitKind Kind
    {
        get
        {
            RecordAllocator log = _core.Tiers[0].Log;
            bool isInMemory = log.HeadAddress <= log.BeginAddress;
            return isInMemory && _core.Options.CommitKind == CommitKind.FoldOver
                ? CommitKind.Incremental
                : _core.Options.CommitKind;
        }
    }

    private bool IsWanted => _shape.Count != 0;

    /// <summary>Reads the operation logs of a store that is being opened.</summary>
    /// <param name="plan">The store's plan.</param>
    /// <returns>Null: it has none, and its options ask for none.</returns>
    /// <exception cref="DamagedDataException">The logs are missing or damaged.</exception>
    /// <exception cref="StorageException">The disk fails.</exception>
    public static StoreJournal? Open(StorePlan plan)
    {
        if (plan.Files is null) return null;
        var journal = new StoreJournal(plan);
        if (PartOf(plan.Commit) is not { } part) return journal.IsWanted ? journal : null;
        journal._scan = new JournalScan(plan.Commit!, plan.Metadata);
        CommitRecord? before = plan.Catalog!.ReadBefore(plan.Commit!); // what it needs of the logs is kept, too
        CommittedPart from = PartOf(before) is { } older && older.File == part.File ? older : part;
        journal._read = OperationLogFile.Open(plan.Files, from, plan.Options.UnbufferedIO, journal._scan);
        return journal;
    }

    /// <summary>Makes what the sessions journal with; null if they do not. Called before the first session.</summary>
    public Journal? Attach(LogStoreCore core)
    {
        _core = core;
        return IsWanted
            ? new Journal { RequestCommit = RequestCommit, ReadsAwait = _plan.Options.ReadsAwaitDurability }
            : null;
    }

    /// <summary>Makes the logs that the options ask for a part of commits to come. Called after the recovery.</summary>
    /// <param name="catalog">The commits in the folder.</param>
    /// <returns>No participant, or one.</returns>
    /// <exception cref="StorageException">There is no space for the logs, or the disk fails.</exception>
    public ICommitParticipant[] MakeParticipants(CommitCatalog catalog)
    {
        if (!IsWanted) return [];
        _file = _read?.Has(_shape) == true
            ? _read
            : OperationLogFile.Create(_plan.Files!, FirstVersion, _shape, _plan.Options.UnbufferedIO);
        return [new OperationLogsParticipant(_core.Journal!, _file, catalog)];
    }

    /// <summary>
    /// Replays what was read, and makes the commit that is needed before anything is acknowledged. The last step before
    /// the store takes operations.
    /// </summary>
    /// <exception cref="StorageException">The log can't be written, or the commit can't be made.</exception>
    public void Begin(CancellationToken ct)
    {
        if (_scan is { Bytes: not 0 })
        {
            Tier first = _core.Tiers[0];
            bool passed = TailThrottle.Pass(true); // no compaction runs yet
            try
            {
                using var session = (HashSession)_core.StartInternal("the recovery of the operation logs");
                new JournalReplay(session, first).Run(_scan, ct);
            }
            finally
            {
                _ = TailThrottle.Pass(passed);
            }

            _core.Sessions.NoteWork(_core.Commits.Current.OperationVersion);
        }

        if (_file is not null) _core.Journal!.Begin(_file.Logs, _scan?.MaxCounter ?? 0);
        if (_file == _read) return;
        _core.Sessions.NoteWork(_core.Commits.Current.OperationVersion);
        _ = _core.Coordinator!.RequestAsync(_core.Options.CommitKind, withIndex: false).GetAwaiter().GetResult();
        _read?.Dispose();
        _read = _file;
    }

    /// <summary>Requests a commit, unless one is under way that frees the logs; does not wait.</summary>
    public void RequestCommit()
    {
        if (Volatile.Read(ref _committing) == 0 && Interlocked.Exchange(ref _committing, 1) == 0)
            _commits = BackgroundTasks.Run(CommitAsync);
    }

    /// <summary>Ends the commits that free the logs. No session needs space any more.</summary>
    public void StopCommits()
    {
        _isStopped = true;
        _commits.GetAwaiter().GetResult();
    }

    /// <summary>Closes the logs. No session waits for them any more.</summary>
    public void Dispose()
    {
        _file?.Dispose();
        if (_read != _file) _read?.Dispose();
        _core?.Journal?.Dispose();
    }

    private static CommittedPart? PartOf(CommitRecord? commit) =>
        commit?.Parts.FirstOrDefault(static part => part.Name == OperationLogFile.PartName);

    // A commit frees what the one before it holds: so the logs may need two.
    private async Task CommitAsync()
    {
        try
        {
            for (int i = 0; i < 2 && !_isStopped && _core.Journal!.NeedsCommit; i++)
                _ = await _core.Coordinator!.RequestAsync(Kind, withIndex: false).Here();
            _delay.Reset();
        }
        catch (Exception)
        {
            if (!_isStopped) await Task.Delay(_delay.Next()).Here(); // the coordinator has noted the fault
        }
        finally
        {
            Volatile.Write(ref _committing, 0);
        }
    }
}
