using System.Globalization;

namespace Faster.Memory;

/// <summary>
/// The memory that the process may use: the least of the machine's memory, the limits of the process's address space
/// and data, and the limits of its control group and of the groups around it, by which containers limit memory.
/// </summary>
/// <remarks>
/// <para>A store reserves addresses and touches them later. If its budget is above such a limit, the system kills the
/// process when the store fills, without an error that could be caught; hence the check when it opens.</para>
/// <para>Linux's files tell the limits. What is missing, unreadable or without a number is no limit. On other systems
/// it is the runtime's figure, unless a hard limit of the managed heap, which does not concern native memory, replaces
/// it. Thread-safe: no state; limits are read anew each time.</para>
/// </remarks>
/// <param name="read">Returns the text of a file, or null if there is none.</param>
/// <param name="available">Returns the bytes that the runtime reports, or null.</param>
internal sealed class ProcessMemory(Func<string, string?> read, Func<long?> available)
{
    private const string Groups = "/sys/fs/cgroup";

    /// <summary>The limits of this process.</summary>
    public static ProcessMemory Own { get; } =
        OperatingSystem.IsLinux() ? new(ReadFile, static () => null) : new(static _ => null, Available);

    /// <summary>Returns the lowest limit, in bytes, and what sets it; null: no limit is known.</summary>
    public (long Bytes, string Source)? Lowest() =>
        Limits().Cast<(long Bytes, string Source)?>().MinBy(static limit => limit!.Value.Bytes);

    /// <summary>Refuses a memory budget above the lowest limit.</summary>
    /// <param name="budget">The budget.</param>
    /// <param name="owner">The type whose option it is, for the message.</param>
    /// <exception cref="StoreOpenException">The budget is larger than the process's memory may be.</exception>
    public void ThrowIfBelow(ByteSize budget, string owner)
    {
        if (Lowest() is not { } limit || budget.Bytes <= limit.Bytes) return;
        throw new StoreOpenException(
            $"{owner}.MemoryBudget is {budget}, but this process may use no more than {new ByteSize(limit.Bytes)}: "
            + $"{limit.Source}. The system would end the process when the store fills. Lower MemoryBudget, and leave "
            + "memory for the rest of the process, or raise that limit.");
    }

    private static string? ReadFile(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static long? Available() =>
        GC.GetConfigurationVariables().TryGetValue("GCHeapHardLimit", out object? limit) && limit is not (0L or null)
            ? null
            : GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    private IEnumerable<(long Bytes, string Source)> Limits()
    {
        if (available() is { } bytes) yield return (bytes, "the memory that the runtime reports");
        foreach (string line in Lines("/proc/meminfo"))
        {
            if (Number(line, "MemTotal:") is { } kibibytes)
                yield return (kibibytes << 10, "the machine's memory, MemTotal in /proc/meminfo");
        }

        foreach (string line in Lines("/proc/self/limits"))
        {
            if (Number(line, "Max address space") is { } space)
                yield return (space, "the limit of its address space (ulimit -v)");
            if (Number(line, "Max data size") is { } data) yield return (data, "the limit of its data (ulimit -d)");
        }

        foreach (string file in Lines("/proc/self/cgroup").SelectMany(FilesOf))
            if (read(file) is { } text && Number(text, "") is { } most) yield return (most, $"the limit in {file}");
    }

    // Of a line such as "0::/a/b" (version 2) or "4:memory:/a/b" (version 1): the group's file and those of the groups
    // around it. Where a container sees its own part of the tree only, the path may be one of the host's: its folders
    // are missing then, and the root has the container's limit.
    private static IEnumerable<string> FilesOf(string line)
    {
        string[] parts = line.Split(':', 3);
        if (parts.Length < 3) yield break;
        bool isSecond = parts[1].Length == 0;
        if (!isSecond && !parts[1].Split(',').Contains("memory")) yield break;
        string root = isSecond ? Groups : Groups + "/memory";
        string name = isSecond ? "memory.max" : "memory.limit_in_bytes";
        for (string path = parts[2].TrimEnd('/'); path.Length > 0; path = path[..Math.Max(path.LastIndexOf('/'), 0)])
            yield return $"{root}{path}/{name}";
        yield return $"{root}/{name}";
    }

    private string[] Lines(string path) => read(path)?.Split('\n') ?? [];

    // The first word after the name, if it is a number: "max" and "unlimited" are not.
    private static long? Number(string line, string name) =>
        line.StartsWith(name, StringComparison.Ordinal)
        && line[name.Length..].Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) is [var word, ..]
        && long.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            ? number
            : null;
}
