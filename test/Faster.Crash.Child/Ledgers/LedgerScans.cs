using Faster.Contracts;
using Faster.Engines;

namespace Faster.Crash.Ledgers;

/// <summary>
/// Scans as of a commit, which begin when the commit is made and end after later ones. Checks that a scan returns
/// exactly the keys up to the commit's point.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class LedgerScans(FasterStore store)
{
    private const int AtOnce = 3;

    private readonly Queue<(IAsyncEnumerator<long> Scan, long Serial)> _open = new();

    /// <summary>Begins a scan, and ends one that began a few commits ago.</summary>
    /// <param name="commit">The commit.</param>
    /// <param name="serial">The ledger's point in it.</param>
    public async Task TakeAsync(Commit commit, long serial)
    {
        var options = new ScanOptions { AsOf = commit, Scope = ScanScope.All };
        IAsyncEnumerator<long> scan = store.Analytics
            .ScanAsync(options, static record => BitConverter.ToInt64(record.Key)).GetAsyncEnumerator();
        _open.Enqueue((scan, serial));
        if (!await scan.MoveNextAsync().ConfigureAwait(false))
        {
            if (serial > 0) throw new InvalidOperationException($"The commit of {serial} records shows none.");
        }
        else if (scan.Current != 1)
        {
            throw new InvalidOperationException($"The scan of a commit begins at {scan.Current}.");
        }

        if (_open.Count > AtOnce) await EndOneAsync().ConfigureAwait(false);
    }

    /// <summary>Ends all scans.</summary>
    public async Task EndAsync()
    {
        while (_open.Count > 0) await EndOneAsync().ConfigureAwait(false);
    }

    private async Task EndOneAsync()
    {
        (IAsyncEnumerator<long> scan, long serial) = _open.Dequeue();
        await using (scan.ConfigureAwait(false))
        {
            long seen = Math.Min(serial, 1);
            while (await scan.MoveNextAsync().ConfigureAwait(false))
            {
                if (scan.Current != ++seen)
                    throw new InvalidOperationException($"Key {scan.Current} of a commit comes in place {seen}.");
            }

            if (seen != serial) throw new InvalidOperationException($"A commit of {serial} records shows {seen}.");
        }
    }
}
