using Faster.Devices.Segments;
using Faster.Invariants;

namespace Faster.Devices.IOUring;

/// <summary>
/// The requests that a ring's kernel side may be working on, by the number that their submissions carry.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>A slot is free, or has one request and the segment that it holds open.</item>
/// <item>The number of requests inside is the number of slots that are not free.</item>
/// <item>A slot is released once for each time it is taken.</item>
/// </list>
/// <para>Guarded by its queue's lock, except for <see cref="Inside"/>, which any thread may read.</para>
/// </remarks>
internal sealed class RingSlots
{
    private readonly Slot[] _slots;
    private readonly Stack<int> _free = new();
    private int _inside;

    /// <summary>Creates slots, all of them free.</summary>
    public RingSlots(int count)
    {
        _slots = new Slot[count];
        for (int i = count - 1; i >= 0; i--) _free.Push(i);
    }

    /// <summary>The number of requests inside.</summary>
    public int Inside => Volatile.Read(ref _inside);

    /// <summary>Whether a request can be taken.</summary>
    public bool HasFree => _free.Count != 0;

    /// <summary>The slot that is in use under a number.</summary>
    public ref Slot this[int number] => ref _slots[number];

    /// <summary>Checks that the kernel has returned the number of a request that is inside.</summary>
    public void CheckIsInside(ulong number) => Invariant.Check(
        number < (ulong)_slots.Length && _slots[number].Request is not null,
        $"a completion belongs to a request in the ring: {number} of {_slots.Length} slots");

    /// <summary>Puts a request into a free slot.</summary>
    /// <returns>The slot's number.</returns>
    public int Take(IORequest request, Segment segment, SegmentRoute route)
    {
        int number = _free.Pop();
        _slots[number] = new Slot { Request = request, Segment = segment, Route = route, File = segment.File };
        Volatile.Write(ref _inside, _inside + 1);
        return number;
    }

    /// <summary>Frees a slot, and releases its segment.</summary>
    /// <returns>The slot's request.</returns>
    public IORequest Release(int number)
    {
        ref Slot slot = ref this[number];
        IORequest request = slot.Request;
        slot.Segment.Release();
        slot = default;
        _free.Push(number);
        Volatile.Write(ref _inside, _inside - 1);
        Invariant.DebugCheck(
            _inside == _slots.Length - _free.Count, $"{_inside} requests are inside, {_free.Count} slots are free");
        return request;
    }

    /// <summary>A request, and how far it is.</summary>
    public struct Slot
    {
        /// <summary>The request; null in a free slot.</summary>
        public IORequest Request;

        /// <summary>The request's segment, held.</summary>
        public Segment Segment;

        /// <summary>The files of the request's device.</summary>
        public SegmentRoute Route;

        /// <summary>The system's number of the segment's file.</summary>
        public int File;

        /// <summary>The number of bytes that have been transferred.</summary>
        public int Done;

        /// <summary>Whether the transfer bypassed the system's cache when it was submitted.</summary>
        public bool Unbuffered;

        /// <summary>Whether a worker of the kernel runs it, which may block.</summary>
        public bool OnWorker;
    }
}
