using Faster.Conformance.Contract;

namespace Faster.Conformance.Histories;

/// <summary>
/// How many operations of histories were concurrent with one of the same key by another session. Histories of which
/// nearly all operations stand alone show nothing. Not thread-safe.
/// </summary>
internal sealed class OverlapCount
{
    private const int OneIn = 10, MostRounds = 10;

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
    /// Plays histories for as many seeds as asked, and for more of them while at most one operation in ten overlapped
    /// another one, as on a busy machine. Fails if that does not help.
    /// </summary>
    /// <param name="seeds">How many.</param>
    /// <param name="play">Plays the histories of a seed, and adds what it has recorded.</param>
    /// <param name="first">The first seed in every run; else each run has its own.</param>
    /// <param name="showEnough">Whether what else the histories are to show has happened often enough; or null.</param>
    public async Task RunAsync(int seeds, Func<int, Task> play, int? first = null, Func<bool>? showEnough = null)
    {
        await Seeded.RunAsync(seeds, play, first);
        for (int round = 1; (AreFew || showEnough?.Invoke() == false) && round < MostRounds; round++)
            await Seeded.RunAsync(seeds, play, (first ?? TestSeed.First) + (round * 1_000));
        string share = $"{_overlapping} of {_operations} operations overlapped another one";
        Assert.False(AreFew, $"{share}: the histories show little.");
    }
}
