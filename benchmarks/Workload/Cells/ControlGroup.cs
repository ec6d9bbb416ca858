using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>
/// A limit of memory for child processes, their page cache included: a control group of Linux (version 2) below the one
/// that this process is in. Removed when it is disposed of.
/// </summary>
internal sealed class ControlGroup : IDisposable
{
    private const string Root = "/sys/fs/cgroup";
    private const string Controllers = "cgroup.subtree_control";
    private const string OwnFile = "/proc/self/cgroup";
    private const string Processes = "cgroup.procs";

    private ControlGroup(string path) => Path = path;

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>Makes a group; null where the system does not let this process, with the reason.</summary>
    public static ControlGroup? TryCreate(long bytes, out string reason)
    {
        reason = "";
        string? parent = Own();
        string controllers = System.IO.Path.Combine(parent ?? Root, Controllers);
        if (parent is null || !File.Exists(controllers) || !File.ReadAllText(controllers).Split().Contains("memory"))
        {
            reason = "this process's control group does not hand the memory controller of cgroup v2 down";
            return null;
        }

        string path = System.IO.Path.Combine(parent, "faster-ycsb-" + Guid.NewGuid().ToString("N"));
        try
        {
            Directory.CreateDirectory(path);
            File.WriteAllText(
                System.IO.Path.Combine(path, "memory.max"), bytes.ToString(CultureInfo.InvariantCulture));
            return new ControlGroup(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            reason = e.Message;
            return null;
        }
    }

    /// <summary>Moves this process into a group.</summary>
    public static void Enter(string path) => File.WriteAllText(
        System.IO.Path.Combine(path, Processes), Environment.ProcessId.ToString(CultureInfo.InvariantCulture));

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(Path);

    private static string? Own()
    {
        const string Unified = "0::/";
        string? line = File.Exists(OwnFile)
            ? File.ReadLines(OwnFile).FirstOrDefault(l => l.StartsWith(Unified, StringComparison.Ordinal))
            : null;
        return line is null ? null : System.IO.Path.Combine(Root, line[Unified.Length..]);
    }
}
