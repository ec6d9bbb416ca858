using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>
/// How many operations of histories were concurrent with one of the same key by another session. Histories in which
/// nearly no operations overlap show nothing. Not thread-safe.
/// </summary>
internal sealed class OverlapCount
{
    private const int OneIn = 10, MaxRounds = 10;

    private long _operations;
    private long _overlapping;

    private bool AreFew => _overlapping * OneIn <= _operations;

    /// <summary>Counts the operations of one key in one history.</summary>
    public void Add<TValue>(Operation<TValue>[] operations)
    {
        _operations += operations.Length;
        _overlapping += operations.Count(one => operations.Any(other => one.Session != other.Session
            && one.Invoked < other.Responded && other.Invoked < one.Responded));
    }

    /// <summary>
    /// Plays histories for a number of seeds, and for more seeds while at most one operation in ten has overlapped
    /// another one, as on a busy machine. Fails if that does not help.
    /// </summary>
    /// <param name="seeds">The number of seeds with a budget of 1.</param>
    /// <param name="play">Plays the histories of a seed, and adds what it has recorded.</param>
    /// <param name="first">The first seed in every run; null: each run has its own.</param>
    /// <param name="showEnough">Whether what else the histories must show has happened often enough; or null.</param>
    public async Task RunAsync(int seeds, Func<int, Task> play, int? first = null, Func<bool>? showEnough = null)
    {
        await Seeded.RunAsync(seeds, play, first);
        for (int round = 1; (AreFew || showEnough?.Invoke() == false) && round < MaxRounds; round++)
            await Seeded.RunAsync(seeds, play, (first ?? TestSeed.First) + (round * 1_000));
        string share = $"{_overlapping} of {_operations} operations overlapped another one";
        Assert.False(AreFew, $"{share}: the histories show little.");
    }
}
