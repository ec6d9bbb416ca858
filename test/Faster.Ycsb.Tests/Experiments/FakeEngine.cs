using System.Collections.Concurrent;
using Faster.Workload;
using Faster.Workload.Experiments;

namespace Faster.Ycsb.Tests.Experiments;

/// <summary>A dictionary as an engine: a commit hands out a copy, and tells every client.</summary>
internal sealed class FakeEngine(
    IEnumerable<KeyValuePair<long, long>> pairs, Action<IReadOnlyCollection<KeyValuePair<long, long>>> commit)
    : ICommitEngine
{
    private readonly ConcurrentDictionary<long, long> _values = new(pairs);
    private readonly ConcurrentBag<FakeClient> _clients = [];

    /// <inheritdoc/>
    public long LogBytes => 24L * _values.Count;

    /// <summary>How many commits there were.</summary>
    public int Commits { get; private set; }

    /// <inheritdoc/>
    public IWorker StartWorker()
    {
        var client = new FakeClient(_values);
        _clients.Add(client);
        return client;
    }

    /// <inheritdoc/>
    public Task CommitAsync(CommitForm form, bool withIndex)
    {
        Commits++;
        (FakeClient Client, long Point)[] points = [.. _clients.Select(c => (c, c.Accepted))];
        commit([.. _values]);
        foreach ((FakeClient client, long point) in points)
            client.OnDurable?.Invoke(point);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
