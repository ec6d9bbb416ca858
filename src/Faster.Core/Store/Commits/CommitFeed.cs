using System.Threading.Channels;
using Faster.Contracts;

namespace Faster;

/// <summary>A session's commit points, for those who enumerate them as they come.</summary>
/// <remarks>
/// Thread-safe. Who is slow misses some points, never the last: each covers what those before it cover.
/// </remarks>
internal sealed class CommitFeed
{
    private readonly List<ChannelWriter<CommitPoint>> _listeners = [];
    private bool _closed;

    /// <summary>The points from now on, until the feed is closed.</summary>
    public IAsyncEnumerable<CommitPoint> ReadAsync(CancellationToken ct)
    {
        var channel = Channel.CreateBounded<CommitPoint>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        lock (_listeners)
        {
            if (_closed) channel.Writer.Complete();
            else _listeners.Add(channel.Writer);
        }

        return channel.Reader.ReadAllAsync(ct);
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
}
