using System.Threading.Channels;

namespace Faster.Crash.Workloads;

/// <summary>
/// Scans as of each commit of a run, beside it: one begins when the commit is made, and another one after the next
/// commit; each ends some commits later. All are compared with the workload.
/// </summary>
/// <param name="plan">What the sessions do.</param>
/// <param name="store">The store.</param>
public sealed class CommitScans(WorkloadPlan plan, IWorkStore store)
{
    private const int AtOnce = 3;

    private readonly Channel<Commit> _commits = Channel.CreateUnbounded<Commit>();
    private readonly Queue<CommitScan> _open = new();
    private readonly Oracle _oracle = new(plan);

    /// <summary>The number of scans that have ended.</summary>
    public int Ended { get; private set; }

    /// <summary>The number of scans that came too late for their commits.</summary>
    public int Refused { get; private set; }

    /// <summary>Runs a body, and scans beside it.</summary>
    /// <returns>What is wrong with a scan, or null.</returns>
    public async Task<string?> BesideAsync(Func<Task> body)
    {
        ArgumentNullException.ThrowIfNull(body);
        Task<string?> scanning = Task.Run(FollowAsync);
        store.Committed += Take;
        try
        {
            await body().ConfigureAwait(false);
        }
        finally
        {
            store.Committed -= Take;
            _commits.Writer.Complete();
            await ((Task)scanning).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        return await scanning.ConfigureAwait(false);
    }

    private void Take(Commit commit) => _commits.Writer.TryWrite(commit);

    private async Task<string?> FollowAsync()
    {
        try
        {
            Commit? before = null;
            string? wrong = null;
            await foreach (Commit commit in _commits.Reader.ReadAllAsync().ConfigureAwait(false))
            {
                if (before is not null) await BeginAsync(before).ConfigureAwait(false);
                await BeginAsync(before = commit).ConfigureAwait(false);
                while (_open.Count > AtOnce) wrong ??= await EndOneAsync().ConfigureAwait(false);
            }

            while (_open.Count > 0) wrong ??= await EndOneAsync().ConfigureAwait(false);
            return wrong;
        }
        finally
        {
            foreach (CommitScan scan in _open) await scan.DisposeAsync().ConfigureAwait(false);
        }
    }

    private async Task BeginAsync(Commit commit)
    {
        var scan = new CommitScan(store, commit);
        try
        {
            await scan.BeginAsync().ConfigureAwait(false);
            _open.Enqueue(scan);
        }
        catch (FasterException e) when (e.Reason == ErrorReason.CommitUnavailable)
        {
            Refused++;
            await scan.DisposeAsync().ConfigureAwait(false);
        }
    }

    private async Task<string?> EndOneAsync()
    {
        CommitScan scan = _open.Dequeue();
        await using (scan.ConfigureAwait(false))
        {
            Ended++;
            return _oracle.Compare(scan.Commit, await scan.EndAsync().ConfigureAwait(false));
        }
    }
}
