using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store with background work whose faults it reports.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IFaultStore
{
    /// <summary>
    /// Raised after each internal fault that affected no operation, in order, one at a time, on a thread-pool thread.
    /// </summary>
    event EventHandler<FaultEventArgs>? FaultOccurred;
}
