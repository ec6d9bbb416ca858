using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Faster.Sessions;

/// <summary>Distributes a session's commit points to the callers that enumerate them.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A slow consumer may skip points but always receives the latest: each covers what those before it cover.</item>
/// <item>Every enumeration ends when the feed is closed, also one that begins afterwards.</item>
/// </list>
/// <para>Thread-safe: a short lock.</para>
/// </remarks>
internal sealed class CommitFeed
{
    /// <summary>A feed that was closed before anybody asked for it.</summary>
    public static readonly CommitFeed Ended = new() { _closed = true };

    private readonly List<ChannelWriter<CommitPoint>> _listeners = [];
    private bool _closed;

    /// <summary>The number of consumers: enumerations that run, or have been requested.</summary>
    public int Listeners
    {
        get
        {
            lock (_listeners) return _listeners.Count;
        }
    }

    /// <summary>The points published from the call on, until the feed is closed.</summary>
    public IAsyncEnumerable<CommitPoint> ReadAsync(CancellationToken ct)
    {
        var channel = Channel.CreateBounded<CommitPoint>(
            new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropOldest });
        Listen(channel.Writer);
        return ReadAsync(channel, ct);
    }

    /// <summary>Hands a point to all consumers.</summary>
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

    // An enumerator that ends stops listening; a new enumeration of the same sequence begins to listen again.
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
