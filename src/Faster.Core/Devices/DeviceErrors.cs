using System.Globalization;
using System.Runtime.InteropServices;

namespace Faster.Devices;

/// <summary>The words and types of what can go wrong on a device: each names the place and what to do.</summary>
/// <remarks>Thread-safe: pure functions. Offsets in messages are those of the file where a file is named.</remarks>
internal static class DeviceErrors
{
    public const int InterruptedCall = 4;     // EINTR
    public const int TryAgain = 11;           // EAGAIN
    public const int OutOfMemory = 12;        // ENOMEM
    public const int Busy = 16;               // EBUSY
    public const int InvalidArgument = 22;    // EINVAL
    public const int TimeIsOver = 62;         // ETIME
    public const int Cancelled = 125;         // ECANCELED
    private const int NoSpaceLeft = 28;       // ENOSPC
    private const int WindowsDiskFull = unchecked((int)0x80070070);
    private const int WindowsHandleDiskFull = unchecked((int)0x80070027);

    private static int QuotaExceeded => OperatingSystem.IsMacOS() ? 69 : 122; // EDQUOT

    /// <summary>A transfer failed in the system.</summary>
    /// <param name="request">The request, for its kind and length.</param>
    /// <param name="place">The file or device.</param>
    /// <param name="offset">Where in it.</param>
    /// <param name="cause">What the system said.</param>
    public static StorageException Transfer(IoRequest request, string place, long offset, Exception cause)
    {
        if (IsDiskFull(cause)) return DiskFull(request, place, offset, cause);
        return new StorageException(
            $"{Phrase(request, place, offset)} failed: {cause.Message} "
            + "Check the disk, its permissions and the system's log; try again once it works.",
            cause)
        {
            MayRetry = cause is IOException and not (FileNotFoundException or DirectoryNotFoundException),
        };
    }

    /// <summary>A file could not be made, opened, renamed or deleted.</summary>
    /// <param name="what">What was tried, as «The renaming of 'a' to 'b'».</param>
    /// <param name="cause">What the system said.</param>
    public static StorageException File(string what, Exception cause) => new(
        IsDiskFull(cause)
            ? $"{what} failed: the disk is full. Free space and go on; what was written before is untouched."
            : $"{what} failed: {cause.Message} Check the disk, its permissions and the system's log; try again once "
                + "it works.",
        cause)
    {
        MayRetry = cause is IOException,
    };

    /// <summary>A file that something refers to is not there.</summary>
    public static DamagedDataException MissingFile(string path, Exception? cause) => new(
        $"'{path}' does not exist, but the store needs it. Restore the folder from a copy, or open an older commit "
        + $"with StoreOptions.FallBack.",
        cause)
    {
        Path = path,
        Offset = 0,
    };

    /// <summary>There was no room for a write.</summary>
    public static StorageException DiskFull(IoRequest request, string place, long offset, Exception? cause) => new(
        $"{Phrase(request, place, offset)} failed: the disk is full. Free space and go on; "
        + "what was written before is untouched.",
        cause)
    {
        MayRetry = true,
    };

    /// <summary>The file or device ends before the bytes that were asked for.</summary>
    public static DamagedDataException EndOfData(IoRequest request, string place, long offset, int got) => new(
        $"{Phrase(request, place, offset)} met the end of the data after {Number(got)} bytes: the file was cut, or "
        + "never written so far. Restore it from a copy, or open an older commit.")
    {
        Path = place,
        Offset = offset + got,
    };

    /// <summary>The file that should hold the bytes is not there.</summary>
    public static DamagedDataException MissingFile(
        IoRequest request, string path, long offset, Exception? cause) => new(
        $"{Phrase(request, path, offset)} failed: the file does not exist. Restore it from a copy, or open an older "
        + "commit.",
        cause)
    {
        Path = path,
        Offset = offset,
    };

    /// <summary>A read of bytes that were given up.</summary>
    public static DamagedDataException Truncated(IoRequest request, string place, long offset, long begin) => new(
        $"{Phrase(request, place, offset)} failed: everything below offset {Number(begin)} of the log was truncated. "
        + "An address from before the truncation was used.")
    {
        Path = place,
        Offset = offset,
    };

    /// <summary>A request that no device may get: a fault of the caller.</summary>
    public static StorageException Refused(IoRequest request, string place, string reason) => new(
        $"{Phrase(request, place, request.Offset)} was refused: {reason}");

    /// <summary>A sync failed.</summary>
    public static StorageException SyncFailed(string place, string reason, Exception? cause = null) => new(
        $"Sync of '{place}' failed: {reason} What was written since the last sync may be lost, and a further sync "
        + "could not tell. Close the store, mend the disk, and open the store again: it recovers its last commit.",
        cause);

    /// <summary>Whether the system took a call's arguments for invalid: an unbuffered transfer, for one.</summary>
    public static bool IsInvalidArgument(IOException cause) =>
        !OperatingSystem.IsWindows() && cause.HResult == InvalidArgument;

    /// <summary>An error number of the system as the platform's own calls would report it.</summary>
    public static IOException FromNumber(int error) => new(
        $"{Marshal.GetPInvokeErrorMessage(error)} (error {Number(error)}).", error);

    private static bool IsDiskFull(Exception cause) => cause is IOException
        && (OperatingSystem.IsWindows()
            ? cause.HResult is WindowsDiskFull or WindowsHandleDiskFull
            : cause.HResult == NoSpaceLeft || cause.HResult == QuotaExceeded);

    private static string Phrase(IoRequest request, string place, long offset) =>
        $"{request.Kind} of {Number(request.Length)} bytes at offset {Number(offset)} of '{place}'";

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
