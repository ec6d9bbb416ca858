using Faster.Workload;

namespace Faster.Ycsb.Engines.Values;

/// <summary>
/// Takes the outcome of operations that went pending: adds up the keys that values tell. Called by the thread that owns
/// the session.
/// </summary>
internal class ReadSink
{
    private long _told;

    /// <summary>What has been told since the last call.</summary>
    public long TakeTold()
    {
        long told = _told;
        _told = 0;
        return told;
    }

    /// <summary>An operation has ended.</summary>
    /// <param name="status">How.</param>
    /// <param name="word">The word that was read; 0 of an update.</param>
    /// <param name="error">Why it failed, or null.</param>
    /// <exception cref="WrongAnswerException">It failed, or did not find its key.</exception>
    public virtual void End(Status status, long word, Exception? error)
    {
        if (error is not null)
            throw new WrongAnswerException($"An operation that waited for the disk failed: {error.Message}");
        if (status != Status.Ok)
            throw new WrongAnswerException($"The store answered '{status}' for a key that was loaded.");
        _told += ValueWord.KeyOf(word);
    }
}
