using Faster.Contracts;
using Faster.Engines.HotRing.Hotspots;
using Faster.Engines.HotRing.Rehash;
using Faster.Engines.HotRing.Rings;
using Faster.Log.InMemory;
using Faster.Log.Records;

namespace Faster.Engines.HotRing;

/// <summary>
/// What the calls of a session work with, but for hits. A session that is made of one that has ended takes it over.
/// </summary>
/// <remarks>
/// Invariant: between two operations no block is reserved. Not thread-safe: it belongs to one session at a time.
/// </remarks>
internal sealed unsafe class RingWork
{
    private readonly HotRingStore _store;
    private readonly HotspotSampler _hotspots;
    private readonly AccessCounter _accesses;
    private RingState? _state; // in which the session has worked last
    private byte* _reserved;   // a block that is not linked
    private int _reservedSize;

    /// <summary>Makes the work of a session.</summary>
    /// <param name="store">Its store.</param>
    /// <param name="mover">The number under which it moves heads.</param>
    public RingWork(HotRingStore store, int mover)
    {
        _store = store;
        Editor = new RingEditor(store.Arena, Lists, store.Layout, mover);
        _hotspots = new HotspotSampler(Editor, store.Options.Strategy);
        _accesses = new AccessCounter(store.Accesses);
    }

    /// <summary>Searches and changes rings.</summary>
    public RingEditor Editor { get; }

    /// <summary>The session's free memory.</summary>
    public FreeLists Lists { get; } = new();

    /// <summary>What the user's updaters write new values to.</summary>
    public ValueBuffer Buffer { get; } = new();

    /// <summary>Lets go of all that the session has left; false if there is anything that another could meet.</summary>
    public bool TryLetGo()
    {
        Buffer.Trim();
        (_state, Editor.View) = (null, default);
        return _reserved == null;
    }

    /// <summary>Counts for another session.</summary>
    public void BeginAnew()
    {
        _accesses.BeginAnew();
        _hotspots.BeginAnew();
    }

    /// <summary>Reads the state of the index.</summary>
    /// <returns>Whether it is another one than before; then the editor has its view.</returns>
    public bool TryRefresh()
    {
        RingState state = _store.Index.State;
        if (ReferenceEquals(state, _state)) return false;
        _accesses.Forget(); // what was counted in longer rings tells nothing of these
        _state = state;
        Editor.View = state.View;
        return true;
    }

    /// <summary>Called after an operation has found its key or its place.</summary>
    public void Note(in RingPlace place, bool isFound, bool isReplaced, bool isDue)
    {
        if (isDue) _accesses.Add(place.Accesses);
        byte* counted = isReplaced ? place.Previous : place.Item;
        _hotspots.OnAccess(place.Head, place.Item, counted, isDue && isFound);
    }

    /// <summary>Leaves to the store what the session has counted, when it ends.</summary>
    public void EndCounting()
    {
        if (!ReferenceEquals(_state, _store.Index.State)) _accesses.Forget();
        _accesses.AddRest();
    }

    /// <summary>Adds what the session has counted.</summary>
    public void AddFiguresTo(SessionFigures figures)
    {
        figures.Operations += _accesses.Operations;
        figures.Accesses += _accesses.Accesses;
        figures.Moves += _hotspots.Moves;
        figures.Rounds += _hotspots.Rounds;
    }

    /// <summary>Takes a block for an item that replaces an old one, or for a new key if that is null.</summary>
    /// <returns>False if memory is short for a moment.</returns>
    public bool TryReserve<TKey>(scoped TKey key, ulong hash, int length, byte* old, out byte* item)
        where TKey : struct, IKey, allows ref struct
    {
        int size = (int)_store.Layout.Size(key.SlotSize, length);
        bool replaces = old != null && size <= _store.Layout.Size(old);
        if (!TryAllocate(size, replaces, out item)) return false;
        _reserved = item;
        _reservedSize = size;
        ItemLayout.SetHash(item, hash);
        key.WriteTo(item + ItemLayout.KeyOffset);
        if (_store.Layout.ValueSize == 0)
        {
            byte* slot = ItemLayout.ValueSlotOf(item, key.SlotSize);
            ValueLayout.Begin(slot, length, ValueLayout.SlotSize(length));
        }

        return true;
    }

    /// <summary>Notes that the block that was taken is linked.</summary>
    public void Linked() => _reserved = null;

    /// <summary>Frees the block that was taken and is not linked, if there is one.</summary>
    public void Unreserve()
    {
        if (_reserved == null) return;
        _store.Arena.Free(Lists, (long)_reserved, _reservedSize, everLinked: false);
        _reserved = null;
    }

    // While the index is doubled it has memory that records will get back: whatever lacks memory then waits.
    private bool TryAllocate(int size, bool replaces, out byte* item)
    {
        long turn = _store.Index.Turn;
        try
        {
            bool isAllocated = _store.Arena.TryAllocate(Lists, size, out long address, replaces);
            item = (byte*)address;
            return isAllocated;
        }
        catch (LimitExceededException) when (_store.Index.IsRehashing || _store.Index.Turn != turn)
        {
            item = null;
            return false;
        }
    }
}
