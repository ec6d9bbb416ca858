using System.Globalization;

namespace Faster.Workload.Cells;

/// <summary>
/// A limit of memory for child processes, their page cache included: a control group of Linux below the one that this
/// process is in, of version 1 where that still has the memory controller, else of version 2. Removed when it is
/// disposed of.
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
        string[] lines = File.Exists(OwnFile) ? File.ReadAllLines(OwnFile) : [];
        (string parent, string limit)? place = First(lines) ?? Second(lines);
        if (place is not { } at)
        {
            reason = "this process's control group does not hand the memory controller down";
            return null;
        }

        string path = System.IO.Path.Combine(at.parent, "faster-ycsb-" + Guid.NewGuid().ToString("N"));
        try
        {
            Directory.CreateDirectory(path);
            File.WriteAllText(System.IO.Path.Combine(path, at.limit), bytes.ToString(CultureInfo.InvariantCulture));
            return new ControlGroup(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            if (Directory.Exists(path))
                Directory.Delete(path);
            reason = e.Message;
            return null;
        }
    }

    /// <summary>Moves this process into a group.</summary>
    public static void Enter(string path) => File.WriteAllText(
        System.IO.Path.Combine(path, Processes), Environment.ProcessId.ToString(CultureInfo.InvariantCulture));

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(Path);

    // Version 1 has a hierarchy for each controller: "4:memory:/path".
    private static (string Parent, string Limit)? First(IEnumerable<string> lines)
    {
        const string LimitFile = "memory.limit_in_bytes";
        string? parent = Below(lines, System.IO.Path.Combine(Root, "memory"), ":memory:/");
        return parent is not null && File.Exists(System.IO.Path.Combine(parent, LimitFile))
            ? (parent, LimitFile)
            : null;
    }

    private static (string Parent, string Limit)? Second(IEnumerable<string> lines)
    {
        if (Below(lines, Root, "0::/") is not { } parent)
            return null;
        string controllers = System.IO.Path.Combine(parent, Controllers);
        return File.Exists(controllers) && File.ReadAllText(controllers).Split().Contains("memory")
            ? (parent, "memory.max")
            : null;
    }

    private static string? Below(IEnumerable<string> lines, string root, string mark)
    {
        string? line = lines.FirstOrDefault(l => l.Contains(mark, StringComparison.Ordinal));
        return line is null
            ? null
            : System.IO.Path.Combine(root, line[(line.IndexOf(mark, StringComparison.Ordinal) + mark.Length)..]);
    }
}
