using System.ComponentModel;

namespace Faster;

/// <summary>Event data of an internal fault of a store that affected no operation.</summary>
/// <param name="fault">The exception that describes the fault.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class FaultEventArgs(Exception fault) : EventArgs
{
    /// <summary>The exception that describes the fault.</summary>
    public Exception Fault { get; } = fault;
}
