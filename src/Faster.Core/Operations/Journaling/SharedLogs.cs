using Faster.Log;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Operations.Journaling;

/// <summary>
/// The operation logs of a store as its sessions share them: tickets, and requests for the commits that free the logs.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A change that a commit of version v does not hold has a version above v in its record, and its record lies
/// above the marks that the commit names.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal abstract class SharedLogs
{
    /// <summary>No ticket: nothing need be durable.</summary>
    public const long NoTicket = 0;

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(5); // a commit that begins opens the last eighth

    private readonly WaitGate _gate = new();
    private LogSet? _logs;
    private uint _sessions;
    private int _frees;
    private volatile bool _isSpaceWanted;

    /// <summary>The logs. Valid while <see cref="IsOn"/>.</summary>
    public LogSet Logs => _logs!;

    /// <summary>Requests a commit, which frees the logs; called by any thread, and returns at once.</summary>
    public required Action RequestCommit { get; init; }

    /// <summary>
    /// Whether a commit is needed: an operation has found no space, which a large record does in logs that are hardly
    /// half full; the logs are half full; or they have failed, which a commit tells the store.
    /// </summary>
    public bool NeedsCommit => _isSpaceWanted || Logs.Used > Logs.Capacity / 2 || Logs.Failure is not null;

    /// <summary>How often space was freed.</summary>
    public int Frees => Volatile.Read(ref _frees);

    /// <summary>Whether operations are published in the logs: from the end of the recovery on.</summary>
    public bool IsOn => Volatile.Read(ref _logs) is not null;

    /// <summary>Begins to publish. Called before any session of a user's is started.</summary>
    /// <param name="logs">The logs.</param>
    /// <param name="counter">The highest number of a record in them.</param>
    public virtual void Begin(LogSet logs, long counter) => Volatile.Write(ref _logs, logs);

    /// <summary>The error of a change that can't become durable; asks for a commit, which poisons the store.</summary>
    public StorageException Poisoned(StorageException failure)
    {
        RequestCommit();
        return new StorageException(failure.Message, failure);
    }

    /// <summary>Makes the identity of a session.</summary>
    public JournalSession Register(string? name) => new(Interlocked.Increment(ref _sessions), name);

    /// <summary>Notes that an operation has found no space, and requests the commit that frees it.</summary>
    public void RequestSpace()
    {
        _isSpaceWanted = true;
        RequestCommit();
    }

    /// <summary>Takes a ticket for all that was published before; requests a commit if one is needed.</summary>
    /// <exception cref="StorageException">The logs can't be synced any more.</exception>
    public long TakeTicket()
    {
        if (NeedsCommit) RequestCommit();
        return Logs.TakeTicket();
    }

    /// <summary>
    /// Blocks, outside every epoch, until space may have become free, for a moment at most; requests the commit that
    /// frees it.
    /// </summary>
    public void WaitForSpace()
    {
        RequestSpace();
        long used = Logs.Used;
        bool HasRoom() => Logs.Used < used;
        if (Probe.On && Probe.Wait(HasRoom)) return;
        _gate.Wait(HasRoom, Tick);
    }

    /// <summary>Frees the space below marks that a durable commit names.</summary>
    public void Free(ReadOnlySpan<LogMark> marks)
    {
        Logs.RaiseHeads(marks);
        _isSpaceWanted = false;
        Interlocked.Increment(ref _frees);
        _gate.Signal();
    }
}
