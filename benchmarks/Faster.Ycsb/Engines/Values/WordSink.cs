namespace Faster.Ycsb.Engines.Values;

/// <summary>Takes the outcome of one read, and keeps the word for a later check.</summary>
internal sealed class WordSink : ReadSink
{
    /// <summary>What was read.</summary>
    public long Word { get; set; }

    /// <inheritdoc/>
    public override void End(Status status, long word, Exception? error)
    {
        base.End(status, word, error);
        Word = word;
    }
}
