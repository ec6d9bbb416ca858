namespace Faster.Crash.Workloads;

/// <summary>A scan as of a commit, which may begin long before it ends. Not thread-safe.</summary>
/// <param name="store">The store.</param>
/// <param name="commit">The commit.</param>
internal sealed class CommitScan(IWorkStore store, Commit commit) : IAsyncDisposable
{
    private readonly IAsyncEnumerator<(int Key, byte[] Value)> _scan = store.ScanAsync(commit).GetAsyncEnumerator();
    private readonly Dictionary<int, byte[]> _found = [];

    /// <summary>The commit.</summary>
    public Commit Commit => commit;

    /// <summary>Reads the first record: from then on the scan keeps what it needs.</summary>
    /// <exception cref="FasterException">The state is not there any more.</exception>
    public async Task BeginAsync()
    {
        if (await _scan.MoveNextAsync().ConfigureAwait(false)) Add();
    }

    /// <summary>Reads the rest.</summary>
    /// <returns>The keys, with their values.</returns>
    public async Task<IReadOnlyDictionary<int, byte[]>> EndAsync()
    {
        while (await _scan.MoveNextAsync().ConfigureAwait(false)) Add();
        return _found;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _scan.DisposeAsync();

    // Throws if a key comes twice.
    private void Add() => _found.Add(_scan.Current.Key, _scan.Current.Value);
}
