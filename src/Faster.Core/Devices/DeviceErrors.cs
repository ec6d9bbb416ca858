using System.Globalization;
using System.Runtime.InteropServices;

namespace Faster.Devices;

/// <summary>Makes the exceptions of devices: each message names the place and says what to do.</summary>
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
    public const int FileTooLarge = 27;       // EFBIG

    /// <summary>EWOULDBLOCK: another process has the lock.</summary>
    public static int WouldBlock => OperatingSystem.IsLinux() ? 11 : 35;

    /// <summary>A transfer failed in the system.</summary>
    /// <param name="request">The request, for its kind and length.</param>
    /// <param name="place">The file or device.</param>
    /// <param name="offset">The offset in it.</param>
    /// <param name="cause">The system's error.</param>
    public static StorageException Transfer(IORequest request, string place, long offset, Exception cause) =>
        File(Phrase(request, place, offset), cause);

    /// <summary>
    /// A call on a file or folder, except a sync, has failed. <see cref="SystemErrors"/> says whether it may be
    /// retried.
    /// </summary>
    /// <param name="what">The attempt, for example «Renaming 'a' to 'b'».</param>
    /// <param name="cause">The system's error.</param>
    public static StorageException File(string what, Exception cause)
    {
        SystemFault fault = SystemErrors.Of(cause);
        string why = fault == SystemFault.Space ? $"the disk is full ({cause.Message.TrimEnd('.')})." : cause.Message;
        return new StorageException($"{what} failed: {why} {SystemErrors.AdviceOf(fault)}", cause)
        {
            MayRetry = SystemErrors.MayRetry(fault),
        };
    }

    /// <summary>A file that the store refers to does not exist.</summary>
    public static DamagedDataException MissingFile(string path, Exception? cause) => new(
        $"'{path}' does not exist, but the store needs it. Restore the folder from a copy, or open an older commit "
        + $"with StoreOptions.AllowOlderCommit.",
        cause)
    {
        Path = path,
        Offset = 0,
    };

    /// <summary>There was no space for a write to memory.</summary>
    public static StorageException DiskFull(IORequest request, string place, long offset) => new(
        $"{Phrase(request, place, offset)} failed: the disk is full. {SystemErrors.AdviceOf(SystemFault.Space)}")
    {
        MayRetry = true,
    };

    /// <summary>The file or device ends before the requested bytes.</summary>
    public static DamagedDataException EndOfData(IORequest request, string place, long offset, int got) => new(
        $"{Phrase(request, place, offset)} reached the end of the data after {Number(got)} bytes: the file was cut, or "
        + "was never written that far. Restore it from a copy, or open an older commit.")
    {
        Path = place,
        Offset = offset + got,
    };

    /// <summary>The file that should hold the bytes does not exist.</summary>
    public static DamagedDataException MissingFile(
        IORequest request, string path, long offset, Exception? cause) => new(
        $"{Phrase(request, path, offset)} failed: the file does not exist. Restore it from a copy, or open an older "
        + "commit.",
        cause)
    {
        Path = path,
        Offset = offset,
    };

    /// <summary>A read of bytes that have been truncated.</summary>
    public static DamagedDataException Truncated(IORequest request, string place, long offset, long begin) => new(
        $"{Phrase(request, place, offset)} failed: everything below offset {Number(begin)} of the log was truncated. "
        + "An address from before the truncation was used.")
    {
        Path = place,
        Offset = offset,
    };

    /// <summary>A request that violates a device's contract: an error of the caller.</summary>
    public static StorageException Refused(IORequest request, string place, string reason) => new(
        $"{Phrase(request, place, request.Offset)} was refused: {reason}");

    /// <summary>The error of a failed sync, after which the device's unsynced writes may be lost.</summary>
    public static StorageException SyncFailed(string place, string reason, Exception? cause = null) => new(
        $"Sync of '{place}' failed: {reason} The writes since the last sync may be lost, and a further sync "
        + "can't detect that. Close the store, fix the disk, and open the store again: it recovers the last commit.",
        cause);

    /// <summary>
    /// Whether the system rejected a call's arguments as invalid, for example an unbuffered transfer.
    /// </summary>
    public static bool IsInvalidArgument(IOException cause) =>
        !OperatingSystem.IsWindows() && cause.HResult == InvalidArgument;

    /// <summary>Whether the system could not take a request for want of memory or of space in a queue.</summary>
    public static bool IsOverload(int error) => error is TryAgain or Busy or OutOfMemory;

    /// <summary>The exception that the platform's own calls would throw for an error number of the system.</summary>
    public static IOException FromNumber(int error) => new(
        $"{Marshal.GetPInvokeErrorMessage(error)} (error {Number(error)}).", error);

    private static string Phrase(IORequest request, string place, long offset) =>
        $"{request.Kind} of {Number(request.Length)} bytes at offset {Number(offset)} of '{place}'";

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
