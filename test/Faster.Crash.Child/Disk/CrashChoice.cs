namespace Faster.Crash.Disk;

/// <summary>What a crash leaves of one unsynced write.</summary>
internal enum WriteFate
{
    /// <summary>Nothing of it is durable.</summary>
    Lost,

    /// <summary>All of it is durable.</summary>
    Kept,

    /// <summary>Some of its sectors are durable.</summary>
    Torn,

    /// <summary>The file has the length that the write gives it, with zeros in place of the content.</summary>
    Hollow,
}

/// <summary>Which unsynced parts of a disk a crash keeps: chosen by a seed, the same for the same seed.</summary>
/// <remarks>
/// Seeds 0 to 3 are the corners: nothing kept, all kept, names without content, content without names. The others draw
/// one rule for content and one for names: each by itself, a prefix, all but one, only one. Not thread-safe.
/// </remarks>
internal sealed class CrashChoice
{
    private readonly Random _random;
    private readonly Manner _writes, _names;
    private readonly double _part;

    public CrashChoice(int seed)
    {
        _random = new Random(seed);
        _writes = seed switch { 0 or 2 => Manner.None, 1 or 3 => Manner.All, _ => Draw() };
        _names = seed switch { 0 or 3 => Manner.None, 1 or 2 => Manner.All, _ => Draw() };
        _part = _random.NextDouble();
    }

    private enum Manner
    {
        None,
        All,
        Each,
        Prefix,
        AllButOne,
        OnlyOne,
        TornEach,
    }

    /// <summary>The fate of a write, given its index among the unsynced writes of its file.</summary>
    public WriteFate OfWrite(int index, int count)
    {
        if (_writes is Manner.All or Manner.None || _random.Next(4) != 0)
            return Keeps(_writes, index, count) ? WriteFate.Kept : WriteFate.Lost;
        return _random.Next(3) switch { 0 => WriteFate.Hollow, 1 => WriteFate.Lost, _ => WriteFate.Torn };
    }

    /// <summary>Whether a creation, renaming or deletion is kept, given its index among the unsynced ones.</summary>
    public bool OfName(int index, int count) => Keeps(_names, index, count);

    /// <summary>Whether one sector of a torn write is kept.</summary>
    public bool KeepsSector() => _random.Next(2) == 0;

    private Manner Draw() => (Manner)_random.Next(Enum.GetValues<Manner>().Length);

    private bool Keeps(Manner manner, int index, int count) => manner switch
    {
        Manner.None => false,
        Manner.All => true,
        Manner.Prefix => index < (int)(_part * (count + 1)),
        Manner.AllButOne => index != (int)(_part * count),
        Manner.OnlyOne => index == (int)(_part * count),
        Manner.TornEach => _random.Next(2) == 0,
        _ => _random.NextDouble() < _part,
    };
}
