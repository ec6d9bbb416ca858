using System.Text;
using CountStore.Counting;

namespace CountStore.Report;

/// <summary>
/// Keeps the most frequent keys of many, shown in any order and some of them several times with lower counts.
/// </summary>
/// <remarks>
/// Candidates are cut back to the wanted number whenever there are several times as many. What is cut has at that time
/// so many keys above it that it can only come back by a higher count, and then it is shown again.
/// </remarks>
internal sealed class TopKeys(int wanted)
{
    private readonly Dictionary<byte[], long> _candidates = new(KeyBytesComparer.Instance);
    private readonly int _limit = Math.Max(1024, 4 * wanted);
    private long _floor;

    /// <summary>Offers a key.</summary>
    public void Offer(ReadOnlySpan<byte> key, long count)
    {
        if (count < _floor || wanted == 0) return;
        var candidates = _candidates.GetAlternateLookup<ReadOnlySpan<byte>>();
        if (candidates.TryGetValue(key, out long known) && known >= count) return;
        candidates[key] = count;
        if (_candidates.Count > _limit) CutBack();
    }

    /// <summary>The most frequent keys, the first first; keys with equal counts are ordered by their bytes.</summary>
    public IReadOnlyList<CountedKey> InOrder() => [.. _candidates
        .OrderByDescending(candidate => candidate.Value)
        .ThenBy(candidate => candidate.Key, ByBytes)
        .Take(wanted)
        .Select(candidate => new CountedKey(candidate.Key, candidate.Value))];

    private static readonly Comparer<byte[]> ByBytes =
        Comparer<byte[]>.Create((left, right) => left.AsSpan().SequenceCompareTo(right));

    private void CutBack()
    {
        IReadOnlyList<CountedKey> kept = InOrder();
        _floor = kept[^1].Count;
        _candidates.Clear();
        foreach (CountedKey key in kept) _candidates.Add(key.Key, key.Count);
    }
}
