using System.Diagnostics;
using Faster.Tests.Devices.Folders;

namespace Faster.Tests.Faults;

/// <summary>A tmpfs of some size, where the right to mount one is given, with a ballast to be thrown off.</summary>
internal sealed class SmallDisk : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public SmallDisk(ByteSize size, ByteSize ballast = default)
    {
        Directory.CreateDirectory(_folder.Path);
        IsMounted = OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess
            && Run("mount", "-t", "tmpfs", "-o", $"size={size.Bytes}", "tmpfs", _folder.Path);
        if (IsMounted) File.WriteAllBytes(Ballast, new byte[ballast.Bytes]);
    }

    /// <summary>Whether there is one; otherwise a test makes do with an injected fault.</summary>
    public bool IsMounted { get; }

    public string Path => System.IO.Path.Combine(_folder.Path, "store");

    private string Ballast => System.IO.Path.Combine(_folder.Path, "ballast");

    public void Free() => File.Delete(Ballast);

    public void Dispose()
    {
        if (IsMounted) Run("umount", "-l", _folder.Path);
        _folder.Dispose();
    }

    private static bool Run(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
