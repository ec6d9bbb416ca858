using System.Buffers;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log.Records;

namespace Faster.Log.Large;

/// <summary>Writes a large value's fragments to the tail of the log, from the value's end to its beginning.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Between two fragments the writer holds neither an epoch nor allocated space, so a value may be larger than the
/// log's memory.</item>
/// <item>The fragments of a value whose write is abandoned belong to no key, like a record that was never
/// linked.</item>
/// <item>A fragment takes the rest of the tail's page unless that is too small, so that pages are filled.</item>
/// </list>
/// <para>Not thread-safe: one writer.</para>
/// </remarks>
internal sealed class FragmentWriter : IDisposable
{
    private const int MinPart = 8; // divisor of the page size: a smaller rest of a page gets no fragment

    private readonly EpochTable _epochs;
    private readonly PagedLog _log;
    private readonly ulong _versionBits;
    private readonly ulong _hash;
    private unsafe EpochSlot* _slot;
    private FragmentPlace _next;
    private long _lowest;
    private long _length;

    /// <summary>Creates a writer that has written nothing.</summary>
    /// <param name="epochs">The epochs that protect the log.</param>
    /// <param name="log">The log.</param>
    /// <param name="version">The store's version.</param>
    /// <param name="hash">The hash of the value's key.</param>
    public unsafe FragmentWriter(EpochTable epochs, PagedLog log, long version, ulong hash)
    {
        _hash = hash;
        _epochs = epochs;
        _log = log;
        _versionBits = RecordHeader.VersionBits(version);
        _slot = epochs.Acquire("the writer of a large value");
    }

    /// <summary>What the value's record must contain if no further fragment is prepended.</summary>
    public LargeHead Head => new(_length, _next.Address, _lowest, _next.Length);

    /// <summary>Writes one fragment with the last bytes of the rest of the value.</summary>
    /// <param name="rest">The bytes before those that have been written; at least one.</param>
    /// <returns>The number of bytes that the fragment holds; 0 when no page frame is free.</returns>
    public unsafe int TryPrepend(in ReadOnlySequence<byte> rest)
    {
        long space = _log.SpaceInPage;
        if (space < _log.PageSize / MinPart || space > _log.LargestRecord) space = _log.LargestRecord;
        int length = (int)Math.Min(rest.Length, (space & ~7L) - ValueFragment.Prefix);
        EpochSlot* slot = _slot;
        _epochs.Enter(slot);
        try
        {
            if (!_log.TryAllocate(null, (int)ValueFragment.SizeFor(length), out long address)) return 0;
            byte* record = _log.Pointer(address);
            // The header and the size are written first: if reading the caller's memory throws, walkers can step over
            // the space.
            ValueFragment.Write(record, _versionBits, length, _next, _hash);
            rest.Slice(rest.Length - length).CopyTo(new Span<byte>(record + ValueFragment.Prefix, length));
            Invariant.Check(
                address > _next.Address, $"a fragment lies above the one that follows it: {address}, {_next.Address}");
            if (_lowest == 0) _lowest = address;
            _next = new FragmentPlace(address, length);
            _length += length;
            return length;
        }
        finally
        {
            _epochs.Leave(slot);
        }
    }

    /// <summary>Releases its epoch slot. Idempotent.</summary>
    public unsafe void Dispose()
    {
        if (_slot == null) return;
        _epochs.Release(_slot);
        _slot = null;
    }
}
