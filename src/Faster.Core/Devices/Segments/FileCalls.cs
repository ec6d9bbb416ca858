using System.Runtime.InteropServices;
using Faster.Devices.Folders;
using Faster.Devices.IOUring;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Segments;

/// <summary>
/// The system calls under <see cref="SegmentedFileDevice"/> and <see cref="FolderFiles"/>, in one place so that tests
/// can make any of them fail.
/// </summary>
/// <remarks>
/// Thread-safe: no state. Transfers use <see cref="RandomAccess"/>, which repeats interrupted calls. Syncs are our own
/// calls, because the platform's flush does not report a failure.
/// </remarks>
internal partial class FileCalls
{
    private const FileOptions WindowsNoBuffering = (FileOptions)0x20000000;
    private const int WindowsInvalidParameter = unchecked((int)0x80070057);
    private const int GetFlags = 3, SetFlags = 4, FullSync = 51; // fcntl: F_GETFL, F_SETFL, and macOS's F_FULLFSYNC
    private const int LockAlone = 2, LockAtOnce = 4; // LOCK_EX, LOCK_NB
    private const int SyncPages = 4, BsdSyncPages = 0x10; // MS_SYNC of Linux, of macOS and the BSDs

    /// <summary>The calls of the system.</summary>
    public static FileCalls Real { get; } = new();

    /// <summary>The calls of io_uring; null where there are none, as on systems other than Linux.</summary>
    public virtual RingCalls? Ring => OperatingSystem.IsLinux() && Environment.Is64BitProcess ? RingCalls.Real : null;

    /// <summary>Opens a file for reading and writing.</summary>
    /// <param name="path">The file.</param>
    /// <param name="create">Whether to create it where it does not exist.</param>
    /// <param name="unbuffered">In: whether to bypass the system's cache. Out: whether it is bypassed.</param>
    public virtual SafeFileHandle Open(string path, bool create, ref bool unbuffered)
    {
        FileMode mode = create ? FileMode.OpenOrCreate : FileMode.Open;
        if (OperatingSystem.IsWindows() && unbuffered)
        {
            try
            {
                return OpenHandle(path, mode, WindowsNoBuffering);
            }
            catch (IOException e) when (e.HResult == WindowsInvalidParameter)
            {
                unbuffered = false;
            }
        }

        SafeFileHandle handle = OpenHandle(path, mode, FileOptions.RandomAccess);
        if (unbuffered) unbuffered = OperatingSystem.IsLinux() && SetUnbuffered(handle, true) == 0;
        return handle;
    }

