using Faster.Engines.HotRing.Rings;
using Faster.Probes;

namespace Faster.Engines.HotRing.Hotspots;

/// <summary>
/// Finds the hot item of a ring: after every R-th operation by random movement, or by counting accesses and moving the
/// head to where they are shortest (paper 002 §3.2).
/// </summary>
/// <remarks>
/// <para>Counts are statistics: an access that loses a race is not counted, and nothing depends on one.</para>
/// <para>Called under the session's epoch. Not thread-safe: it belongs to one session.</para>
/// </remarks>
internal sealed unsafe class HotspotSampler(RingEditor editor, HotspotStrategy strategy)
{
    private const int MaxItems = HeadWord.MaxCounter; // of a ring, as far as it is looked at

    /// <summary>How many heads the session has moved to hot items.</summary>
    public long Moves { get; private set; }

    /// <summary>How many rounds of sampling the session has begun.</summary>
    public long Rounds { get; private set; }

    /// <summary>Counts for another session.</summary>
    public void BeginAnew() => (Moves, Rounds) = (0, 0);

    /// <summary>Called after an operation has found its key, or its place.</summary>
    /// <param name="head">The head of the ring.</param>
    /// <param name="item">The item that was accessed, or at which the search for an absent key ended; or null.</param>
    /// <param name="counted">
    /// The item whose access is counted: the same, or the one before it if the item was replaced, because a replacement
    /// needs both (§3.2.2).
    /// </param>
    /// <param name="mayBegin">
    /// Whether a hot item may be looked for: after the session's R-th operation, if it has found its key.
    /// </param>
    /// <remarks>
    /// A search for an absent key takes as many steps as an access to the item at which it ends, and is counted as one.
    /// If it were not counted, a ring would be sampled until accesses to its own keys come, which may be never.
    /// </remarks>
    public void OnAccess(ulong* head, byte* item, byte* counted, bool mayBegin)
    {
        ulong word = Volatile.Read(ref *head);
        if (HeadWord.IsSampling(word))
        {
            if (Probe.On && Probe.Has(SeededBug.UpdateCountsItem)) counted = item;
            Count(head, word, counted);
            return;
        }

        bool isHot = (byte*)HeadWord.Address(word) == counted;
        if (!mayBegin || isHot || !editor.MayMove(word)) return;
        if (strategy == HotspotStrategy.StatisticalSampling) Begin(head, word);
        else if (editor.TryMoveHead(head, counted)) Moves++;
    }

    // As many accesses are counted as the ring has items.
    private void Begin(ulong* head, ulong word)
    {
        int items = 0;
        for (var walk = new RingWalk(word); items < MaxItems && walk.MoveNext(); items++)
        {
            ref ulong itemWord = ref ItemLayout.Word(walk.Item);
            if ((walk.Word & ItemWord.CounterMask) == 0) continue;
            Probe.Point(ProbePoint.RingSwap);
            Interlocked.CompareExchange(ref itemWord, walk.Word & ~ItemWord.CounterMask, walk.Word);
        }

        if (items < 2) return;
        Probe.Point(ProbePoint.RingSwap);
        ulong sampling = HeadWord.Sampling(word, items);
        if (Interlocked.CompareExchange(ref *head, sampling, word) == word) Rounds++;
    }

    private void Count(ulong* head, ulong word, byte* item)
    {
        ulong itemWord = item == null ? ItemWord.Occupied : Volatile.Read(ref ItemLayout.Word(item));
        bool isFull = (itemWord & ItemWord.CounterMask) == ItemWord.CounterMask;
        if (!ItemWord.IsOccupied(itemWord) && !ItemWord.IsRehash(itemWord) && !isFull)
        {
            Probe.Point(ProbePoint.RingSwap);
            Interlocked.CompareExchange(ref ItemLayout.Word(item), itemWord + ItemWord.OneAccess, itemWord);
        }

        int left = HeadWord.Counter(word) - 1;
        bool isLast = left <= 0;
        ulong next = !isLast ? HeadWord.Sampling(word, left)
            : editor.Mover == 0 ? HeadWord.AtRest(word) : HeadWord.Moving(word, editor.Mover);
        Probe.Point(ProbePoint.RingSwap);
        if (Interlocked.CompareExchange(ref *head, next, word) == word && isLast && editor.Mover != 0)
            Adjust(head, next);
    }

    // This session alone has ended the round. It is now the mover; any other may end that.
    private void Adjust(ulong* head, ulong moving)
    {
        byte* best = Best(moving);
        if (best == (byte*)HeadWord.Address(moving)) RingEditor.Rest(head, moving);
        else if (editor.TryFinishMove(head, moving, best) || editor.TryMoveHead(head, best)) Moves++;
    }

    /// <summary>The item from which the counted accesses are shortest.</summary>
    /// <remarks>
    /// With the head at item t of k, the item i is (i - t) mod k steps away, so the accesses counted at all items n_i
    /// take W_t = Σ n_i · ((i - t) mod k) steps (formula 6, times N). To move the head from t to t + 1 brings each item
    /// one step nearer but t itself, which becomes the last: W_{t+1} = W_t - (N - n_t) + (k - 1) · n_t
    /// = W_t - N + k · n_t. So two rounds of the ring give the smallest one.
    /// </remarks>
    private static byte* Best(ulong moving)
    {
        long all = 0, income = 0, items = 0;
        for (var walk = new RingWalk(moving); items < MaxItems && walk.MoveNext(); items++)
        {
            int accesses = ItemWord.Accesses(walk.Word);
            all += accesses;
            income += accesses * items;
        }

        byte* best = (byte*)HeadWord.Address(moving);
        long least = long.MaxValue, t = 0;
        for (var walk = new RingWalk(moving); t < items && walk.MoveNext(); t++)
        {
            if (income < least)
            {
                least = income;
                best = walk.Item;
            }

            income += (items * ItemWord.Accesses(walk.Word)) - all;
        }

        return best;
    }
}
