using Faster.Probes;

namespace Faster.Log.InMemory;

/// <summary>
/// The free lists of all sessions, so that a session that lacks memory can take what the others keep, whether they work
/// or idle.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>What lists hold is accessed by their session alone, or by the one thread that has claimed them.</item>
/// <item>If a session keeps anything, <c>_mayKeep</c> is set, or its lists are entered, or a thread is
/// claiming.</item>
/// </list>
/// <para><b>Why two threads are never in one session's lists.</b> A session marks its lists entered, and then looks
/// whether they are closed; both are plain accesses, without a fence. A claiming thread closes the lists, passes a
/// barrier for the whole process, and then looks whether they are entered. If the session's mark was written before the
/// barrier, the claiming thread sees it, and leaves these lists to their session, unless the session has left since:
/// then it sees all that the session has written. If the mark is written after the barrier, the session also looks
/// after it, finds the lists closed, and does without them. So neither waits for the other. (A process-wide barrier,
/// because claims are rare and a fence would cost each allocation some 20 cycles.) The lists are opened again by a
/// release, and the session's look that finds them open is an acquire. ∎</para>
/// <para>Thread-safe. One thread claims at a time; only a session that is closed waits for it.</para>
/// </remarks>
internal sealed class OpenLists
{
    private readonly List<FreeLists> _all = [];
    private int _isHeld; // whether a thread claims, or changes the list of all
    private int _mayKeep;

    /// <summary>Gives a session's lists a place, and opens them, unless another thread is at it.</summary>
    public bool TryAdd(FreeLists lists)
    {
        if (!TryHold()) return false;
        lists.Place = _all.Count;
        _all.Add(lists);
        lists.IsClosed = false;
        Volatile.Write(ref _isHeld, 0);
        return true;
    }

    /// <summary>Removes the lists of a session that has ended, outside every epoch; they may have no place.</summary>
    public void Remove(FreeLists lists)
    {
        if (lists.Place < 0) return;
        while (!TryHold())
            if (!(Probe.On && Probe.Wait(null))) Thread.Yield();
        FreeLists last = _all[^1];
        _all[last.Place = lists.Place] = last;
        _all.RemoveAt(_all.Count - 1);
        lists.Place = -1;
        lists.IsClosed = true;
        Volatile.Write(ref _isHeld, 0);
    }

    /// <summary>Called by a session that is about to leave its lists and keeps something in them.</summary>
    public void NoteKept()
    {
        if (Volatile.Read(ref _mayKeep) == 0) Volatile.Write(ref _mayKeep, 1);
    }

    /// <summary>Claims the lists of all sessions that are not in theirs, and empties them.</summary>
    /// <param name="empty">Empties lists.</param>
    /// <param name="hasKept">Whether sessions had kept anything since the last claim.</param>
    /// <returns>False if some may still keep something: they are in their lists, or another thread claims.</returns>
    public bool TryClaim(Action<FreeLists> empty, out bool hasKept)
    {
        hasKept = Volatile.Read(ref _mayKeep) != 0;
        if (!TryHold()) return false;
        bool isWhole = true;
        if (hasKept)
        {
            Volatile.Write(ref _mayKeep, 0);
            foreach (FreeLists lists in _all) lists.IsClosed = true;
            Probe.Point(ProbePoint.FreeList);
            if (!(Probe.On && Probe.TakesTurns)) Interlocked.MemoryBarrierProcessWide();
            foreach (FreeLists lists in _all) isWhole &= TryEmpty(lists, empty);
        }

        Volatile.Write(ref _isHeld, 0);
        return isWhole;
    }

    private bool TryEmpty(FreeLists lists, Action<FreeLists> empty)
    {
        Probe.Point(ProbePoint.FreeList);
        bool isEntered = lists.IsEntered && !(Probe.On && Probe.Has(SeededBug.ClaimsEnteredLists));
        if (isEntered) NoteKept();
        else empty(lists);
        lists.IsClosed = false;
        return !isEntered;
    }

    private bool TryHold() => Interlocked.CompareExchange(ref _isHeld, 1, 0) == 0;
}
