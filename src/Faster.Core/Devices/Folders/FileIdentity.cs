using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Folders;

/// <summary>
/// The identity of a file whatever its name: its file system and its number there (Linux, statx). Immutable.
/// </summary>
internal readonly unsafe partial record struct FileIdentity
{
    private const int CurrentFolder = -100, EmptyPath = 0x1000; // AT_FDCWD, AT_EMPTY_PATH
    private const uint InodeNumber = 0x100;                     // STATX_INO
    private const int StructSize = 256, InodeAt = 32, MajorAt = 136; // struct statx, the same on every processor
    private const int NoEntry = 2, NotAFolder = 20;

    private readonly ulong _inode, _device;

    private FileIdentity(ulong inode, ulong device) => (_inode, _device) = (inode, device);

    /// <summary>The identity of an open file.</summary>
    /// <returns>False: the system does not provide it.</returns>
    public static bool TryOf(SafeFileHandle file, out FileIdentity identity)
    {
        bool held = false;
        try
        {
            file.DangerousAddRef(ref held);
            return TryRead((int)file.DangerousGetHandle(), "", EmptyPath, out identity) == 0;
        }
        finally
        {
            if (held) file.DangerousRelease();
        }
    }

    /// <summary>The identity of the file at a path.</summary>
    /// <returns>False: there is no file, or the system does not provide it.</returns>
    public static bool TryOf(string path, out FileIdentity identity, out bool isMissing)
    {
        int error = TryRead(CurrentFolder, path, 0, out identity);
        isMissing = error is NoEntry or NotAFolder;
        return error == 0;
    }

    private static int TryRead(int folder, string path, int flags, out FileIdentity identity)
    {
        byte* bytes = stackalloc byte[StructSize];
        bool ok = StatX(folder, path, flags, InodeNumber, bytes) == 0;
        identity = ok ? new FileIdentity(*(ulong*)(bytes + InodeAt), *(ulong*)(bytes + MajorAt)) : default;
        return ok ? 0 : Marshal.GetLastPInvokeError();
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatX(int folder, string path, int flags, uint mask, byte* result);
}
