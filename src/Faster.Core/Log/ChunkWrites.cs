namespace Faster.Log;

/// <summary>
/// Values in chunks whose writing has begun and whose record is not linked yet; and how far the log is given up all the
/// same.
/// </summary>
/// <remarks>
/// <para>A writer announces itself first and takes room then; who gives a part of the log up looks at the tail first
/// and at the writers then: one of them sees the other. It spares what a writer has begun, so that his work is not in
/// vain, but for one who has not moved for <see cref="Patience"/>.</para>
/// <para><b>Nothing is lost by passing him over.</b> Before a part is given up <see cref="Floor"/> is raised to its
/// end, and the epoch is waited for. Whoever links a record looks at it in the same epoch, and does not link it to
/// chunks below: he writes them again. So after the wait each chunk below has a record, or never gets one.</para>
/// <para>Thread-safe: a short lock, but for what a writer says of himself and for <see cref="Floor"/>, which are also
/// called inside an epoch and take none.</para>
/// </remarks>
internal sealed class ChunkWrites
{
    /// <summary>For so long a writer who does not move keeps his part of the log.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly List<Write> _writes = [];
    private long _floor;

    /// <summary>The clock; set before all use.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>No record is linked any more to chunks that begin below.</summary>
    public long Floor => Volatile.Read(ref _floor);

    /// <summary>How many values are being written.</summary>
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

    /// <summary>A value is going to be written from an address on.</summary>
    /// <param name="tail">The log's tail: the value's chunks will lie at or above it.</param>
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
    /// The lowest address that belongs to a writer who moves; <see cref="long.MaxValue"/> when there is none.
    /// </summary>
    public long LowestHeld()
    {
        long now = Time.GetTimestamp(), lowest = long.MaxValue;
        lock (_lock)
        {
            Prune();
            foreach (Write write in _writes)
            {
                if (Time.GetElapsedTime(write.MovedAt, now) < Patience) lowest = Math.Min(lowest, write.Address);
            }
        }

        return lowest;
    }

    /// <summary>Lets no record be linked to chunks below an address, once the epoch has been waited for.</summary>
    public void RaiseFloor(long address)
    {
        // One run of those who give up at a time.
        if (address > _floor) Interlocked.Exchange(ref _floor, address);
    }

    private void Prune() => _writes.RemoveAll(static write => write.IsOver);

    /// <summary>One value on its way.</summary>
    public sealed class Write
    {
        private readonly ChunkWrites _writes;
        private long _address;
        private long _movedAt;
        private volatile bool _isOver;

        internal Write(ChunkWrites writes, long address)
        {
            (_writes, _address) = (writes, address);
            _movedAt = writes.Time.GetTimestamp();
        }

        /// <summary>What it needs lies there and above.</summary>
        public long Address => Volatile.Read(ref _address);

        /// <summary>When something of it was written last, by the clock.</summary>
        public long MovedAt => Volatile.Read(ref _movedAt);

        /// <summary>Whether it has been linked, or given up.</summary>
        public bool IsOver => _isOver;

        /// <summary>A chunk was written.</summary>
        /// <param name="lowest">The address of the first that was.</param>
        public void Move(long lowest)
        {
            Volatile.Write(ref _address, lowest);
            Volatile.Write(ref _movedAt, _writes.Time.GetTimestamp());
        }

        /// <summary>It has been linked, or is given up. Idempotent.</summary>
        public void End() => _isOver = true;
    }
}
