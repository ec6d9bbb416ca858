namespace Faster;

/// <summary>One fault: from the n-th call of a kind, once or for ever.</summary>
/// <param name="Target">Which calls count.</param>
/// <param name="Nth">The call that fails, counted from 1 since the plan was armed.</param>
/// <param name="Flavour">What it looks like.</param>
/// <param name="Persistent">Whether every later call fails, too.</param>
public sealed record Fault(
    FaultTarget Target,
    long Nth,
    FaultFlavour Flavour = FaultFlavour.InputOutputError,
    bool Persistent = false)
{
    /// <summary>Whether it strikes a call.</summary>
    /// <param name="target">The kind of the call.</param>
    /// <param name="n">Its number, from 1.</param>
    public bool Strikes(FaultTarget target, long n) => target == Target && (Persistent ? n >= Nth : n == Nth);
}
