using System.Runtime.InteropServices;
using Faster.Invariants;

namespace Faster.Memory;

/// <summary>
/// A zeroed block of native memory that begins at a multiple of 2 MiB (large blocks) or of a system page, and costs
/// memory only where it has been touched. A large one requests huge pages where that pays, and can return ranges to
/// the system.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Address and size are fixed until the block is disposed of.</item>
/// <item>A decommitted range lies inside the block and reads as zeros afterwards.</item>
/// <item>The owner ensures that no thread touches a range while it is decommitted, or the block after it is disposed
/// of.</item>
/// </list>
/// <para>Thread-safe except for <see cref="Dispose"/>. Linux uses anonymous mmap and madvise, for small blocks too: the
/// C library has a heap for each thread, which keeps more of what was aligned and freed there than it gives out again.
/// On other systems all blocks come from that library, and are committed as a whole.</para>
/// </remarks>
internal sealed unsafe partial class NativeBlock : IDisposable
{
    /// <summary>The size of a huge page, and the alignment of blocks that are at least as large.</summary>
    public const int HugePage = 2 << 20;

    private const long PopulatedAtOnce = 16 << 20; // by one thread

    private readonly nint _mapping;   // the range to unmap: begins before Pointer, because alignment needs slack
    private readonly nuint _mapped;
    private bool _disposed;

    /// <summary>Reserves a block.</summary>
    /// <param name="bytes">The size in bytes, above 0; rounded up to whole system pages.</param>
    /// <param name="hugePages">Whether to request huge pages (the system may decline).</param>
    /// <exception cref="LimitExceededException">The system refuses the memory.</exception>
    public NativeBlock(long bytes, bool hugePages = true)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        Bytes = AlignUp(bytes, Environment.SystemPageSize);
        if (!OperatingSystem.IsLinux())
        {
            Pointer = Allocate(IsLarge ? HugePage : Environment.SystemPageSize);
            return;
        }

        _mapped = (nuint)(IsLarge ? Bytes + HugePage : Bytes);
        _mapping = MMap(0, _mapped, ProtRead | ProtWrite, MapPrivate | MapAnonymous | MapNoReserve, -1, 0);
        if (_mapping == -1) throw Refused($" (error {Marshal.GetLastPInvokeError()})", null);
        Pointer = (byte*)AlignUp(_mapping, IsLarge ? HugePage : 1);
        if (IsLarge) _ = MAdvise((nint)Pointer, (nuint)Bytes, hugePages ? AdviseHugePage : AdviseNoHugePage);
    }

    /// <summary>The first byte.</summary>
    public byte* Pointer { get; }

    /// <summary>The size in bytes.</summary>
    public long Bytes { get; }

    private bool IsLarge => Bytes >= HugePage;

    /// <summary>Zeroes a range. In a large block it then costs no memory until it is touched again.</summary>
    /// <param name="offset">The start of the range, a multiple of the system's page size.</param>
    /// <param name="length">The length of the range in bytes, likewise.</param>
    public void Decommit(long offset, long length)
    {
        Invariant.Check(
            !_disposed && offset >= 0 && length >= 0 && length <= Bytes - offset,
            $"{length} bytes from {offset} on are decommitted of a block of {Bytes}");
        // In a small block, page faults would cost more than zeroing.
        if (IsLarge && _mapped != 0 && MAdvise((nint)(Pointer + offset), (nuint)length, AdviseDontNeed) == 0) return;
        NativeMemory.Clear(Pointer + offset, (nuint)length);
    }

    /// <summary>
    /// Touches every page of a range, so that no page fault comes later. The content stays as it is, whatever other
    /// threads write meanwhile. Uses several threads, and returns when they are done.
    /// </summary>
    /// <param name="offset">The start of the range, a multiple of the system's page size.</param>
    /// <param name="length">The length of the range in bytes, likewise.</param>
    public void Populate(long offset, long length)
    {
        Invariant.Check(
            !_disposed && offset >= 0 && length >= 0 && length <= Bytes - offset,
            $"{length} bytes from {offset} on are populated of a block of {Bytes}");
        long page = Environment.SystemPageSize, start = (long)Pointer + offset, end = start + length;
        Parallel.For(0, (length + PopulatedAtOnce - 1) / PopulatedAtOnce, part =>
        {
            long at = start + (part * PopulatedAtOnce), to = Math.Min(at + PopulatedAtOnce, end);
            for (; at < to; at += page) Interlocked.Or(ref *(long*)at, 0);
        });
    }

    /// <summary>Returns the whole block to the system. Idempotent.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        _disposed = true;
        if (_mapped != 0) _ = MUnmap(_mapping, _mapped);
        else NativeMemory.AlignedFree(Pointer);
    }

    private byte* Allocate(int alignment)
    {
        try
        {
            var pointer = (byte*)NativeMemory.AlignedAlloc((nuint)Bytes, (nuint)alignment);
            NativeMemory.Clear(pointer, (nuint)Bytes);
            return pointer;
        }
        catch (OutOfMemoryException refused)
        {
            throw Refused("", refused);
        }
    }

    private LimitExceededException Refused(string error, Exception? cause) => new(
        $"The system refused {new ByteSize(Bytes)} of memory{error}. "
        + "Lower StoreOptions.MemoryBudget or raise the process's limit.", cause);

    private static long AlignUp(long value, long unit) => (value + unit - 1) / unit * unit;

    private const int ProtRead = 1, ProtWrite = 2, MapPrivate = 2, MapAnonymous = 0x20, MapNoReserve = 0x4000;
    private const int AdviseDontNeed = 4, AdviseHugePage = 14, AdviseNoHugePage = 15;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint MMap(nint address, nuint length, int protection, int flags, int fd, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int MUnmap(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int MAdvise(nint address, nuint length, int advice);
}
