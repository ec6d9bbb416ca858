using Faster.Contracts;
using Faster.Log;

namespace Faster.Analytics;

/// <summary>Holds a copy of one record after another of a key's chain. One user at a time.</summary>
internal sealed class RecordBuffer<TProbe>(LogSource<TProbe> source)
    where TProbe : struct, IProbe
{
    private byte[] _bytes = GC.AllocateArray<byte>(256, pinned: true);
    private long _now; // when it was copied

    /// <summary>The record's address.</summary>
    public long Address { get; private set; }

    /// <summary>Its header.</summary>
    public ulong Header { get; private set; }

    /// <summary>The record.</summary>
    public unsafe RecordView View => source.View(Pointer, Header, Address, _now);

    /// <summary>Whether it is a record of a key, and belongs to the store's state.</summary>
    public unsafe bool IsOf(in CapturedKey key) => RecordView.HasKey(Header)
        && key.Matches(Pointer + RecordHeader.Size) && !source.Storage.IsAbandoned(Address, Header);

    /// <summary>The next older record of the chain of a hash.</summary>
    /// <exception cref="DamagedDataException">It would be newer.</exception>
    public unsafe long Next(ulong hash)
    {
        long next = MergeRecord.Next(Pointer, Header, hash);
        return next < Address ? next : throw source.Storage.NoRecord(Address, Header);
    }

    /// <summary>Copies a record that nobody changes meanwhile, or whose words are each changed by one store.</summary>
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
        (Address, Header, _now) = (address, header, source.Store.Clock.Now);
    }

    // Pinned for as long as it lives.
    private unsafe byte* Pointer =>
        (byte*)System.Runtime.InteropServices.Marshal.UnsafeAddrOfPinnedArrayElement(_bytes, 0);
}
