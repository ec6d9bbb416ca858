using Faster.Log;

namespace Faster.Analytics;

/// <summary>The commits that are known: the last ones before the store was opened, and all since.</summary>
/// <remarks>Bounded: of very many the oldest are forgotten. Thread-safe.</remarks>
internal sealed class CommitExtents
{
    private const int Most = 4096;

    private readonly LinkedList<CommitExtent> _commits = new(); // oldest first
    private CommitExtent? _newest;

    /// <summary>Opened with each commit.</summary>
    public FrameGate Gate { get; } = new();

    /// <summary>The last commit, or null.</summary>
    public CommitExtent? Newest => Volatile.Read(ref _newest);

    /// <summary>Takes a commit that has become durable.</summary>
    public void Add(CommitExtent commit)
    {
        lock (_commits)
        {
            _commits.AddLast(commit);
            if (_commits.Count > Most) _commits.RemoveFirst();
        }

        Volatile.Write(ref _newest, commit);
        Gate.Open();
    }

    /// <summary>The commits whose state the log still has, oldest first.</summary>
    /// <param name="begin">Where the log begins now.</param>
    public IReadOnlyList<Commit> Scannable(long begin)
    {
        lock (_commits)
        {
            return [.. _commits.Where(commit => commit.IsFrozen && commit.Begin >= begin)
                .Select(static commit => commit.Commit)];
        }
    }

    /// <summary>Finds where the log has the state of a commit.</summary>
    /// <param name="version">Its version.</param>
    /// <param name="begin">Where the log begins now.</param>
    /// <exception cref="CommitUnavailableException">It has not.</exception>
    public CommitExtent Find(long version, long begin)
    {
        CommitExtent? found;
        lock (_commits) found = _commits.LastOrDefault(commit => commit.Commit.Version == version);
        string? fault = found is null ? "it is not known: it was never made, or too many were made since"
            : !found.IsFrozen ? $"it was a commit of the kind {found.Commit.Kind}, after which records were updated in "
                + "place again. Commit by CommitKind.FoldOver to scan a state later"
            : found.Begin < begin ? $"the log began at {found.Begin:N0} then and begins at {begin:N0} now: the rest "
                + "was given up by compaction or truncation"
            : null;
        if (fault is null) return found!;
        throw new CommitUnavailableException(
            $"The state as of commit {version} can't be told from the log: {fault}. ScannableCommits lists those that "
            + "can.")
        {
            Version = version,
        };
    }
}