    /// <summary>Opens a file, or creates it, to be locked. On Windows that is its lock.</summary>
    /// <exception cref="IOException">The file is locked, or can't be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">The file can't be opened.</exception>
    public virtual SafeFileHandle OpenLock(string path) =>
        File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);

    /// <summary>
    /// Locks an open file against all other openings of it, in this process and others. The platform's own lock can be
    /// switched off, and it does not report that a file system or a sandbox refuses it.
    /// </summary>
    /// <returns>0, also when this opening has the lock already, or the system's error number.</returns>
    public virtual int Lock(SafeFileHandle file)
    {
        if (OperatingSystem.IsWindows()) return 0;
        int error;
        do error = FLock(file, LockAlone | LockAtOnce) < 0 ? Marshal.GetLastPInvokeError() : 0;
        while (error == DeviceErrors.InterruptedCall);
        return error;
    }

    /// <summary>Whether a path still leads to a file that is held by <see cref="Lock"/>.</summary>
    public virtual bool IsLinked(SafeFileHandle held, string path)
    {
        if (OperatingSystem.IsLinux())
        {
            try
            {
                if (FileIdentity.TryOf(held, out FileIdentity own))
                {
                    bool isKnown = FileIdentity.TryOf(path, out FileIdentity found, out bool isMissing);
                    return isKnown ? found == own : !isMissing;
                }
            }
            catch (EntryPointNotFoundException)
            {
                // An old system library: handled as on other systems.
            }
        }

        try
        {
            using SafeFileHandle other = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            return Lock(other) == DeviceErrors.WouldBlock; // else no process holds it
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e is not (FileNotFoundException or DirectoryNotFoundException);
        }
    }

    /// <summary>Turns O_DIRECT on or off (Linux).</summary>
    /// <returns>0, or the system's error number.</returns>
    public virtual int SetUnbuffered(SafeFileHandle handle, bool on)
    {
        int flags = Fcntl(handle, GetFlags, 0);
        if (flags < 0) return Marshal.GetLastPInvokeError();
        bool arm = RuntimeInformation.ProcessArchitecture is Architecture.Arm64 or Architecture.Arm;
        int direct = arm ? 0x10000 : 0x4000;
        int wanted = on ? flags | direct : flags & ~direct;
        return Fcntl(handle, SetFlags, wanted) < 0 ? Marshal.GetLastPInvokeError() : 0;
    }

    /// <summary>Reads some bytes; fewer than requested are no error, and 0 is the end of the file.</summary>
    public virtual int Read(SafeFileHandle handle, Span<byte> bytes, long offset) =>
        RandomAccess.Read(handle, bytes, offset);

    /// <summary>Writes all bytes.</summary>
    public virtual void Write(SafeFileHandle handle, ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            RandomAccess.Write(handle, bytes, offset);
        }
        catch (ArgumentOutOfRangeException) when (offset >= 0)
        {
            throw DeviceErrors.FromNumber(DeviceErrors.FileTooLarge); // what the platform makes of EFBIG
        }
    }

    /// <summary>The length of a file in bytes.</summary>
    public virtual long Length(SafeFileHandle handle) => RandomAccess.GetLength(handle);

    /// <summary>Sets the length of a file to 0.</summary>
    public virtual void Empty(SafeFileHandle handle) => RandomAccess.SetLength(handle, 0);

    /// <summary>Renames a file atomically, and replaces a file of the new name.</summary>
    public virtual void Rename(string from, string to) => File.Move(from, to, overwrite: true);

    /// <summary>Deletes a file, if it exists.</summary>
    public virtual void Delete(string path) => File.Delete(path);

    /// <summary>Makes a file's bytes, and the metadata needed to find them, durable.</summary>
    /// <returns>0, or the system's error number.</returns>
    public virtual int Sync(SafeFileHandle handle)
    {
        if (OperatingSystem.IsWindows())
        {
            RandomAccess.FlushToDisk(handle);
            return 0;
        }

        int error;
        while ((error = SyncOnce(handle, SyncCall.Content)) == DeviceErrors.InterruptedCall) { }
        return error;
    }

    /// <summary>Makes what was stored in a part of a file's mapping durable.</summary>
    /// <param name="file">The mapped file.</param>
    /// <param name="start">The first byte in memory, at the start of a page.</param>
    /// <param name="length">The number of bytes.</param>
    /// <returns>0, or the system's error number.</returns>
    public virtual int SyncMapped(SafeFileHandle file, nint start, long length)
    {
        if (OperatingSystem.IsWindows())
            return FlushViewOfFile(start, (nuint)length) ? Sync(file) : Marshal.GetLastPInvokeError();
        int error;
        int flag = OperatingSystem.IsLinux() ? SyncPages : BsdSyncPages;
        do error = MSync(start, (nuint)length, flag) < 0 ? Marshal.GetLastPInvokeError() : 0;
        while (error == DeviceErrors.InterruptedCall);

        // Linux syncs the file's range as fdatasync does; elsewhere the pages may be no further than the disk's cache.
        return error != 0 || OperatingSystem.IsLinux() ? error : Sync(file);
    }

    /// <summary>Makes the entries of a folder durable. Windows journals them with the file.</summary>
    /// <returns>0, or the system's error number, with which the sync has failed.</returns>
    /// <exception cref="IOException">The folder can't be opened: no sync was made, and none has failed.</exception>
    public virtual int SyncFolder(string path)
    {
        if (OperatingSystem.IsWindows()) return 0;
        int error;
        SafeFileHandle? folder;
        while ((error = OpenFolderOnce(path, out folder)) == DeviceErrors.InterruptedCall) { }
        if (error != 0) throw DeviceErrors.FromNumber(error);
        using (folder)
        {
            while ((error = SyncOnce(folder!, SyncCall.Names)) == DeviceErrors.InterruptedCall) { }
            return error;
        }
    }

    /// <summary>Makes one system call that syncs; a signal may interrupt it.</summary>
    /// <returns>0, or the system's error number.</returns>
    protected virtual int SyncOnce(SafeFileHandle handle, SyncCall call)
    {
        int result = call == SyncCall.Names ? FSync(handle)
            : OperatingSystem.IsMacOS() ? Fcntl(handle, FullSync, 0)
            : FDataSync(handle);
        return result < 0 ? Marshal.GetLastPInvokeError() : 0;
    }

    /// <summary>Makes one system call that opens a folder to sync it; a signal may interrupt it.</summary>
    /// <returns>0 and the folder, or the system's error number.</returns>
    protected virtual int OpenFolderOnce(string path, out SafeFileHandle? folder)
    {
        int closeOnExec = OperatingSystem.IsMacOS() ? 0x1000000 : 0x80000;
        int descriptor = OpenFolder(path, closeOnExec);
        folder = descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
        return descriptor < 0 ? Marshal.GetLastPInvokeError() : 0;
    }

    private static SafeFileHandle OpenHandle(string path, FileMode mode, FileOptions options) => File.OpenHandle(
        path, mode, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, options);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Fcntl(SafeFileHandle file, int command, int argument);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int FLock(SafeFileHandle file, int operation);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int FSync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int FDataSync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "msync", SetLastError = true)]
    private static partial int MSync(nint start, nuint length, int flags);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool FlushViewOfFile(nint start, nuint length);

    // Without a mode argument nothing variadic is passed, so the call is correct on every ABI.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenFolder(string path, int flags);

    /// <summary>What a sync makes durable.</summary>
    protected enum SyncCall
    {
        /// <summary>A file's bytes.</summary>
        Content,

        /// <summary>The entries of a folder.</summary>
        Names,
    }
}
