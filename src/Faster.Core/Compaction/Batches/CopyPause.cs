using Faster.Invariants;
using Faster.Log;
using Faster.Probes;

namespace Faster.Compaction.Batches;

/// <summary>
/// Keeps compactions from writing into a tier while a commit captures it, or while the log of its index is too large:
/// each of their threads enters before it makes copies, and leaves after some hundreds of them
/// (docs/internals/tiered-commits.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>From the end of <see cref="BeginAsync"/> to <see cref="End"/> no thread makes copies.</item>
/// <item>A thread leaves only when none of its operations is pending, also after a failure.</item>
/// <item>A thread that waits for the log of the index has not entered: the commits that release space need not wait for
/// it.</item>
/// </list>
/// <para>Thread-safe: a short lock. Threads enter outside every epoch. One pause at a time.</para>
/// </remarks>
internal sealed class CopyPause
{
    private static readonly TimeSpan Tick = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly WaitGate _gate = new();
    private int _copying;
    private bool _isPaused;

    /// <summary>
    /// Whether copies must wait until the log of the index is smaller; only reads, and does not stay true.
    /// </summary>
    public Func<bool> IsFull { get; init; } = static () => false;

    /// <summary>Has the log of the index compacted, because copies wait for that.</summary>
    public Action OnFull { get; init; } = static () => { };

    /// <summary>Called before copies are made; waits as long as there is a pause, or the index's log is full.</summary>
    public void Enter()
    {
        while (!TryEnter())
        {
            Probe.Point(ProbePoint.Wait);
            Func<bool> hasEnded = () => !Volatile.Read(ref _isPaused) && !IsFull();
            if (!(Probe.On && Probe.Wait(hasEnded))) _gate.Wait(hasEnded, Tick);
        }
    }

    /// <summary>Called after copies were made, when none of the thread's operations is pending.</summary>
    public void Leave()
    {
        lock (_lock) Invariant.Check(_copying-- > 0, $"a thread that leaves has entered");
        _gate.Signal();
    }

    /// <summary>Begins a pause: keeps threads from entering, and waits for those that have entered.</summary>
    public Task BeginAsync(IStepWaits waits)
    {
        lock (_lock) _isPaused = true;
        return Probe.On && Probe.Has(SeededBug.CopyBesideCapture)
            ? Task.CompletedTask
            : waits.UntilAsync(_gate, () => Volatile.Read(ref _copying) == 0);
    }

    /// <summary>Ends the pause, if there is one.</summary>
    public void End()
    {
        lock (_lock) _isPaused = false;
        _gate.Signal();
    }

    /// <summary>Lets threads look again whether the log of the index is full.</summary>
    public void LookAgain() => _gate.Signal();

    private bool TryEnter()
    {
        Probe.Point(ProbePoint.Wait);
        if (IsFull())
        {
            OnFull();
            return false;
        }

        lock (_lock)
        {
            if (_isPaused && !(Probe.On && Probe.Has(SeededBug.CopyBesideCapture))) return false;
            _copying++;
            return true;
        }
    }
}
