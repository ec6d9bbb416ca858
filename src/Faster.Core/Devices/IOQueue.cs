namespace Faster.Devices;

/// <summary>
/// A separate queue of requests to a device. It alone returns the completions of its requests: its owner does not see
/// the requests of other threads, and they do not see the owner's.
/// </summary>
/// <remarks>
/// <para>Invariants of every queue:</para>
/// <list type="bullet">
/// <item>Every request is returned exactly once, completed or failed.</item>
/// <item>The queue owns a request from its submission until it is polled.</item>
/// </list>
/// <para>Thread-safe except for <see cref="Dispose"/>, which must be the last call; designed for one owner that submits
/// and polls, with occasional calls by other threads.</para>
/// </remarks>
internal abstract class IOQueue : IDisposable
{
    /// <summary>The useful number of requests in flight; further ones wait inside.</summary>
    public abstract int Depth { get; }

    /// <summary>Submits requests, and starts them at once.</summary>
    public abstract void Submit(ReadOnlySpan<IORequest> requests);

    /// <summary>Submits a request that starts at the latest with the next <see cref="Flush"/> or wait.</summary>
    public abstract void Add(IORequest request);

    /// <summary>Starts the added requests.</summary>
    public abstract void Flush();

    /// <summary>Removes completed requests without waiting; returns 0 while another thread waits inside.</summary>
    public abstract int Poll(Span<IORequest> completed);

    /// <summary>Starts the added requests, and waits for a completion, a wake, or the timeout.</summary>
    /// <param name="timeout">The maximum time; infinite is allowed.</param>
    /// <param name="wanted">
    /// The number of completions that end the wait. Fewer may end it: when no more are in flight, when some were there
    /// before the wait, or when a signal ends it.
    /// </param>
    /// <returns>Whether there may be something to poll.</returns>
    public abstract bool Wait(TimeSpan timeout, int wanted = 1);

    /// <summary>Makes one current or future wait return.</summary>
    public abstract void Wake();

    /// <summary>Waits for the requests inside, which can still be polled, and releases all other resources.</summary>
    public abstract void Dispose();
}
