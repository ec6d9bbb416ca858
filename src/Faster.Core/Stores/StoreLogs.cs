using Faster.Checkpoints;
using Faster.Commits;
using Faster.Compaction;
using Faster.LogCommits;
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
/// <typeparam name="TScan">What the logs are shown to when they are read.</typeparam>
/// <param name="plan">The store's plan.</param>
/// <param name="shape">The logs that its options ask for; none is wanted if their number is 0.</param>
internal abstract class StoreLogs<TScan>(StorePlan plan, OperationLogShape shape) : IDisposable
    where TScan : class, IRecoveryScan
{
    private static readonly TimeSpan FirstRetry = TimeSpan.FromMilliseconds(100);

    private readonly RetryDelay _delay = new(FirstRetry);
    private OperationLogFile? _read, _file;
    private int _committing;
    private volatile Task _commits = Task.CompletedTask;
    private volatile bool _isStopped;

    /// <summary>The version of the first operations: above all that the logs have.</summary>
    public long FirstVersion => Scan is null || (Probe.On && Probe.Has(SeededBug.VersionsReturn))
        ? plan.FirstVersion
        : Scan.MaxVersion + 1;

    /// <summary>Where the sessions of the recovered commit go on.</summary>
    public IReadOnlyList<CommitPoint> Points => Scan?.Points() ?? plan.Commit?.Sessions ?? [];

    /// <summary>The bytes of the logs that were carried out again.</summary>
    public long BytesReplayed => Scan?.Bytes ?? 0;

    /// <summary>The store's plan.</summary>
    protected StorePlan Plan => plan;

    /// <summary>What was read; null if there was nothing to read.</summary>
    protected TScan? Scan { get; private set; }

    /// <summary>Whether the options ask for logs.</summary>
    protected bool IsWanted => shape.Count != 0;

    /// <summary>What the store's parts share.</summary>
    protected abstract StoreCore Core { get; }

    /// <summary>What the sessions publish in; valid where logs are wanted.</summary>
    protected abstract SharedLogs Shared { get; }

    /// <summary>The kind of the commits that free the logs.</summary>
    protected abstract CommitKind Kind { get; }

    /// <summary>Makes the logs that the options ask for a part of commits to come. Called after the recovery.</summary>
    /// <param name="catalog">The commits in the folder.</param>
    /// <returns>No participant, or one.</returns>
    /// <exception cref="StorageException">There is no space for the logs, or the disk fails.</exception>
    public ICommitParticipant[] MakeParticipants(CommitCatalog catalog)
    {
        if (!IsWanted) return [];
        _file = _read?.Has(shape) == true
            ? _read
            : OperationLogFile.Create(plan.Files!, FirstVersion, shape, plan.Options.UnbufferedIO);
        return [new OperationLogsParticipant(Shared, _file, catalog)];
    }

    /// <summary>
    /// Replays what was read, and makes the commit that is needed before anything is acknowledged. The last step before
    /// the store takes operations.
    /// </summary>
    /// <exception cref="StorageException">The log can't be written, or the commit can't be made.</exception>
    public void Begin(CancellationToken ct)
    {
        if (Scan is { Bytes: not 0 })
        {
            Replay(ct);
            Core.Sessions.NoteWork(Core.Commits.Current.OperationVersion);
        }

        if (_file is not null) Shared.Begin(_file.Logs, Scan?.MaxCounter ?? 0);
        if (_file == _read) return;
        Core.Sessions.NoteWork(Core.Commits.Current.OperationVersion);
        _ = Core.Coordinator!.RequestAsync(Core.Options.CommitKind, withIndex: false).GetAwaiter().GetResult();
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
    public virtual void Dispose()
    {
        _file?.Dispose();
        if (_read != _file) _read?.Dispose();
    }

    /// <summary>Reads the operation logs of a store that is being opened.</summary>
    /// <param name="makeScan">Makes what they are shown to.</param>
    /// <returns>False: it has none, and its options ask for none.</returns>
    /// <exception cref="DamagedDataException">The logs are missing or damaged.</exception>
    /// <exception cref="StorageException">The disk fails.</exception>
    protected bool TryRead(Func<CommitRecord, TScan> makeScan)
    {
        if (plan.Files is null) return false;
        if (PartOf(plan.Commit) is not { } part) return IsWanted;
        Scan = makeScan(plan.Commit!);
        CommitRecord? before = plan.Catalog!.ReadBefore(plan.Commit!); // what it needs of the logs is kept, too
        CommittedPart from = PartOf(before) is { } older && older.File == part.File ? older : part;
        _read = OperationLogFile.Open(plan.Files, from, plan.Options.UnbufferedIO, Scan);
        return true;
    }

    /// <summary>Carries out again what was read, which is something.</summary>
    /// <param name="ct">Ends the recovery, which changes nothing in the folder.</param>
    protected abstract void Replay(CancellationToken ct);

    private static CommittedPart? PartOf(CommitRecord? commit) =>
        commit?.Parts.FirstOrDefault(static part => part.Name == OperationLogFile.PartName);

    // A commit frees what the one before it holds: so the logs may need two.
    private async Task CommitAsync()
    {
        try
        {
            for (int i = 0; i < 2 && !_isStopped && Shared.NeedsCommit; i++)
                _ = await Core.Coordinator!.RequestAsync(Kind, withIndex: false).Here();
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
