namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>What a commit holds: how many transactions of each session, and the values of the records.</summary>
/// <param name="Held">The transactions of each session that it holds, in the session's order.</param>
/// <param name="Values">The values, by key; 0 is the value before all transactions.</param>
internal sealed record HistoryCommit(int[] Held, Dictionary<long, long> Values)
{
    /// <inheritdoc/>
    public override string ToString() =>
        $"[commit of {string.Join(' ', Held)}; "
        + $"holds {string.Join(' ', Values.Select(static value => $"{value.Key}={value.Value}"))}]";
}
