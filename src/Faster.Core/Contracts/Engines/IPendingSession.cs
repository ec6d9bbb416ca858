using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A session whose operations may become pending, for example because a record is on disk.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IPendingSession : IEngineSession
{
    /// <summary>The number of operations that are pending.</summary>
    int PendingCount { get; }

    /// <summary>Continues operations that need not wait any longer, and calls their completion callbacks.</summary>
    /// <param name="wait">Whether to block until none is pending.</param>
    /// <returns>Whether none is pending.</returns>
    /// <exception cref="FasterException">An operation that no caller awaits has failed.</exception>
    /// <exception cref="AggregateException">Several have.</exception>
    bool CompletePending(bool wait);

    /// <summary>As <see cref="CompletePending"/> with <c>wait: true</c>, without blocking.</summary>
    /// <param name="cancellationToken">Ends the waiting; the operations stay pending.</param>
    ValueTask CompletePendingAsync(CancellationToken cancellationToken);
}
