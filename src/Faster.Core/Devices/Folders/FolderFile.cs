using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Faster.Devices.Segments;
using Microsoft.Win32.SafeHandles;

namespace Faster.Devices.Folders;

/// <summary>A file of a store's folder.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>After a failed sync no sync succeeds.</item>
/// <item>A sync covers the transfers of both handles.</item>
/// </list>
/// <para>Large aligned transfers use a second handle that bypasses the system's cache, where the file system allows
/// that; all others go through the cache. The system keeps the two coherent. Thread-safe as <see cref="StoreFile"/>
/// requires.</para>
/// </remarks>
internal sealed unsafe class FolderFile : StoreFile
{
    /// <summary>The smallest transfer that bypasses the cache, in bytes.</summary>
    public const int MinDirect = 64 << 10;

    private const int DirectAlignment = 4096;

    private readonly FileCalls _calls;
    private readonly SafeFileHandle _handle;
    private readonly Lock _opening = new();
    private readonly Lock _syncing = new();
    private SafeFileHandle? _direct;
    private volatile bool _mayBeDirect;
    private StorageException? _syncFailure;

    /// <summary>Takes ownership of an open file.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="handle">The open file.</param>
    /// <param name="unbuffered">Whether to bypass the cache where that is possible.</param>
    /// <param name="calls">The system calls.</param>
    public FolderFile(string path, SafeFileHandle handle, bool unbuffered, FileCalls calls)
    {
        Path = path;
        _handle = handle;
        _mayBeDirect = unbuffered;
        _calls = calls;
    }

    /// <inheritdoc/>
    public override string Path { get; }

    /// <inheritdoc/>
    public override long Length
    {
        get
        {
            try
            {
                return _calls.Length(_handle);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw DeviceErrors.File($"Reading the length of '{Path}'", e);
            }
        }
    }

    /// <inheritdoc/>
    public override void Read(byte* buffer, int length, long offset) => Transfer(IOKind.Read, buffer, length, offset);

    /// <inheritdoc/>
    public override void Write(byte* buffer, int length, long offset) =>
        Transfer(IOKind.Write, buffer, length, offset);

    /// <inheritdoc/>
    public override void Sync()
    {
        lock (_syncing)
        {
            if (_syncFailure is not null)
                throw DeviceErrors.SyncFailed(Path, "an earlier sync failed.", _syncFailure);
            int error = TrySync(out Exception? cause);
            if (error == 0 && cause is null) return;
            string reason = cause?.Message ?? $"{Marshal.GetPInvokeErrorMessage(error)} (error {error}).";
            throw _syncFailure = DeviceErrors.SyncFailed(Path, reason, cause);
        }
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _direct?.Dispose();
        _handle.Dispose();
    }

    private int TrySync(out Exception? cause)
    {
        cause = null;
        try
        {
            return _calls.Sync(_handle);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            cause = e;
            return 0;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Transfer(IOKind kind, byte* buffer, int length, long offset)
    {
        int done = 0;
        try
        {
            while (done < length)
            {
                int part = Math.Min(length - done, Device.MaxTransfer);
                int moved = TransferPart(kind, buffer + done, part, offset + done);
                if (moved == 0)
                    throw DeviceErrors.EndOfData(RequestOf(kind, length), Path, offset, done);
                done += moved;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw DeviceErrors.Transfer(RequestOf(kind, length), Path, offset, e);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private int TransferPart(IOKind kind, byte* buffer, int length, long offset)
    {
        if (_mayBeDirect && IsAligned(buffer, length, offset) && OpenDirect() is { } direct)
        {
            try
            {
                return Move(direct, kind, buffer, length, offset);
            }
            catch (IOException e) when (IsRefusal(e))
            {
                _mayBeDirect = false;
            }
        }

        return Move(_handle, kind, buffer, length, offset);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private int Move(SafeFileHandle handle, IOKind kind, byte* buffer, int length, long offset)
    {
        if (kind == IOKind.Read) return _calls.Read(handle, new Span<byte>(buffer, length), offset);
        _calls.Write(handle, new ReadOnlySpan<byte>(buffer, length), offset);
        return length;
    }

    private SafeFileHandle? OpenDirect()
    {
        if (Volatile.Read(ref _direct) is { } opened) return opened;
        lock (_opening)
        {
            if (_direct is not null || !_mayBeDirect) return _direct;
            bool unbuffered = true;
            SafeFileHandle handle = _calls.Open(Path, create: false, ref unbuffered);
            if (unbuffered)
            {
                Volatile.Write(ref _direct, handle);
                return handle;
            }

            handle.Dispose();
            _mayBeDirect = false;
            return null;
        }
    }

    private static bool IsAligned(byte* buffer, int length, long offset) =>
        length >= MinDirect && (((long)buffer | (long)length | offset) & (DirectAlignment - 1)) == 0;

    private static bool IsRefusal(IOException e) =>
        !OperatingSystem.IsWindows() && e.HResult == DeviceErrors.InvalidArgument;

    private static IORequest RequestOf(IOKind kind, int length) => new() { Kind = kind, Length = length };
}
