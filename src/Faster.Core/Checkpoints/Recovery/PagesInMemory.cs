namespace Faster.Checkpoints.Recovery;

/// <summary>How far a recovery has come with each page that stays in memory.</summary>
/// <remarks>
/// <para>Invariants: pages become ready in ascending order, each once all pages up to it are loaded.</para>
/// <para>Thread-safe, by a short lock.</para>
/// </remarks>
internal sealed class PagesInMemory
{
    private readonly Lock _lock = new();
    private readonly int _pageBits;
    private readonly long _first;
    private readonly long[] _missing; // bytes of each page that are not loaded
    private readonly bool[] _settled;
    private int _ready;

    /// <summary>Makes the list of the pages between two addresses, none of them loaded.</summary>
    /// <param name="pageBits">The base-2 logarithm of the page size.</param>
    /// <param name="from">The first address in memory.</param>
    /// <param name="to">The first address behind what is loaded.</param>
    public PagesInMemory(int pageBits, long from, long to)
    {
        (_pageBits, _first) = (pageBits, from >> pageBits);
        _missing = new long[Math.Max(((to - 1) >> pageBits) + 1 - _first, 0)];
        _settled = new bool[_missing.Length];
        for (int i = 0; i < _missing.Length; i++)
        {
            long start = (_first + i) << pageBits;
            _missing[i] = Math.Min(start + (1L << pageBits), to) - Math.Max(start, from);
        }
    }

    /// <summary>Counts a part of one page as loaded; each part once.</summary>
    /// <param name="from">The first address of the part.</param>
    /// <param name="to">The first address behind it.</param>
    /// <param name="onReady">Called with each page that this makes ready.</param>
    public void Load(long from, long to, Action<long> onReady)
    {
        lock (_lock)
        {
            _missing[(from >> _pageBits) - _first] -= to - from;
            while (_ready < _missing.Length && _missing[_ready] == 0) onReady(_first + _ready++);
        }
    }

    /// <summary>Whether all pages are settled.</summary>
    public bool AreSettled => Array.TrueForAll(_settled, static settled => settled);

    /// <summary>Records whether a page is settled.</summary>
    public void SetSettled(long page, bool settled) => Volatile.Write(ref _settled[page - _first], settled);

    /// <summary>Whether a page is settled.</summary>
    public bool IsSettled(long page) => Volatile.Read(ref _settled[page - _first]);
}
