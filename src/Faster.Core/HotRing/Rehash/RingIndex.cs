using Faster.Contracts;
using Faster.Epochs;
using Faster.HotRing.Rings;
using Faster.Invariants;

namespace Faster.HotRing.Rehash;

/// <summary>
/// The table of heads, and its doubling while operations go on (paper 002 §3.4).
/// </summary>
/// <remarks>
/// <para><b>Algorithm.</b> The ring of a bucket is ordered by hashes, so it consists of two halves, one for each of the
/// two new buckets. The rehash thread:</para>
/// <list type="number">
/// <item><i>Initialization</i>: makes the new table, and for each new bucket a rehash item with the smallest hash of
/// the bucket.</item>
/// <item><i>Split</i>: inserts the two rehash items into each ring, as any session inserts an item, and points the new
/// heads to them. Then it publishes the new table with the old one, and waits until no operation of the state before is
/// under way.</item>
/// <item>Now every operation begins at a rehash item and ends before the next one. So the rings can be parted: the last
/// item of each half is made to lead to the rehash item of its own half, by one swap each. Then the new table is
/// published alone, and heads may move again.</item>
/// <item><i>Deletion</i>: frees the old table once no operation uses it, deletes the rehash items as any session
/// deletes an item, and frees them after another epoch.</item>
/// </list>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between 2 and 3, operations of two states run. Those of the state before begin at the old heads, and move
/// them; the others begin at the new heads, which are not moved, and look at both heads before they unlink an
/// item.</item>
/// <item>After 3, operations of the transition may still run beside those of the new table: both look at the new heads
/// before they unlink an item.</item>
/// <item>One rehash runs at a time.</item>
/// </list>
/// <para>No operation waits for the rehash thread, which alone waits, for epochs. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class RingIndex<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private readonly EpochTable<TProbe> _epochs;
    private RingState _state;
    private int _isRehashing;
    private long _rehashes;

    /// <summary>Makes an index of empty rings.</summary>
    /// <param name="epochs">The epochs of the sessions.</param>
    /// <param name="bits">The binary logarithm of the number of rings.</param>
    public RingIndex(EpochTable<TProbe> epochs, int bits)
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

    /// <summary>Whether the index is being doubled.</summary>
    public bool IsRehashing => Volatile.Read(ref _isRehashing) != 0;

    /// <summary>The memory in bytes that an index of a size needs, and the most while it is doubled to that
    /// size.</summary>
    public static long BytesWhileGrowingTo(int bits) =>
        RingTable.BytesOf(bits) + RingTable.BytesOf(bits - 1) + RehashItems.BytesFor(bits);

    /// <summary>Takes the right to double the index, which <see cref="Rehash"/> gives back.</summary>
    public bool TryBegin() => Interlocked.CompareExchange(ref _isRehashing, 1, 0) == 0;

    /// <summary>Gives the right back without a rehash.</summary>
    public void Abandon() => Volatile.Write(ref _isRehashing, 0);

    /// <summary>Doubles the index. The caller has begun a rehash.</summary>
    /// <param name="editor">The editor of the caller.</param>
    /// <param name="slot">The caller's epoch slot, idle.</param>
    /// <exception cref="LimitExceededException">The system refuses the memory; nothing has changed.</exception>
    public void Rehash(RingEditor<TProbe> editor, EpochSlot* slot)
    {
        RehashItems? items = null;
        RingTable? table = null;
        RingTable old = State.Table;
        try
        {
            table = new RingTable(old.Bits + 1);
            items = new RehashItems(table);
        }
        catch
        {
            table?.Dispose();
            Abandon();
            throw;
        }

        var splitter = new RingSplitter<TProbe>(editor, items, table);
        ForEachRing(slot, editor, old, splitter.Insert);
        Publish(new RingState(table, old), isSafe: !TProbe.Has(SeededBug.SplitRingsAtOnce));
        ForEachRing(slot, editor, old, splitter.Part);
        Publish(new RingState(table, null), isSafe: true);
        old.Dispose();
        ForEachRing(slot, editor, table, splitter.Delete);
        WaitUntilSafe();
        items.Dispose();
        Interlocked.Increment(ref _rehashes);
        Abandon();
    }

    /// <summary>Frees the table. No session is inside an epoch.</summary>
    public void Dispose()
    {
        Invariant.Check(!IsRehashing, $"an index that is being doubled is not disposed of");
        State.Table.Dispose();
    }

    private void Publish(RingState state, bool isSafe)
    {
        TProbe.Point(ProbePoint.RingSwap);
        Volatile.Write(ref _state, state);
        if (isSafe) WaitUntilSafe();
    }

    // Leaves its epoch from ring to ring, so that no memory waits for the whole rehash.
    private void ForEachRing(EpochSlot* slot, RingEditor<TProbe> editor, RingTable table, Action<long> step)
    {
        for (long ring = 0; ring < table.Count; ring++)
        {
            _epochs.Enter(slot);
            editor.View = State.View;
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
            if (!Volatile.Read(ref isSafe) && !TProbe.Wait(() => Volatile.Read(ref isSafe))) Thread.Yield();
        }
    }
}
