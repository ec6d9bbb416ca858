using System.Diagnostics;

namespace Faster.Epochs;

/// <summary>
/// An entry of the drain list: an action that runs once, when an epoch is safe and a condition holds.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>One call of <see cref="TryClaim"/> wins; only the thread that wins runs the action.</item>
/// <item>A claim is never undone: an action that throws has run.</item>
/// </list>
/// <para>Thread-safe.</para>
/// </remarks>
internal sealed class TriggerAction(long epoch, Func<bool>? condition, Action action)
{
    private int _claimed;

    /// <summary>The epoch that must be safe first.</summary>
    public long Epoch { get; } = epoch;

    /// <summary>The additional condition, or null (paper 004 §3).</summary>
    public Func<bool>? Condition { get; } = condition;

    /// <summary>The action to run.</summary>
    public Action Action { get; } = action;

    /// <summary>When the action was listed, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Since { get; } = Stopwatch.GetTimestamp();

    /// <summary>Whether a thread runs it, or has run it.</summary>
    public bool IsClaimed => Volatile.Read(ref _claimed) != 0;

    /// <summary>Claims the right to run it.</summary>
    /// <returns>Whether this call claimed it; true for exactly one call.</returns>
    public bool TryClaim() => !IsClaimed && Interlocked.Exchange(ref _claimed, 1) == 0;

    /// <summary>The wrong way to claim, for tests: sets the mark, but excludes no other thread.</summary>
    public void MarkUnchecked() => Volatile.Write(ref _claimed, 1);
}
