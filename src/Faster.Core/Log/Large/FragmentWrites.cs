using Faster.Invariants;

namespace Faster.Log.Large;

/// <summary>
/// Registers large values whose fragments are being written and whose record is not linked yet, and how far truncation
/// proceeds regardless.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The fragments of a registered value lie at or above its <see cref="Write.Address"/>, which never falls.</item>
/// <item><see cref="Floor"/> never falls. Once the epoch has passed, no record is linked to fragments below it.</item>
/// </list>
/// <para>A writer registers before it allocates; truncation reads the tail before the registered writers. At least one
/// of them sees the other. Truncation spares a registered writer's fragments so that its work is not lost, except for a
/// writer that has made no progress for <see cref="StallTimeout"/>.</para>
/// <para><b>Passing over a stalled writer loses nothing.</b> Before a part of the log is truncated, <see cref="Floor"/>
/// is raised to its end and the epoch is waited for. An operation that links a record checks the floor in the same
/// epoch and does not link the record to fragments below it: it writes them again. So after the wait each fragment
/// below the floor either has a record or never gets one.</para>
/// <para>Thread-safe. A short lock, except for <see cref="Floor"/> and a writer's own reports: these are also called
/// inside an epoch and take no lock.</para>
/// </remarks>
internal sealed class FragmentWrites
{
    /// <summary>How long a writer without progress keeps its part of the log.</summary>
    public static readonly TimeSpan StallTimeout = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly List<Write> _writes = [];
    private long _floor;

    /// <summary>The clock; set before the first use.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>No record is linked to fragments below this address any more.</summary>
    public long Floor => Volatile.Read(ref _floor);

    /// <summary>The number of values that are being written.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
            {
                Prune();
                return _writes.Count;
            }
        }
    }

    /// <summary>Registers a value that will be written from an address on.</summary>
    /// <param name="tail">The log's tail: the value's fragments will lie at or above it.</param>
    public Write Begin(long tail)
    {
        var write = new Write(this, tail);
        lock (_lock)
        {
            Prune();
            _writes.Add(write);
        }

        return write;
    }

    /// <summary>
    /// The lowest address that belongs to a writer with progress; <see cref="long.MaxValue"/> when there is none.
    /// </summary>
    public long LowestHeld()
    {
        long now = Time.GetTimestamp(), lowest = long.MaxValue;
        lock (_lock)
        {
            Prune();
            foreach (Write write in _writes)
            {
                if (Time.GetElapsedTime(write.MovedAt, now) < StallTimeout) lowest = Math.Min(lowest, write.Address);
            }
        }

        return lowest;
    }

    /// <summary>Once the epoch has been waited for, no record is linked to fragments below the address.</summary>
    public void RaiseFloor(long address)
    {
        // Truncations are serialized: there is one caller at a time.
        if (address > _floor) Interlocked.Exchange(ref _floor, address);
    }

    private void Prune() => _writes.RemoveAll(static write => write.IsOver);

    /// <summary>One value that is being written.</summary>
    public sealed class Write
    {
        private readonly FragmentWrites _writes;
        private long _address;
        private long _movedAt;
        private volatile bool _isOver;

        internal Write(FragmentWrites writes, long address)
        {
            (_writes, _address) = (writes, address);
            _movedAt = writes.Time.GetTimestamp();
        }

        /// <summary>The lowest address that the value may need.</summary>
        public long Address => Volatile.Read(ref _address);

        /// <summary>The timestamp of the last progress, by <see cref="FragmentWrites.Time"/>.</summary>
        public long MovedAt => Volatile.Read(ref _movedAt);

        /// <summary>Whether the value's record has been linked, or its write abandoned.</summary>
        public bool IsOver => _isOver;

        /// <summary>Reports that a fragment was written.</summary>
        /// <param name="lowest">The address of the value's lowest fragment.</param>
        public void Move(long lowest)
        {
            Invariant.Check(lowest >= _address, $"a value's fragments lie above {_address}, the lowest at {lowest}");
            Volatile.Write(ref _address, lowest);
            Volatile.Write(ref _movedAt, _writes.Time.GetTimestamp());
        }

        /// <summary>Ends the registration: the record has been linked, or the write is abandoned. Idempotent.</summary>
        public void End() => _isOver = true;
    }
}
