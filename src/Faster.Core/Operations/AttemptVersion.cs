using System.Runtime.CompilerServices;
using Faster.Log.Records;
using Faster.Probes;

namespace Faster.Operations;

/// <summary>
/// The version that an attempt works at, and how it treats the records of another one (paper 004 §5.3). Not
/// thread-safe: it belongs to an attempt.
/// </summary>
internal struct AttemptVersion()
{
    private byte _nextCode;

    /// <summary>The address below which no record of the next version lies; while a commit is under way.</summary>
    public long StartAddress { get; private set; }

    /// <summary>
    /// Whether the version before is being committed, so that its records are copied instead of changed.
    /// </summary>
    public bool CopiesOld { get; private set; }

    /// <summary>The header bits of the version.</summary>
    public ulong Bits { get; private set; } = RecordHeader.VersionBits(RecordHeader.FirstVersion);

    /// <summary>Sets the version of subsequent attempts.</summary>
    /// <param name="version">The version that their records are stamped with.</param>
    /// <param name="committing">The version being committed; 0 at rest.</param>
    /// <param name="commitStart">The address below which no record of the next version lies.</param>
    public void Set(long version, long committing, long commitStart)
    {
        Bits = RecordHeader.VersionBits(version);
        CopiesOld = committing != 0 && version != committing;
        if (committing == 0) return;
        _nextCode = RecordHeader.CodeOf(committing + 1);
        StartAddress = commitStart;
    }

    /// <summary>The header with the version: an update stamps the record that it changes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly ulong Stamp(ulong header) => (header & ~RecordHeader.VersionMask) | Bits;

    /// <summary>
    /// Whether a record belongs to the next version, so that an operation of an earlier one must stop.
    /// </summary>
    public readonly bool MustShift(long address, ulong header) =>
        IsNext(address, header) && !(Probe.On && Probe.Has(SeededBug.CommitReadsNext));

    /// <summary>
    /// Whether a record is older than the attempt's version, so that it is copied instead of changed.
    /// </summary>
    public readonly bool MustCopy(long address, ulong header) =>
        !IsNext(address, header) && !(Probe.On && Probe.Has(SeededBug.NextUpdatesOld));

    /// <summary>
    /// The address below which all records are older or immutable, so that they are copied. A blind update does not
    /// read them: it would wait for the cache line of a record that it does not need.
    /// </summary>
    /// <param name="mutableFrom">ReadOnly.</param>
    public readonly long KeptFrom(long mutableFrom) =>
        Probe.On && Probe.Has(SeededBug.NextUpdatesOld) ? mutableFrom : Math.Max(mutableFrom, StartAddress);

    private readonly bool IsNext(long address, ulong header) =>
        RecordHeader.VersionCode(header) == _nextCode && address >= StartAddress;
}
