using Faster.Contracts;
using Faster.Invariants;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.LogSessions.Pending;

namespace Faster.Analytics.Scans;

/// <summary>Holds a copy of one record of a key's hash chain at a time. Not thread-safe.</summary>
/// <param name="source">The record's log.</param>
/// <param name="pin">Keeps the log on the device from its address on; null: a large value is pinned by itself.</param>
/// <param name="now">The time at which expiry is checked; null: that of each copy.</param>
internal sealed class RecordBuffer(LogSource source, LogPins.Pin? pin = null, long? now = null)
{
    private byte[] _bytes = GC.AllocateArray<byte>(256, pinned: true);
    private long _now; // the store time at which expiry is checked

    /// <summary>The record's address.</summary>
    public long Address { get; private set; }

    /// <summary>The record's header.</summary>
    public ulong Header { get; private set; }

    /// <summary>The copied record, with its value in one piece, which lies above the pin.</summary>
    public RecordView View
    {
        get
        {
            bool isThere = TryView(out RecordView view);
            Invariant.Check(isThere, $"the record at {Address} lies above its pin");
            return view;
        }
    }

    /// <summary>The lowest address of the record: its own, or that of a fragment of its value, dead or not.</summary>
    public unsafe long LowestAddress => LargeHead.IsIn(Header)
        ? LargeHead.AtEndOf(source.Log.Layout.Value(Pointer)).Lowest
        : Address;

    /// <inheritdoc cref="LogSource.TryView"/>
    public unsafe bool TryView(out RecordView view) =>
        source.TryView(Pointer, Header, Address, _now, pin, out view);

    /// <summary>Returns whether the record is of a key, and belongs to the store's state.</summary>
    public unsafe bool IsOf(in CapturedKey key) => RecordViews.HasKey(Header)
        && key.Matches(Pointer + RecordHeader.Size) && !source.Storage.IsDiscarded(Address, Header);

    /// <summary>Returns the address of the next older record of the chain of a hash.</summary>
    /// <exception cref="DamagedDataException">The next address is not lower.</exception>
    public unsafe long Next(ulong hash)
    {
        long next = ChainJoinRecord.Next(Pointer, Header, hash);
        return next < Address ? next : throw source.Storage.NoRecord(Address, Header);
    }

    /// <summary>
    /// Copies a record that no thread changes meanwhile, or each word of which is changed by one store.
    /// </summary>
    public unsafe void Take(byte* record, ulong header, long address)
    {
        long size = source.Log.Layout.RecordSize(record);
        if (_bytes.Length < size)
        {
            _bytes = GC.AllocateArray<byte>(
                (int)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)size), pinned: true);
        }

        byte* copy = Pointer;
        for (long at = 0; at < size; at += sizeof(ulong))
            *(ulong*)(copy + at) = Volatile.Read(ref *(ulong*)(record + at));
        (Address, Header, _now) = (address, header, now ?? source.Core.Clock.Now);
    }

    // The array is pinned for its lifetime.
    private unsafe byte* Pointer =>
        (byte*)System.Runtime.InteropServices.Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, 0);
}
