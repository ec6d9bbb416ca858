namespace Faster.Devices;

/// <summary>What an error of the system means for a store.</summary>
internal enum SystemFault
{
    /// <summary>There is no space: it may be freed.</summary>
    Space,

    /// <summary>The process lacks a right: it may get it back.</summary>
    Rights,

    /// <summary>The file system is mounted for reading only: it may be mounted anew.</summary>
    ReadOnly,

    /// <summary>The process or the system has too many open files, or too little memory: some may be freed.</summary>
    Limit,

    /// <summary>The disk, the network or what is between has failed: it may work again.</summary>
    Trouble,

    /// <summary>The store's files, or its hold on them, are lost. From here on, no fault may be retried.</summary>
    Gone,

    /// <summary>A call that no correct program makes: a file that other code has closed, a wrong argument.</summary>
    Misuse,
}

/// <summary>
/// All errors of the system's file calls, and what each means for a store: whether the failed call may be made again,
/// and what must be done before.
/// </summary>
/// <remarks>
/// <para>Only the error counts, not the call, because nothing that a call other than a sync leaves undone is lost: a
/// page stays in memory until it is written, and a commit counts when its record is synced. <b>A failed sync is final
/// whatever its error</b> (<see cref="DeviceErrors.SyncFailed"/>), except for EINTR, after which it is made again
/// (<see cref="Segments.FileCalls"/>). An error that is not listed is <see cref="SystemFault.Trouble"/>.</para>
/// <para>Thread-safe: immutable.</para>
/// </remarks>
internal static class SystemErrors
{
    private const uint WindowsErrors = 0x80070000, WindowsFacility = 0xFFFF0000;

    /// <summary>An error: its name, its numbers (0: none there), and what it means.</summary>
    internal readonly record struct Row(string Name, int Linux, int Mac, int Windows, SystemFault Fault)
    {
        /// <summary>Its number on this system; 0: none.</summary>
        public int Number => OperatingSystem.IsWindows() ? Windows : OperatingSystem.IsLinux() ? Linux : Mac;
    }

    /// <summary>The errors.</summary>
    internal static IReadOnlyList<Row> Table { get; } =
    [
        new("ENOSPC", 28, 28, 112, SystemFault.Space), // ERROR_DISK_FULL
        new("ENOSPC", 28, 28, 39, SystemFault.Space),  // ERROR_HANDLE_DISK_FULL
        new("EDQUOT", 122, 69, 1295, SystemFault.Space),
        new("EFBIG", DeviceErrors.FileTooLarge, 27, 223, SystemFault.Space),
        new("EMLINK", 31, 31, 1142, SystemFault.Space), // too many entries in a folder
        new("EPERM", 1, 1, 0, SystemFault.Rights),
        new("EACCES", 13, 13, 5, SystemFault.Rights),
        new("ENOKEY", 126, 0, 0, SystemFault.Rights), // an encrypted folder that is locked
        new("EKEYEXPIRED", 127, 0, 0, SystemFault.Rights),
        new("EROFS", 30, 30, 19, SystemFault.ReadOnly),
        new("EMFILE", 24, 24, 4, SystemFault.Limit),
        new("ENFILE", 23, 23, 0, SystemFault.Limit),
        new("ENOMEM", DeviceErrors.OutOfMemory, 12, 8, SystemFault.Limit),
        new("ENOBUFS", 105, 55, 1450, SystemFault.Limit),
        new("ENOLCK", 37, 77, 0, SystemFault.Limit),
        new("EINTR", DeviceErrors.InterruptedCall, 4, 0, SystemFault.Trouble),
        new("EIO", 5, 5, 1117, SystemFault.Trouble),
        new("ENXIO", 6, 6, 1167, SystemFault.Trouble),
        new("EAGAIN", DeviceErrors.TryAgain, 35, 33, SystemFault.Trouble), // a file that is locked
        new("EBUSY", DeviceErrors.Busy, 16, 32, SystemFault.Trouble),
        new("EEXIST", 17, 17, 80, SystemFault.Trouble),
        new("ENODEV", 19, 19, 21, SystemFault.Trouble),
        new("EISDIR", 21, 21, 0, SystemFault.Trouble), // a folder in the place of a file
        new("ENOTEMPTY", 39, 66, 145, SystemFault.Trouble),
        new("ETXTBSY", 26, 26, 0, SystemFault.Trouble),
        new("EPIPE", 32, 32, 109, SystemFault.Trouble),
        new("ELOOP", 40, 62, 0, SystemFault.Trouble),
        new("ENODATA", 61, 96, 0, SystemFault.Trouble), // an unreadable sector
        new("ETIME", DeviceErrors.TimeIsOver, 101, 0, SystemFault.Trouble),
        new("EBADMSG", 74, 94, 23, SystemFault.Trouble), // a wrong checksum of the file system
        new("EILSEQ", 84, 92, 0, SystemFault.Trouble),
        new("ENOTSUP", 95, 45, 50, SystemFault.Trouble),
        new("ENETDOWN", 100, 50, 0, SystemFault.Trouble),
        new("ENETUNREACH", 101, 51, 1231, SystemFault.Trouble),
        new("ECONNRESET", 104, 54, 64, SystemFault.Trouble),
        new("ETIMEDOUT", 110, 60, 121, SystemFault.Trouble),
        new("EHOSTDOWN", 112, 64, 0, SystemFault.Trouble),
        new("EHOSTUNREACH", 113, 65, 1232, SystemFault.Trouble),
        new("EREMOTEIO", 121, 0, 0, SystemFault.Trouble),
        new("ENOMEDIUM", 123, 0, 1112, SystemFault.Trouble),
        new("ECANCELED", DeviceErrors.Cancelled, 89, 995, SystemFault.Trouble),
        new("ENOENT", 2, 2, 2, SystemFault.Gone), // ERROR_FILE_NOT_FOUND
        new("ENOENT", 2, 2, 3, SystemFault.Gone), // ERROR_PATH_NOT_FOUND
        new("ENOTDIR", 20, 20, 267, SystemFault.Gone),
        new("EXDEV", 18, 18, 17, SystemFault.Gone), // another file system has been mounted in between
        new("ENOTCONN", 107, 57, 0, SystemFault.Gone), // the process of a file system in user space has ended
        new("ESHUTDOWN", 108, 58, 0, SystemFault.Gone),
        new("ESTALE", 116, 70, 0, SystemFault.Gone),
        new("EUCLEAN", 117, 0, 1392, SystemFault.Gone), // the file system is damaged
        new("EBADF", 9, 9, 6, SystemFault.Misuse),
        new("EFAULT", 14, 14, 998, SystemFault.Misuse),
        new("EINVAL", DeviceErrors.InvalidArgument, 22, 87, SystemFault.Misuse),
        new("ENOTTY", 25, 25, 0, SystemFault.Misuse),
        new("ESPIPE", 29, 29, 132, SystemFault.Misuse),
        new("ENAMETOOLONG", 36, 63, 206, SystemFault.Misuse),
        new("ENOSYS", 38, 78, 1, SystemFault.Misuse),
        new("EOVERFLOW", 75, 84, 534, SystemFault.Misuse),
        new("EDESTADDRREQ", 89, 39, 0, SystemFault.Misuse),
    ];

