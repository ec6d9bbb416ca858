using Faster.Log;
using Faster.OperationLogs;
using Faster.Probes;

namespace Faster.Operations.Journaling;

/// <summary>
/// The operation logs in front of a store whose every operation is durable: what its sessions share
/// (docs/internals/each-operation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A change of a key is published in a log before it is installed in memory, both under the lock of the key's
/// stripe. So whoever has seen a change in memory takes its tickets after that change was published.</item>
/// <item>A change that a commit of version v does not hold has a version above v in its record, and its record lies
/// above the marks that the commit names.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class Journal : IDisposable
{
    /// <summary>No ticket: nothing need be durable.</summary>
    public const long NoTicket = 0;

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(5); // a commit that begins opens the last eighth

    private readonly WaitGate _gate = new();
    private LogSet? _logs;
    private uint _sessions;
    private int _frees;

    /// <summary>The logs. Valid while <see cref="IsOn"/>.</summary>
    public LogSet Logs => _logs!;

    /// <summary>The locks that order the changes of a key.</summary>
    public StripeLocks Stripes { get; } = new();

    /// <summary>Whether a read is complete only when what it has read is durable.</summary>
    public bool ReadsAwait { get; init; }

    /// <summary>Requests a commit, which frees the logs; called by any thread, and returns at once.</summary>
    public required Action RequestCommit { get; init; }

    /// <summary>How often space was freed.</summary>
    public int Frees => Volatile.Read(ref _frees);

    /// <summary>Whether operations are journaled: from the end of the recovery on.</summary>
    public bool IsOn => Volatile.Read(ref _logs) is not null;

    /// <summary>Begins to journal. Called before any session of a user's is started.</summary>
    /// <param name="logs">The logs.</param>
    /// <param name="counter">The highest number of a stripe in them.</param>
    public void Begin(LogSet logs, long counter)
    {
        Stripes.BeginAbove(counter);
        Volatile.Write(ref _logs, logs);
    }

    /// <summary>The error of a change that can't become durable; asks for a commit, which poisons the store.</summary>
    public StorageException Poisoned(StorageException failure)
    {
        RequestCommit();
        return new StorageException(failure.Message, failure);
    }

    /// <summary>Makes the identity of a session.</summary>
    public JournalSession Register(string? name) => new(Interlocked.Increment(ref _sessions), name);

    /// <summary>
    /// Takes a ticket for all that was published before; requests a commit if the logs are half full.
    /// </summary>
    /// <exception cref="StorageException">The logs can't be synced any more.</exception>
    public long TakeTicket()
    {
        if (Logs.Used > Logs.Capacity / 2) RequestCommit();
        return Logs.TakeTicket();
    }

    /// <summary>The ticket that a read of a key waits for; <see cref="NoTicket"/> if it waits for none.</summary>
    /// <remarks>
    /// A writer sets its stripe's place after it has published and before it installs: so whoever has seen the change
    /// finds that place, or a later one.
    /// </remarks>
    public long TicketOfRead(ulong hash) =>
        !ReadsAwait || Logs.IsDurable(Stripes.PlaceOf(StripeLocks.Of(hash))) ? NoTicket : Logs.TakeTicket();

    /// <summary>
    /// Blocks, outside every epoch, until space may have become free, for a moment at most; requests the commit that
    /// frees it.
    /// </summary>
    public void WaitForSpace()
    {
        RequestCommit();
        long used = Logs.Used;
        bool HasRoom() => Logs.Used < used;
        if (Probe.On && Probe.Wait(HasRoom)) return;
        _gate.Wait(HasRoom, Tick);
    }

    /// <summary>Frees the space below marks that a durable commit names.</summary>
    public void Free(ReadOnlySpan<LogMark> marks)
    {
        Logs.RaiseHeads(marks);
        Interlocked.Increment(ref _frees);
        _gate.Signal();
    }

    /// <summary>Frees the locks. No session uses them any more.</summary>
    public void Dispose() => Stripes.Dispose();
}
