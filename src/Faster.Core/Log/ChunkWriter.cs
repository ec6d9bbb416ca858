using System.Buffers;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Log;

/// <summary>Writes a value's chunks to the tail of the log, from its end to its beginning.</summary>
/// <remarks>
/// Invariant: between two chunks nothing is held, neither an epoch nor room, so that a value may be larger than the
/// log's memory. What has been written of a value that is given up is nobody's, like any record that was never linked.
/// A chunk takes what is left of the tail's page, if that is not too little, so that pages are filled. Not thread-safe:
/// one writer.
/// </remarks>
internal sealed class ChunkWriter<TProbe> : IDisposable
    where TProbe : struct, IProbe
{
    private const int LeastPart = 8; // of a page: what is left of one is not worth a chunk if it is less

    private readonly EpochTable<TProbe> _epochs;
    private readonly PagedLog<TProbe> _log;
    private readonly ulong _versionBits;
    private readonly ulong _hash;
    private unsafe EpochSlot* _slot;
    private ChunkPlace _next;
    private long _lowest;
    private long _length;

    /// <summary>Has written nothing.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="version">The store's version.</param>
    /// <param name="hash">The hash of the value's key.</param>
    public unsafe ChunkWriter(EpochTable<TProbe> epochs, PagedLog<TProbe> log, long version, ulong hash)
    {
        _hash = hash;
        _epochs = epochs;
        _log = log;
        _versionBits = RecordHeader.VersionBits(version);
        _slot = epochs.Acquire("the writer of a large value");
    }

    /// <summary>What the record of the value holds, if nothing more comes in front.</summary>
    public LargeHead Head => new(_length, _next.Address, _lowest, _next.Length);

    /// <summary>Writes one chunk from the end of what is left of the value.</summary>
    /// <param name="rest">The bytes in front of those that have been written; at least one.</param>
    /// <returns>How many of them the chunk has taken; 0 when no page frame is free.</returns>
    public unsafe int TryPrepend(in ReadOnlySequence<byte> rest)
    {
        long room = _log.RoomInPage;
        if (room < _log.PageSize / LeastPart || room > _log.LargestRecord) room = _log.LargestRecord;
        int length = (int)Math.Min(rest.Length, (room & ~7L) - LargeChunk.Prefix);
        EpochSlot* slot = _slot;
        _epochs.Enter(slot);
        try
        {
            if (!_log.TryAllocate(null, (int)LargeChunk.SizeFor(length), out long address)) return 0;
            byte* record = _log.Pointer(address);
            // Its size is told first: should the caller's memory throw, a walker steps over what was taken.
            LargeChunk.Write(record, _versionBits, length, _next, _hash);
            rest.Slice(rest.Length - length).CopyTo(new Span<byte>(record + LargeChunk.Prefix, length));
            if (_lowest == 0) _lowest = address;
            _next = new ChunkPlace(address, length);
            _length += length;
            return length;
        }
        finally
        {
            _epochs.Leave(slot);
        }
    }

    /// <summary>Gives its epoch slot back. Idempotent.</summary>
    public unsafe void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
    }
}