    /// <summary>What an error of a file call means.</summary>
    /// <param name="error">What the platform has thrown, or <see cref="DeviceErrors.FromNumber"/> has made.</param>
    public static SystemFault Of(Exception error) => error switch
    {
        UnauthorizedAccessException { InnerException: IOException inner } => OfNumber(inner.HResult),
        UnauthorizedAccessException => SystemFault.Rights,
        FileNotFoundException or DirectoryNotFoundException => SystemFault.Gone,
        PathTooLongException => SystemFault.Misuse,
        IOException => OfNumber(error.HResult),
        ObjectDisposedException => SystemFault.Misuse,
        _ => SystemFault.Trouble, // of a device of the user's, which may throw what it likes
    };

    /// <summary>Whether a call that has failed so may succeed later.</summary>
    public static bool MayRetry(SystemFault fault) => fault < SystemFault.Gone;

    /// <summary>What to do about a fault, as sentences.</summary>
    public static string AdviceOf(SystemFault fault) => fault switch
    {
        SystemFault.Space => "Free space and continue; earlier writes are intact.",
        SystemFault.Rights => "Give the process its rights to the folder and its files back, and retry; nothing is "
            + "lost.",
        SystemFault.ReadOnly => "Mount the file system for writing, and retry; nothing is lost.",
        SystemFault.Limit => "Raise the limit of open files or of memory, or free some, and retry; nothing is lost.",
        SystemFault.Trouble => "Check the disk and the system's log; retry when it works.",
        SystemFault.Gone => "Close the store, bring its folder and its files back, and open it again: it continues "
            + "from its last commit.",
        _ => "No correct program makes such a call: this is a defect of Faster, or other code of this process closes "
            + "files that are not its own. Close the store, open it again, and report this message.",
    };

    private static SystemFault OfNumber(int hResult)
    {
        bool isCode = OperatingSystem.IsWindows() && ((uint)hResult & WindowsFacility) == WindowsErrors;
        int number = isCode ? hResult & ushort.MaxValue : hResult;
        foreach (Row row in Table)
            if (row.Number == number && number != 0) return row.Fault;
        return SystemFault.Trouble;
    }
}
