namespace Faster.Log;

/// <summary>
/// A session's freed records, by size class: first in limbo, with the epoch at which they were unlinked, then reusable
/// (paper 000 §4). Not thread-safe: it belongs to a session.
/// </summary>
internal sealed class FreeLists
{
    /// <summary>After so many frees the epoch is bumped, so that limbo empties.</summary>
    public const int BumpEvery = 64;

    private readonly Queue<(long Epoch, long Address, int Class)> _limbo = new();
    private readonly List<Stack<long>?> _free = [];

    /// <summary>The bytes left in the session's part of the arena, and where they begin.</summary>
    public long ArenaNext { get; set; }

    /// <summary>Where the session's part of the arena ends.</summary>
    public long ArenaEnd { get; set; }

    /// <summary>How many records wait for their epoch to be safe.</summary>
    public int InLimbo => _limbo.Count;

    /// <summary>Takes a record that others may still be looking at.</summary>
    public void AddToLimbo(long epoch, long address, int sizeClass) => _limbo.Enqueue((epoch, address, sizeClass));

    /// <summary>Takes a record that nobody else can see.</summary>
    public void Add(long address, int sizeClass)
    {
        while (_free.Count <= sizeClass) _free.Add(null);
        (_free[sizeClass] ??= new Stack<long>()).Push(address);
    }

    /// <summary>Gives a record of a class out again.</summary>
    /// <param name="sizeClass">The class.</param>
    /// <param name="safeEpoch">The newest safe epoch: records unlinked in it or before leave limbo.</param>
    /// <param name="address">The record.</param>
    public bool TryTake(int sizeClass, long safeEpoch, out long address)
    {
        while (_limbo.TryPeek(out var oldest) && oldest.Epoch <= safeEpoch)
        {
            _limbo.Dequeue();
            Add(oldest.Address, oldest.Class);
        }

        address = 0;
        return sizeClass < _free.Count && _free[sizeClass] is { } stack && stack.TryPop(out address);
    }

    /// <summary>Takes over everything of another session's lists.</summary>
    public void Adopt(FreeLists other)
    {
        while (other._limbo.TryDequeue(out var record)) _limbo.Enqueue(record);
        for (int c = 0; c < other._free.Count; c++)
        {
            while (other._free[c] is { } stack && stack.TryPop(out long address)) Add(address, c);
        }
    }
}
