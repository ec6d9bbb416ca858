using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Faster.Sessions;

/// <summary>A session's commit points, for those who enumerate them as they come.</summary>
/// <remarks>
/// Thread-safe. Who is slow misses some points, never the last: each covers what those before it cover.
/// </remarks>
internal sealed class CommitFeed
{
    private readonly List<ChannelWriter<CommitPoint>> _listeners = [];
    private bool _closed;

    /// <summary>How many listen, or are about to.</summary>
    public int Listeners
    {
        get
        {
            lock (_listeners) return _listeners.Count;
        }
    }

    /// <summary>The points from now on, until the feed is closed.</summary>
    public IAsyncEnumerable<CommitPoint> ReadAsync(CancellationToken ct)
    {
        var channel = Channel.CreateBounded<CommitPoint>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        Listen(channel.Writer);
        return ReadAsync(channel, ct);
    }

    /// <summary>Hands a point to everybody.</summary>
    public void Publish(CommitPoint point)
    {
        ChannelWriter<CommitPoint>[] listeners;
        lock (_listeners) listeners = [.. _listeners];
        foreach (ChannelWriter<CommitPoint> listener in listeners) listener.TryWrite(point);
    }

    /// <summary>Ends all enumerations.</summary>
    public void Close()
    {
        lock (_listeners)
        {
            _closed = true;
            foreach (ChannelWriter<CommitPoint> listener in _listeners) listener.TryComplete();
        }
    }

    // Who stops listens no more, and may begin again.
    private async IAsyncEnumerable<CommitPoint> ReadAsync(
        Channel<CommitPoint> channel, [EnumeratorCancellation] CancellationToken ct)
    {
        Listen(channel.Writer);
        try
        {
            await foreach (CommitPoint point in channel.Reader.ReadAllAsync(ct).ConfigureAwait(false))
                yield return point;
        }
        finally
        {
            lock (_listeners) _listeners.Remove(channel.Writer);
        }
    }

    private void Listen(ChannelWriter<CommitPoint> writer)
    {
        lock (_listeners)
        {
            if (_closed) writer.TryComplete();
            else if (!_listeners.Contains(writer)) _listeners.Add(writer);
        }
    }
}
