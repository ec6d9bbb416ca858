using System.Runtime.InteropServices;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// A page of memory that ends where nothing is mapped, on Linux: a read beyond its end kills the process instead of
/// passing for right.
/// </summary>
internal sealed unsafe partial class GuardedPage : IDisposable
{
    public const int Bytes = 4096;

    private const int NoAccess = 0, ReadWrite = 3, PrivateAnonymous = 0x22;

    private readonly nint _memory;

    public GuardedPage()
    {
        _memory = OperatingSystem.IsLinux()
            ? Map(0, 2 * Bytes, ReadWrite, PrivateAnonymous, -1, 0)
            : (nint)NativeMemory.AlignedAlloc(Bytes, Bytes);
        if (_memory == -1 || (OperatingSystem.IsLinux() && Protect(_memory + Bytes, Bytes, NoAccess) != 0))
            throw new InvalidOperationException("The system gives no memory.");
    }

    public byte* Pointer => (byte*)_memory;

    public void Dispose()
    {
        if (OperatingSystem.IsLinux()) _ = Unmap(_memory, 2 * Bytes);
        else NativeMemory.AlignedFree((void*)_memory);
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "mprotect")]
    private static partial int Protect(nint address, nint length, int protection);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(nint address, nint length);
}
