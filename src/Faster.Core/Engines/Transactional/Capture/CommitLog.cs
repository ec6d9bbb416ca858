using System.Runtime.InteropServices;
using Faster.Memory;
using Faster.Probes;
using Faster.Tables;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// The atomic commit log of CALC, beside which the paper measures CPR (004 §7.2): each transaction appends to it while
/// it has its locks, and so learns in one step its place in the order of all, and its version.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>The version never falls from one entry to the next. Transactions that conflict append in the order of their
/// locks, so those of a version and all before it are a prefix of the order of all.</item>
/// </list>
/// <para>Nobody reads the entries: the log is a ring that is written again and again. Thread-safe.</para>
/// </remarks>
internal sealed unsafe class CommitLog : IDisposable
{
    private const int Entries = 1 << 14, VersionShift = 48;

    private readonly ulong* _ring = (ulong*)NativeMemory.AllocZeroed(Entries, sizeof(ulong));
    private CommitLogTail _tail;

    /// <summary>Makes the log of a store that begins at a version.</summary>
    public CommitLog(long version) => _tail.Word = version << VersionShift;

    /// <summary>The size in bytes.</summary>
    public static long Bytes => Entries * sizeof(ulong);

    /// <summary>Appends a transaction, under its locks.</summary>
    /// <param name="number">Its serial number in its session.</param>
    /// <returns>The stamp of its version.</returns>
    public ulong Append(long number)
    {
        Probe.Point(ProbePoint.LockWord);
        long tail = Interlocked.Increment(ref _tail.Word);
        _ring[tail & (Entries - 1)] = (ulong)number;
        return LockWord.StampOf(tail >> VersionShift);
    }

    /// <summary>
    /// Appends the token behind which all transactions belong to the next version. Places begin at 0 again, so that
    /// they never reach the version's bits.
    /// </summary>
    public void BeginVersion(long version)
    {
        Probe.Point(ProbePoint.LockWord);
        Volatile.Write(ref _tail.Word, version << VersionShift);
    }

    /// <inheritdoc/>
    public void Dispose() => NativeMemory.Free(_ring);

    [StructLayout(LayoutKind.Explicit, Size = 3 * CacheLine.Bytes)]
    private struct CommitLogTail
    {
        [FieldOffset(CacheLine.Bytes)] public long Word;
    }
}
