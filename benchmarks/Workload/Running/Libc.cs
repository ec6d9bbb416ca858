using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Faster.Workload;

/// <summary>The system calls that measuring the machine needs and the framework does not offer. Linux only.</summary>
internal static unsafe partial class Libc
{
    private const string Library = "libc";
    private const int HugePages = 14, NoHugePages = 15; // MADV_…
    private const int NotNeeded = 4;                    // POSIX_FADV_DONTNEED
    private const int ReadWrite = 0x2;                  // O_RDWR
    private const int ReadWriteCreate = ReadWrite | 0x40; // O_CREAT
    private const int OwnerMode = 0x180;                // rw-------

    private static int Direct => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x10000 : 0x4000;

    /// <summary>Asks for huge pages under some memory, or forbids them; false where the system knows none.</summary>
    public static bool TryAdviseHugePages(void* start, nuint length, bool huge) =>
        OperatingSystem.IsLinux() && Advise(start, length, huge ? HugePages : NoHugePages) == 0;

    /// <summary>Opens a file past the page cache, or through it where the file system does not let us.</summary>
    public static SafeFileHandle OpenDirect(string path, out bool isDirect)
    {
        int file = Open(path, ReadWriteCreate | Direct, OwnerMode);
        isDirect = file >= 0;
        if (!isDirect)
            file = Open(path, ReadWriteCreate, OwnerMode);
        return HandleOf(file, path);
    }

    /// <summary>Opens a file that may be open already, whatever it is locked for.</summary>
    public static SafeFileHandle OpenLocked(string path) => HandleOf(Open(path, ReadWrite, 0), path);

    /// <summary>Makes what was written to a file durable.</summary>
    public static void SyncData(SafeFileHandle file)
    {
        if (Sync(file) != 0)
            throw new IOException($"fdatasync failed with error {Marshal.GetLastPInvokeError()}.");
    }

    /// <summary>Drops the clean pages of a file from the system's cache.</summary>
    public static void DropCache(SafeFileHandle file)
    {
        int error = AdviseFile(file, 0, 0, NotNeeded); // the whole file; returns the error itself
        if (error != 0)
            throw new IOException($"posix_fadvise failed with error {error}.");
    }

    /// <summary>Ends the process at once: nothing is closed or written any more.</summary>
    [LibraryImport(Library, EntryPoint = "_exit")]
    public static partial void Exit(int code);

    private static SafeFileHandle HandleOf(int file, string path) => file >= 0
        ? new SafeFileHandle(file, ownsHandle: true)
        : throw new IOException($"'{path}' can't be opened: error {Marshal.GetLastPInvokeError()}.");

    [LibraryImport(Library, EntryPoint = "posix_fadvise")]
    private static partial int AdviseFile(SafeFileHandle file, nint offset, nint length, int advice);

    [LibraryImport(Library, EntryPoint = "madvise")]
    private static partial int Advise(void* start, nuint length, int advice);

    [LibraryImport(
        Library, EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags, int mode);

    [LibraryImport(Library, EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int Sync(SafeFileHandle file);
}
