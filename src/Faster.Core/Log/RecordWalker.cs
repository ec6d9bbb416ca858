namespace Faster.Log;

/// <summary>Walks the records in a stretch of one page, in the order of addresses, stepping over gaps.</summary>
/// <remarks>Not thread-safe. The stretch stays as it is while it is walked.</remarks>
internal unsafe struct RecordWalker
{
    private readonly LogStorage _storage;
    private readonly RecordLayout _layout;
    private readonly long _end;
    private byte* _next;
    private long _nextAddress;

    /// <summary>Stands before the first record.</summary>
    /// <param name="storage">Where the page lies, for messages.</param>
    /// <param name="layout">Where key and value lie in a record.</param>
    /// <param name="bytes">The stretch's first byte in memory.</param>
    /// <param name="start">Its address.</param>
    /// <param name="end">The address at which it ends.</param>
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

    /// <summary>Where it lies.</summary>
    public byte* Record { get; private set; }

    /// <summary>Its header, as read once.</summary>
    public ulong Header { get; private set; }

    /// <summary>Its size in bytes.</summary>
    public long Size { get; private set; }

    /// <summary>Moves to the next record; invalid and abandoned ones are records too.</summary>
    /// <returns>False at the end of the stretch.</returns>
    /// <exception cref="DamagedDataException">There is neither a record nor a gap.</exception>
    public bool MoveNext()
    {
        for (; _end - _nextAddress >= RecordHeader.Size; Step(RecordHeader.Size))
        {
            ulong header = RecordHeader.Read(_next);
            if (header == 0) continue; // a gap: room that nobody took, a commit's padding, or the rest of a page
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
