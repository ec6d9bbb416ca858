using System.Runtime.InteropServices;

namespace Faster.Devices.IOUring;

/// <summary>
/// The system calls under a ring, in one place so that tests can refuse them, interrupt them and change their results.
/// </summary>
/// <remarks>
/// Thread-safe: no state. The calls go through syscall(2), because the C library has no functions for them. Results are
/// the kernel's: a negative one is an error number.
/// </remarks>
internal unsafe partial class RingCalls
{
    private const int ProtReadWrite = 3, MapSharedPopulate = 0x8001;

    /// <summary>The calls of the system.</summary>
    public static RingCalls Real { get; } = new();

    /// <summary>Creates a ring.</summary>
    /// <returns>The ring's file, or an error.</returns>
    public virtual int Setup(uint entries, RingParameters* parameters) => OrError(
        Call(RingLayout.SetupCall, (nint)entries, (nint)parameters));

    /// <summary>Starts requests, and waits for completions if the flags say so.</summary>
    /// <returns>The number of started requests, or an error.</returns>
    public virtual int Enter(int ring, uint toSubmit, uint atLeast, uint flags, WaitArgument* argument) =>
        OrError(Call(RingLayout.EnterCall, ring, (nint)toSubmit, (nint)atLeast, (nint)flags, (nint)argument,
            sizeof(WaitArgument)));

    /// <summary>Queries or configures a ring.</summary>
    /// <returns>0, or an error.</returns>
    public virtual int Register(int ring, uint what, void* argument, uint count) => OrError(
        Call(RingLayout.RegisterCall, ring, (nint)what, (nint)argument, (nint)count));

    /// <summary>The result of a completion, by default as the kernel returned it.</summary>
    public virtual int ResultOf(IORequest request, int result) => result;

    /// <summary>Maps a part of a ring.</summary>
    /// <returns>The first byte, or null.</returns>
    public virtual byte* Map(int ring, nuint length, long offset)
    {
        nint mapped = MMap(0, length, ProtReadWrite, MapSharedPopulate, ring, (nint)offset);
        return mapped == -1 ? null : (byte*)mapped;
    }

    /// <summary>Undoes <see cref="Map"/>.</summary>
    public virtual void Unmap(byte* mapped, nuint length) => _ = MUnmap((nint)mapped, length);

    private static int OrError(nint result) => result < 0 ? -Marshal.GetLastPInvokeError() : (int)result;

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Call(nint number, nint a, nint b);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Call(nint number, nint a, nint b, nint c, nint d);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Call(nint number, nint a, nint b, nint c, nint d, nint e, nint f);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint MMap(nint address, nuint length, int protection, int flags, int fd, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int MUnmap(nint address, nuint length);
}
