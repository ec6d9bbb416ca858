using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A store whose index can be resized while operations continue.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IIndexStore
{
    /// <summary>Doubles the index.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the growth.</param>
    /// <exception cref="LimitExceededException">The index would exceed its part of the memory budget.</exception>
    Task GrowIndexAsync(CancellationToken cancellationToken);

    /// <summary>Halves the index.</summary>
    /// <param name="cancellationToken">Cancels the wait, not the shrinking.</param>
    /// <exception cref="LimitExceededException">The index cannot be halved.</exception>
    Task ShrinkIndexAsync(CancellationToken cancellationToken);
}
