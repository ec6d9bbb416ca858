using Faster.Engines.HotRing.Rings;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Probes;

namespace Faster.Engines.HotRing.Rehash;

/// <summary>
/// The table of heads, and its doubling while operations go on (paper 002 §3.4).
/// </summary>
/// <remarks>
/// <para><b>Algorithm.</b> The ring of a bucket is ordered by hashes, so it consists of two halves, one for each of the
/// two new buckets. The rehash thread:</para>
/// <list type="number">
/// <item><i>Initialization</i>: makes the new table, whose heads are all <see cref="HeadWord.Unsplit"/>, publishes it
/// with the old one, and waits until no operation that knows the old one alone is under way. An operation that finds
/// its new head unsplit begins at the old head.</item>
/// <item><i>Split</i>, of a part of the rings: inserts two rehash items into each ring, with the smallest hashes of its
/// halves, as any session inserts an item, and points the two new heads to them. Then it waits until no operation is
/// under way that found one of these heads unsplit.</item>
/// <item>Now every operation in these rings begins at a rehash item and ends before the next one. So each ring can be
/// parted: the last item of each half is made to lead to the rehash item of its own half, by one swap each. The new
/// head of the half that has the hot item moves to it.</item>
/// <item><i>Deletion</i>: deletes the rehash items as any session deletes an item, and waits for another epoch. Then
/// their memory serves the next part, from 2 on.</item>
/// <item>Publishes the new table alone, and frees the old one once no operation uses it.</item>
/// </list>
/// <para>The paper splits all rings at once. In parts, the rehash items of all rings need not fit into memory, which
/// would be twice as large as the new table; and a ring is without its hot item for a moment only.</para>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between 2 and 3, operations of two kinds run in a ring. Those that begin at the old head move it. Those that
/// begin at the new heads move none, because only from its rehash item on all items of a half are found; so a head is
/// moved only if it points to no rehash item. After 3, none begins at the old head.</item>
/// <item>From 1 to 5, every operation looks at the old head and the new one before it unlinks an item. So the old head
/// points to a linked item until the ring is parted; what it points to then is not read.</item>
/// <item>One rehash runs at a time, from <see cref="TryBegin"/> to <see cref="End"/>.</item>
/// </list>
/// <para>No operation waits for the rehash thread, which alone waits, for epochs. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class RingIndex : IDisposable
{
    private const int Parts = 16;

    private readonly EpochTable _epochs;
    private RingState _state;
    private long _turn; // odd while the index is being doubled
    private long _rehashes;

    /// <summary>Makes an index of empty rings.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="bits">The binary logarithm of the number of rings.</param>
    public RingIndex(EpochTable epochs, int bits)
    {
        _epochs = epochs;
        _state = new RingState(new RingTable(bits), null);
    }

    /// <summary>The state; valid under the epoch in which it was read.</summary>
    public RingState State => Volatile.Read(ref _state);

    /// <summary>The binary logarithm of the number of rings.</summary>
    public int Bits => State.Table.Bits;

    /// <summary>How often the index was doubled.</summary>
    public long Rehashes => Volatile.Read(ref _rehashes);

    /// <summary>Changes when a rehash begins, and when it ends.</summary>
    public long Turn => Volatile.Read(ref _turn);

    /// <summary>Whether the index is being doubled.</summary>
    public bool IsRehashing => Turn % 2 != 0;

    /// <summary>The fewest rings that are split at once.</summary>
    public long LeastAtOnce { get; set; } = 1 << 10;

    /// <summary>The most memory in bytes that an index needs while it is doubled to a size.</summary>
    public long BytesWhileGrowingTo(int bits) =>
        RingTable.BytesOf(bits) + RingTable.BytesOf(bits - 1) + RehashItems.BytesFor(AtOnce(bits - 1));

    /// <summary>Takes the right to double the index, until <see cref="End"/>.</summary>
    public bool TryBegin()
    {
        long turn = Turn;
        return turn % 2 == 0 && Interlocked.CompareExchange(ref _turn, turn + 1, turn) == turn;
    }

    /// <summary>Gives the right back.</summary>
    public void End()
    {
        long turn = Interlocked.Increment(ref _turn);
        Invariant.Check(turn % 2 == 0, $"a rehash ends once; turn {turn}");
    }

    /// <summary>Doubles the index. The caller has begun a rehash.</summary>
    /// <param name="editor">The editor of the caller.</param>
    /// <param name="slot">The caller's epoch slot, idle.</param>
    /// <exception cref="LimitExceededException">The system refuses the memory; nothing has changed.</exception>
    public void Rehash(RingEditor editor, EpochSlot* slot)
    {
        RingTable old = State.Table;
        var table = new RingTable(old.Bits + 1, HeadWord.Unsplit);
        RehashItems items;
        try
        {
            items = new RehashItems(AtOnce(old.Bits));
        }
        catch
        {
            table.Dispose();
            throw;
        }

        Publish(new RingState(table, old));
        editor.View = State.View;
        var splitter = new RingSplitter(editor, items, table, old);
        for (long first = 0; first < old.Count; first += items.Rings)
        {
            long end = Math.Min(first + items.Rings, old.Count);
            items.BeginAt(table, first);
            ForEachRing(slot, first, end, splitter.Insert);
            if (!(Probe.On && Probe.Has(SeededBug.SplitRingsAtOnce))) WaitUntilSafe();
            ForEachRing(slot, first, end, splitter.Part);
            if (!(Probe.On && Probe.Has(SeededBug.RehashItemsReusedAtOnce))) WaitUntilSafe();
        }

        Publish(new RingState(table, null));
        old.Dispose();
        items.Dispose();
        Interlocked.Increment(ref _rehashes);
    }

    /// <summary>Frees the table. No session is inside an epoch, and no rehash runs.</summary>
    public void Dispose()
    {
        State.Table.Dispose();
        State.Old?.Dispose(); // a rehash has failed half-way
    }

    private long AtOnce(int bits) => Math.Min(1L << bits, Math.Max((1L << bits) / Parts, LeastAtOnce));

    private void Publish(RingState state)
    {
        Probe.Point(ProbePoint.RingSwap);
        Volatile.Write(ref _state, state);
        WaitUntilSafe();
    }

    // Leaves its epoch from ring to ring, so that no memory waits for the whole rehash.
    private void ForEachRing(EpochSlot* slot, long first, long end, Action<long> step)
    {
        for (long ring = first; ring < end; ring++)
        {
            _epochs.Enter(slot);
            step(ring);
            _epochs.Leave(slot);
        }
    }

    private void WaitUntilSafe()
    {
        bool isSafe = false;
        _epochs.Bump(() => Volatile.Write(ref isSafe, true));
        while (!Volatile.Read(ref isSafe))
        {
            _epochs.Drain();
            if (Volatile.Read(ref isSafe) || (Probe.On && Probe.Wait(() => Volatile.Read(ref isSafe)))) continue;
            Thread.Yield();
        }
    }
}
