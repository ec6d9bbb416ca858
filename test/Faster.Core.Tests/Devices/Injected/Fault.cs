namespace Faster.Testing;

/// <summary>One fault: it hits the n-th call of a kind, once or permanently.</summary>
/// <param name="Target">The kind of calls that count.</param>
/// <param name="Nth">The call that fails, counted from 1 since the plan was armed.</param>
/// <param name="Flavor">The kind of the failure.</param>
/// <param name="Persistent">Whether every later call also fails.</param>
public sealed record Fault(
    FaultTarget Target,
    long Nth,
    FaultFlavor Flavor = FaultFlavor.InputOutputError,
    bool Persistent = false)
{
    /// <summary>Whether the fault hits a call.</summary>
    /// <param name="target">The kind of the call.</param>
    /// <param name="n">The call's number, from 1.</param>
    public bool Strikes(FaultTarget target, long n) => target == Target && (Persistent ? n >= Nth : n == Nth);
}
