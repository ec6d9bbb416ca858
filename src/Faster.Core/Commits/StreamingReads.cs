namespace Faster.Commits;

/// <summary>
/// The reads under way that hand a value larger than a page to a writer of the caller's. Whoever empties it sets the
/// pace, and a commit in strict order waits for him: here it finds out for whom (docs/LARGEVALUES.md).
/// </summary>
/// <remarks>Thread-safe: a short lock; not called inside an epoch.</remarks>
/// <param name="time">The clock.</param>
internal sealed class StreamingReads(TimeProvider time)
{
    /// <summary>For so long a reader may stand still before a commit that waits for him tells of it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly List<StreamingRead> _reads = [];

    /// <summary>The clock's time.</summary>
    public long Now => time.GetTimestamp();

    /// <summary>A read begins to hand on its value.</summary>
    /// <inheritdoc cref="StreamingRead(StreamingReads, string?, long, long, long)"/>
    public StreamingRead Begin(string? session, long serial, long version, long length)
    {
        var read = new StreamingRead(this, session, serial, version, length);
        lock (_lock) _reads.Add(read);
        return read;
    }

    /// <summary>
    /// Waits for the operations of a version to end, and tells once of each read among them that it finds standing
    /// still.
    /// </summary>
    /// <param name="done">Ends when they have.</param>
    /// <param name="version">The version that is being committed.</param>
    /// <param name="report">Hears of a <see cref="CommitDelayedException"/>.</param>
    public async Task WaitAsync(Task done, long version, Action<Exception> report)
    {
        StreamingRead? told = null;
        while (!done.IsCompleted)
        {
            try
            {
                await done.WaitAsync(Patience, time).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                StreamingRead? read = LongestStill(version);
                if (read is not null && read != told) report(Describe(read, version));
                told = read;
            }
        }

        await done.ConfigureAwait(false);
    }

    /// <summary>A read has ended.</summary>
    internal void Remove(StreamingRead read)
    {
        lock (_lock) _reads.Remove(read);
    }

    private StreamingRead? LongestStill(long version)
    {
        long now = Now;
        lock (_lock)
        {
            return _reads.Where(read => read.Version <= version && time.GetElapsedTime(read.MovedAt, now) >= Patience)
                .MinBy(static read => read.MovedAt);
        }
    }

    private CommitDelayedException Describe(StreamingRead read, long version)
    {
        string session = read.Session is null ? "a session without a name" : $"session «{read.Session}»";
        TimeSpan still = time.GetElapsedTime(read.MovedAt);
        return new CommitDelayedException(
            $"The commit of version {version} waits for a read: operation {read.Serial} of {session} hands a value of "
            + $"{read.Length:N0} bytes to a writer that has taken {read.Taken:N0} of them, and nothing for "
            + $"{still.TotalSeconds:0} s. No commit gets on until that read ends. Empty the pipe, or complete its "
            + "reader, which ends the read; and give whoever empties such a pipe a deadline.")
        {
            Version = version, SessionName = read.Session, SerialNumber = read.Serial,
        };
    }
}
