using Faster.Threads;

namespace Faster.Commits;

/// <summary>
/// The reads under way that stream a value larger than a page to a writer of the caller's. The consumer sets the pace,
/// and a commit in strict order waits for it; this class finds the reads that block a commit
/// (docs/guide/large-values.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A read is in the list from <see cref="Begin"/> to its disposal.</item>
/// <item>Each wait reports a stalled read once, and ends only when the operations have ended.</item>
/// </list>
/// <para>Thread-safe: a short lock; not called inside an epoch.</para>
/// </remarks>
/// <param name="time">The clock.</param>
internal sealed class StreamingReads(TimeProvider time)
{
    /// <summary>How long a consumer may take nothing before a commit that waits for it reports it.</summary>
    public static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly List<StreamingRead> _reads = [];

    /// <summary>The clock's current timestamp.</summary>
    public long Now => time.GetTimestamp();

    /// <summary>Lists a read that begins to stream its value.</summary>
    /// <inheritdoc cref="StreamingRead(StreamingReads, string?, long, long, long)"/>
    public StreamingRead Begin(string? session, long serial, long version, long length)
    {
        var read = new StreamingRead(this, session, serial, version, length);
        lock (_lock) _reads.Add(read);
        return read;
    }

    /// <summary>
    /// Waits for the operations of a version to end, and reports each read among them that it finds stalled, once.
    /// </summary>
    /// <param name="done">Completes when the operations have ended.</param>
    /// <param name="version">The version being committed.</param>
    /// <param name="report">Called with the error <see cref="ErrorReason.CommitDelayed"/>.</param>
    public async Task WaitAsync(Task done, long version, Action<Exception> report)
    {
        StreamingRead? reported = null;
        while (!done.IsCompleted)
        {
            try
            {
                await done.OrTimeout(StallTimeout, time).Here();
            }
            catch (TimeoutException)
            {
                StreamingRead? read = LongestStill(version);
                if (read is not null && read != reported) report(Describe(read, version));
                reported = read;
            }
        }

        await done.Here();
    }

    /// <summary>Removes a read that has ended.</summary>
    internal void Remove(StreamingRead read)
    {
        lock (_lock) _reads.Remove(read);
    }

    private StreamingRead? LongestStill(long version)
    {
        long now = Now;
        lock (_lock)
        {
            return _reads.Where(read => read.Version <= version && time.GetElapsedTime(read.MovedAt,
                now) >= StallTimeout)
                .MinBy(static read => read.MovedAt);
        }
    }

    private FasterException Describe(StreamingRead read, long version)
    {
        string session = read.Session is null ? "a session without a name" : $"session '{read.Session}'";
        TimeSpan still = time.GetElapsedTime(read.MovedAt);
        return new FasterException(
            ErrorReason.CommitDelayed,
            $"The commit of version {version} waits for a read: operation {read.Serial} of {session} hands a value of "
            + $"{read.Length:N0} bytes to a writer that has taken {read.Taken:N0} of them, and nothing for "
            + $"{still.TotalSeconds:0} s. No commit can proceed until that read ends. Empty the pipe, or complete its "
            + "reader, which ends the read; and give the code that empties such a pipe a deadline.");
    }
}
