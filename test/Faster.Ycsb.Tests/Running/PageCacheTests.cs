using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using Faster.Workload;

namespace Faster.Ycsb.Tests.Running;

public sealed unsafe partial class PageCacheTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("ycsb-cache-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_file_that_was_just_written_is_no_longer_cached_and_unchanged()
    {
        // Where files live in memory, nothing can be dropped.
        bool isOnDisk = OperatingSystem.IsLinux()
            && new DriveInfo(_folder.FullName).DriveFormat is not ("tmpfs" or "ramfs");
        if (!isOnDisk) return;
        byte[] content = new byte[1 << 20];
        Random.Shared.NextBytes(content);
        string path = Path.Combine(_folder.CreateSubdirectory("below").FullName, "file");
        File.WriteAllBytes(path, content);
        Assert.Equal(content.Length / Environment.SystemPageSize, CachedPages(path));
        PageCache.Drop(_folder.FullName);
        Assert.Equal(0, CachedPages(path));
        Assert.Equal(content, File.ReadAllBytes(path));
    }

    // Mapping a file without touching the mapping reads nothing.
    private static int CachedPages(string path)
    {
        using var file = MemoryMappedFile.CreateFromFile(path, FileMode.Open);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        byte[] resident = new byte[(int)view.Capacity / Environment.SystemPageSize];
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        int error = MInCore(start, (nuint)view.Capacity, resident);
        view.SafeMemoryMappedViewHandle.ReleasePointer();
        Assert.Equal(0, error);
        return resident.Count(page => (page & 1) != 0);
    }

    [LibraryImport("libc", EntryPoint = "mincore")]
    private static partial int MInCore(void* start, nuint length, [Out] byte[] resident);
}
