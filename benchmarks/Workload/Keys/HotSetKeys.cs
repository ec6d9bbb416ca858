namespace Faster.Workload;

/// <summary>
/// A hot fifth of the keys gets nine operations in ten, the rest of the keys the tenth; each part uniformly (paper 000,
/// §7.5). The hot keys are scattered over the key space.
/// </summary>
/// <param name="keys">How many keys there are.</param>
/// <param name="period">
/// After how many draws the hot set has wandered once over all keys, one key leaving and one entering at a time; 0 for
/// one that stays.
/// </param>
internal sealed class HotSetKeys(int keys, int period) : IKeyPicker
{
    /// <summary>The part of the keys that is hot.</summary>
    public const double HotPart = 0.2;

    /// <summary>The part of the operations that go there.</summary>
    public const double HotShare = 0.9;

    private readonly int _hot = Math.Max(1, (int)(keys * HotPart));
    private int _drawn;

    /// <inheritdoc/>
    public int Next(ref SplitMix64 random)
    {
        long start = period == 0 ? 0 : (long)keys * _drawn / period;
        _drawn = _drawn + 1 == period ? 0 : _drawn + 1;
        bool isHot = _hot == keys || random.NextUnit() < HotShare;
        int place = isHot ? random.NextBelow(_hot) : _hot + random.NextBelow(keys - _hot);
        return ZipfKeys.Scatter((int)((start + place) % keys), keys);
    }
}
