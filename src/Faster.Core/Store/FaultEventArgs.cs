namespace Faster;

/// <summary>An internal fault of a store that concerned no operation.</summary>
/// <param name="fault">What happened.</param>
public sealed class FaultEventArgs(Exception fault) : EventArgs
{
    /// <summary>What happened.</summary>
    public Exception Fault { get; } = fault;
}
