using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using Faster.Devices;
using Faster.Devices.Folders;
using Faster.Devices.Segments;
using Faster.Memory;
using Microsoft.Win32.SafeHandles;

namespace Faster.Persistence;

/// <summary>A file mapped into memory. A fence writes and syncs its flushed pages by our own call (msync).</summary>
/// <remarks>
/// <para>The length is fixed while it is mapped: a file that grew would have to be mapped again elsewhere, under the
/// pointers of running threads. <see cref="Grow"/> extends it before it is opened. It is written with zeros before it
/// is mapped, because a store to a page without space on the disk ends the process (SIGBUS), and because a sync need
/// not journal the allocation.</para>
/// <para>Invariants, besides those of <see cref="RangeRegion"/>:</para>
/// <list type="bullet">
/// <item>A file of the region's name exists durably only when all of it was written and synced: <see cref="Create"/>
/// writes it under another name and renames it.</item>
/// <item>All of the file has its space on the disk before it is mapped.</item>
/// </list>
/// <para>A read error of the disk below a page that is not in memory ends the process, too, as with any mapping.
/// <see cref="DeviceRegion"/> reads by calls and throws instead.</para>
/// <para>Thread-safe as <see cref="PersistentRegion"/> requires. Paper 001 §3: persistent region over mmap.</para>
/// </remarks>
internal sealed unsafe class MappedFileRegion : RangeRegion
{
    private const int PieceBytes = 1 << 20;

    private readonly FileCalls _calls;
    private readonly SafeFileHandle _file;
    private readonly MemoryMappedFile _map;
    private readonly SafeMemoryMappedViewHandle _view;
    private readonly byte* _pointer;

    private MappedFileRegion(string path, SafeFileHandle file, long length, FileCalls calls)
    {
        Name = path;
        Length = length;
        _calls = calls;
        _file = file;
        _map = MemoryMappedFile.CreateFromFile(
            file, null, length, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        _view = _map.CreateViewAccessor(0, length).SafeMemoryMappedViewHandle;
        _view.AcquirePointer(ref _pointer);
    }

    /// <inheritdoc/>
    public override byte* Pointer => _pointer;

    /// <inheritdoc/>
    public override long Length { get; }

    /// <inheritdoc/>
    public override string Name { get; }

    /// <inheritdoc/>
    protected override int Unit => Environment.SystemPageSize;

    /// <summary>Creates a region of zeros in a folder, durably, and maps it; replaces a file of the name.</summary>
    /// <param name="files">The folder.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="length">The size in bytes, a multiple of the system's page size.</param>
    /// <param name="calls">The system calls; those of the system by default.</param>
    /// <exception cref="StorageException">There is no space, or the disk fails.</exception>
    public static MappedFileRegion Create(FolderFiles files, string name, long length, FileCalls? calls = null)
    {
        CheckLength(length);
        string unfinished = name + ".new";
        using (StoreFile file = files.Create(unfinished)) WriteZeros(file, 0, length);

        files.Rename(unfinished, name);
        files.SyncNames();
        return Open(files, name, length, calls);
    }

    /// <summary>Extends a region that is not mapped by zeros, durably. One that is longer stays as it is.</summary>
    /// <param name="files">The folder.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="length">The size in bytes, a multiple of the system's page size.</param>
    /// <returns>The size with which to open it.</returns>
    /// <exception cref="DamagedDataException">The file does not exist.</exception>
    /// <exception cref="StorageException">There is no space, or the disk fails; the region is as it was.</exception>
    public static long Grow(FolderFiles files, string name, long length)
    {
        CheckLength(length);
        using StoreFile file = files.Open(name);
        long page = Environment.SystemPageSize, old = file.Length;
        length = Math.Max(length, (old + page - 1) / page * page); // a crash may have left a part of a page
        if (old != length) WriteZeros(file, old, length);
        return length;
    }

    /// <summary>Maps a region that was created before.</summary>
    /// <param name="files">The folder.</param>
    /// <param name="name">The file's name.</param>
    /// <param name="length">The size in bytes that it was created with.</param>
    /// <param name="calls">The system calls; those of the system by default.</param>
    /// <exception cref="DamagedDataException">The file does not exist, or has another length.</exception>
    /// <exception cref="StorageException">The file can't be opened or mapped.</exception>
    public static MappedFileRegion Open(FolderFiles files, string name, long length, FileCalls? calls = null)
    {
        CheckLength(length);
        calls ??= FileCalls.Real;
        string path = Path.Combine(files.Name, name);
        SafeFileHandle? file = null;
        try
        {
            bool unbuffered = false;
            file = calls.Open(path, create: false, ref unbuffered);
            if (calls.Length(file) is var found && found != length) throw WrongLength(path, found, length);
            return new MappedFileRegion(path, file, length, calls);
        }
        catch (Exception e)
        {
            file?.Dispose();
            if (e is FileNotFoundException or DirectoryNotFoundException) throw DeviceErrors.MissingFile(path, e);
            if (e is IOException or UnauthorizedAccessException) throw DeviceErrors.File($"Mapping '{path}'", e);
            throw;
        }
    }

    /// <summary>Unmaps and closes the file without a sync.</summary>
    public override void Dispose()
    {
        // Not the accessor's own disposal, which would sync once more and report nothing.
        if (!_view.IsClosed) _view.ReleasePointer();
        _view.Dispose();
        _map.Dispose();
        _file.Dispose();
    }

    /// <inheritdoc/>
    protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
    {
        // One call for all: clean pages between the ranges cost nothing.
        long begin = ranges[0].Begin;
        int error = _calls.SyncMapped(_file, (nint)(_pointer + begin), ranges[^1].End - begin);
        if (error == 0) return;
        throw DeviceErrors.SyncFailed(Name, $"{Marshal.GetPInvokeErrorMessage(error)} (error {error}).");
    }

    private static void WriteZeros(StoreFile file, long from, long to)
    {
        using var zeros = new NativeBlock(Math.Min(to - from, PieceBytes));
        for (long at = from; at < to; at += PieceBytes)
            file.Write(zeros.Pointer, (int)Math.Min(to - at, PieceBytes), at);
        file.Sync();
    }

    private static void CheckLength(long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfNotEqual(length % Environment.SystemPageSize, 0, nameof(length));
    }

    private static DamagedDataException WrongLength(string path, long found, long expected) => new(
        $"'{path}' has {found} bytes, but was created with {expected}: it was cut, or belongs to another store. "
        + "Restore it from a copy.")
    {
        Path = path,
        Offset = Math.Min(found, expected),
    };
}
