namespace Faster.Tests.Devices.Folders;

/// <summary>
/// A folder for one test: in memory where the system has a file system for that with enough space, as most of a test's
/// time over a disk is syncs; on the disk for tests of devices, and wherever there is none.
/// </summary>
internal sealed class TemporaryFolder(bool onDisk = false) : IDisposable
{
    private const string SharedMemory = "/dev/shm";
    private const long RoomEnough = 4L << 30;

    private static readonly string InMemory = HasSpace() ? SharedMemory : AppContext.BaseDirectory;

    public string Path { get; } = System.IO.Path.Combine(
        onDisk ? AppContext.BaseDirectory : InMemory, "faster-tmp-" + Guid.NewGuid().ToString("N"));

    public void Dispose()
    {
        if (Directory.Exists(Path)) Directory.Delete(Path, recursive: true);
    }

    private static bool HasSpace() => OperatingSystem.IsLinux() && Directory.Exists(SharedMemory)
        && new DriveInfo(SharedMemory).AvailableFreeSpace >= RoomEnough;
}
