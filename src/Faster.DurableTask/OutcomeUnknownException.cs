namespace Faster.DurableTask;

/// <summary>
/// Thrown when a call was under way while its partition failed or closed: whether it has had an effect shows when the
/// partition is open again. The guide says for each call what it means to repeat it.
/// </summary>
public sealed class OutcomeUnknownException : FasterException
{
    /// <inheritdoc/>
    public OutcomeUnknownException() { }

    /// <inheritdoc/>
    public OutcomeUnknownException(string message) : base(message) { }

    /// <inheritdoc/>
    public OutcomeUnknownException(string message, Exception? innerException) : base(message, innerException) { }
}
