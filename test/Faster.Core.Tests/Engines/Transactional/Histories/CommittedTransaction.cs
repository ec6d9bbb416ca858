namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>
/// What a committed transaction has read and written. Every value that is written is another one, and a record that is
/// written is read as well: so its older value is known.
/// </summary>
/// <param name="Reads">The values that were read, by key; 0 is the value before all transactions.</param>
/// <param name="Writes">The new values, by key.</param>
internal sealed record CommittedTransaction(Dictionary<long, long> Reads, Dictionary<long, long> Writes)
{
    /// <inheritdoc/>
    public override string ToString() =>
        $"[reads {string.Join(' ', Reads.Select(static read => $"{read.Key}={read.Value}"))}; "
        + $"writes {string.Join(' ', Writes.Select(static write => $"{write.Key}={write.Value}"))}]";
}
