namespace Faster.Devices;

/// <summary>
/// A row of requests of its own to a device: what goes in comes out of the same row, so that whoever owns the row
/// hears of nobody else's requests, and nobody of his.
/// </summary>
/// <remarks>
/// Every request comes back exactly once, done or failed. Thread-safe but for <see cref="Dispose"/>, which must be the
/// last call; made for one owner who submits and takes back, with others looking in now and then.
/// </remarks>
internal abstract class IoQueue : IDisposable
{
    /// <summary>How many requests are worth having under way; those above it wait inside.</summary>
    public abstract int Depth { get; }

    /// <summary>Lends requests, and begins them at once.</summary>
    public abstract void Submit(ReadOnlySpan<IoRequest> requests);

    /// <summary>Lends a request that begins with the next <see cref="Flush"/> or wait, at the latest.</summary>
    public abstract void Add(IoRequest request);

    /// <summary>Begins what was added.</summary>
    public abstract void Flush();

    /// <summary>Takes what has come back, without waiting; 0 while another thread waits inside.</summary>
    public abstract int Poll(Span<IoRequest> completed);

    /// <summary>Waits until something has come back, a wake, or the end of the time; begins what was added.</summary>
    /// <param name="timeout">How long; infinite is allowed.</param>
    /// <param name="wanted">
    /// How many completions are worth being woken for. Fewer may do: when no more are under way, when some were there
    /// before the wait, when a signal ends it.
    /// </param>
    /// <returns>Whether there may be something to poll.</returns>
    public abstract bool Wait(TimeSpan timeout, int wanted = 1);

    /// <summary>Makes one present or future wait return.</summary>
    public abstract void Wake();

    /// <summary>Waits for what is inside, which can be polled afterwards, and lets go of all else.</summary>
    public abstract void Dispose();
}
