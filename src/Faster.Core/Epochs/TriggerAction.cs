using System.Diagnostics;

namespace Faster.Epochs;

/// <summary>An entry of the drain list: what to run, once, when an epoch is safe and a condition holds.</summary>
/// <remarks>Thread-safe. Whoever wins <see cref="TryClaim"/> runs it; nobody else may.</remarks>
internal sealed class TriggerAction(long epoch, Func<bool>? condition, Action action)
{
    private int _claimed;

    /// <summary>The epoch that must be safe first.</summary>
    public long Epoch { get; } = epoch;

    /// <summary>What must hold besides, or null (paper 004 §3).</summary>
    public Func<bool>? Condition { get; } = condition;

    /// <summary>What to run.</summary>
    public Action Action { get; } = action;

    /// <summary>When it began to wait, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Since { get; } = Stopwatch.GetTimestamp();

    /// <summary>Whether somebody runs it, or has run it.</summary>
    public bool IsClaimed => Volatile.Read(ref _claimed) != 0;

    /// <summary>Takes the right to run it.</summary>
    /// <returns>Whether this call took it; true for one call only.</returns>
    public bool TryClaim() => !IsClaimed && Interlocked.Exchange(ref _claimed, 1) == 0;

    /// <summary>The wrong way to claim, for tests: the mark is set, but nobody is kept out.</summary>
    public void MarkUnchecked() => Volatile.Write(ref _claimed, 1);
}
