using Faster.Devices.Segments;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Devices.Segments;

/// <summary>A test that needs O_DIRECT: skipped, with the reason, where the tests' file system refuses it.</summary>
public sealed class UnbufferedFactAttribute : FactAttribute
{
    public UnbufferedFactAttribute() => Skip = Reason();

    private static string? Reason()
    {
        if (!OperatingSystem.IsLinux()) return "Needs Linux: O_DIRECT, which can be turned off.";
        using var folder = new TemporaryFolder(onDisk: true);
        string path = Path.Combine(Directory.CreateDirectory(folder.Path).FullName, "file");
        File.WriteAllBytes(path, new byte[4096]);
        bool unbuffered = true;
        FileCalls.Real.Open(path, false, ref unbuffered).Dispose();
        return unbuffered ? null : $"The file system of {folder.Path} refuses O_DIRECT.";
    }
}
