using System.Runtime.CompilerServices;

namespace Faster.Log.Records;

/// <summary>Walks the records in a range of one page in address order, skipping gaps.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Addresses ascend; no record that is returned reaches beyond the range.</item>
/// <item>The range lies in one page. Its headers and lengths do not change during the walk.</item>
/// </list>
/// <para>Not thread-safe.</para>
/// </remarks>
internal unsafe struct RecordWalker
{
    private readonly LogStorage _storage;
    private readonly RecordLayout _layout;
    private readonly long _end;
    private byte* _next;
    private long _nextAddress;

    /// <summary>Creates a walker before the first record.</summary>
    /// <param name="storage">The log's place on the device, for messages.</param>
    /// <param name="layout">The layout of records.</param>
    /// <param name="bytes">The range's first byte in memory.</param>
    /// <param name="start">The range's first address.</param>
    /// <param name="end">The first address after the range.</param>
    public RecordWalker(LogStorage storage, RecordLayout layout, byte* bytes, RecordBoundary start, long end)
    {
        _storage = storage;
        _layout = layout;
        _next = bytes;
        _nextAddress = start.Address;
        _end = end;
    }

    /// <summary>The current record's address.</summary>
    public long Address { get; private set; }

    /// <summary>The current record in memory.</summary>
    public byte* Record { get; private set; }

    /// <summary>The current record's header, as read once.</summary>
    public ulong Header { get; private set; }

    /// <summary>The current record's size in bytes.</summary>
    public long Size { get; private set; }

    /// <summary>Moves to the next record, including invalid and discarded ones.</summary>
    /// <returns>False at the end of the range.</returns>
    /// <exception cref="DamagedDataException">There is neither a record nor a gap.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        for (; _end - _nextAddress >= RecordHeader.Size; Step(RecordHeader.Size))
        {
            ulong header = RecordHeader.Read(_next);
            if (header == 0) continue; // a gap: unused space, a commit's padding, or a page's rest
            long left = _end - _nextAddress, size = _layout.TrySize(_next, left, left);
            if (size < 0 || size > left || !RecordHeader.IsSound(header)) throw _storage.NoRecord(_nextAddress, header);
            Address = _nextAddress;
            Record = _next;
            Header = header;
            Size = size;
            Step(size);
            return true;
        }

        return false;
    }

    private void Step(long bytes)
    {
        _next += bytes;
        _nextAddress += bytes;
    }
}
